// Bindings of file/: tables of coded columns, and records fitted to tables.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <pseudosynth/file/amount_swaps.hpp>
#include <pseudosynth/file/annealed_fit.hpp>
#include <pseudosynth/file/margin_walk.hpp>
#include <pseudosynth/file/placed_levels.hpp>
#include <pseudosynth/file/pooled_counts.hpp>
#include <pseudosynth/file/some_amounts.hpp>
#include <pseudosynth/file/stored_codes.hpp>
#include <pseudosynth/file/table_counts.hpp>
#include <pseudosynth/file/values_below.hpp>

#include "rcpp_fitting.h"
#include "rcpp_model.h"
#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

// Room for large numbers, each lent to one task at a time: what a task gives
// back is as good for the next, and needs no new memory of the system.
class LentRooms {
 public:
  using Back = std::function<void(ps::simd::FloatBuffer*)>;
  using Room = std::unique_ptr<ps::simd::FloatBuffer, Back>;

  Room lend() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty())
      free_.push_back(std::make_unique<ps::simd::FloatBuffer>());
    ps::simd::FloatBuffer* const room = free_.back().release();
    free_.pop_back();
    return {room, [this](ps::simd::FloatBuffer* lent) {
              const std::lock_guard<std::mutex> again(mutex_);
              free_.emplace_back(lent);
            }};
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<ps::simd::FloatBuffer>> free_;
};

}  // namespace

// Counts of each table (1-based columns, the first fastest) of coded records.
// [[Rcpp::export(rng = false)]]
Rcpp::List table_counts_(Rcpp::IntegerMatrix codes, Rcpp::IntegerVector levels,
                         Rcpp::List tables, int threads = 1) {
  const ps::CodedFile file =
      binding::to_file(codes, binding::to_levels(levels));
  std::vector<ps::CrossedColumns> crossed;
  for (R_xlen_t t = 0; t < tables.size(); ++t)
    crossed.push_back(binding::to_columns(tables[t], file.levels));
  const std::vector<int> cut = binding::cut_range(codes.nrow(), threads);
  const int parts = static_cast<int>(cut.size()) - 1;
  std::vector<ps::TableCounts> counts(static_cast<std::size_t>(parts));
  std::atomic<bool> stop{false};
  binding::run_to_end(parts, threads, stop, [&](int p) {
    ps::TableCounts& own = counts[p];
    own = ps::empty_counts(crossed);
    ps::add_records(
        file, crossed, static_cast<std::size_t>(cut[p]),
        static_cast<std::size_t>(cut[p + 1]), [&] { return stop.load(); }, own);
  });
  ps::TableCounts whole = ps::empty_counts(crossed);
  for (const ps::TableCounts& part : counts) ps::add_counts(part, whole);
  Rcpp::List out(tables.size());
  for (std::size_t t = 0; t < whole.size(); ++t)
    out[static_cast<R_xlen_t>(t)] =
        Rcpp::NumericVector(whole[t].begin(), whole[t].end());
  return out;
}

// Some columns of some records (1-based), in a matrix of `width` columns: the
// others are 0. Where records are many a copy for each of these steps takes
// long.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerMatrix picked_codes_(Rcpp::IntegerMatrix codes,
                                  Rcpp::IntegerVector columns,
                                  Rcpp::IntegerVector rows, int width,
                                  int threads = 1) {
  const auto beyond = [](const Rcpp::IntegerVector& x, int most) {
    return std::any_of(x.begin(), x.end(),
                       [&](int one) { return one < 1 || one > most; });
  };
  if (columns.size() > width || beyond(columns, codes.ncol()) ||
      beyond(rows, codes.nrow()))
    Rcpp::stop("Expected columns and records that are there.");
  Rcpp::IntegerMatrix out(static_cast<int>(rows.size()), width);
  std::atomic<bool> stop{false};
  binding::run_to_end(
      static_cast<int>(columns.size()), threads, stop, [&](int j) {
        const int* from = codes.begin() +
                          static_cast<R_xlen_t>(columns[j] - 1) * codes.nrow();
        int* to = out.begin() + static_cast<R_xlen_t>(j) * rows.size();
        for (R_xlen_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i] - 1];
      });
  return out;
}

// Level numbers of n records after the first `before`, from a file for each
// column; NULL where one does not have them, or has others.
// [[Rcpp::export(rng = false)]]
SEXP stored_codes_(Rcpp::CharacterVector paths, Rcpp::IntegerVector bytes,
                   Rcpp::IntegerVector levels, double before, int n,
                   int threads = 1) {
  if (bytes.size() != paths.size() || levels.size() != paths.size() || n < 0)
    Rcpp::stop("Expected bytes and levels for each column.");
  std::vector<ps::StoredColumn> columns;
  for (R_xlen_t j = 0; j < paths.size(); ++j)
    columns.push_back({Rcpp::as<std::string>(paths[j]), bytes[j], levels[j]});
  Rcpp::IntegerMatrix codes(n, static_cast<int>(columns.size()));
  int* to = codes.begin();
  std::atomic<bool> stop{false}, fine{true};
  binding::run_to_end(
      static_cast<int>(columns.size()), threads, stop, [&](int j) {
        const std::size_t size = static_cast<std::size_t>(n);
        if (!ps::read_codes(columns[j], before, size,
                            to + static_cast<std::size_t>(j) * size))
          fine = false;
      });
  return fine ? SEXP(codes) : R_NilValue;
}

namespace {

// A table with `room`, see PooledRecords, of columns that are there
ps::PooledRecords to_pooled_records(const Rcpp::List& table, int columns,
                                    int whole) {
  const std::vector<std::vector<ps::PooledAxis>> entries =
      binding::to_entries(table);
  for (const std::vector<ps::PooledAxis>& axes : entries) {
    for (const ps::PooledAxis& axis : axes) {
      if (axis.column < 0 || axis.column >= columns)
        Rcpp::stop("A table names a column that is not there.");
    }
  }
  return {Rcpp::as<std::vector<int>>(table["levels"]), entries,
          static_cast<std::int64_t>(Rcpp::as<double>(table["room"])), whole};
}

}  // namespace

// Counts of records that are in each table several times, see PooledRecords.
// @param cut whether the parts are counted that there is no room for.
// [[Rcpp::export(rng = false)]]
Rcpp::List pooled_counts_(Rcpp::IntegerMatrix codes, Rcpp::List tables,
                          int whole, bool cut, int threads = 1) {
  std::vector<ps::PooledRecords> pooled;
  for (R_xlen_t t = 0; t < tables.size(); ++t)
    pooled.push_back(to_pooled_records(tables[t], codes.ncol(), whole));
  const std::size_t n = static_cast<std::size_t>(codes.nrow());
  const std::vector<int> range = binding::cut_range(codes.nrow(), threads);
  const int parts = static_cast<int>(range.size()) - 1;
  std::vector<ps::TableCounts> counts(static_cast<std::size_t>(parts));
  std::atomic<bool> stop{false};
  const int* const code = codes.begin();
  binding::run_to_end(parts, threads, stop, [&](int p) {
    std::vector<int> members;
    for (const ps::PooledRecords& one : pooled) {
      std::vector<std::int64_t> own(one.cells(), 0);
      for (int i = range[p]; i < range[p + 1] && !stop.load(); ++i) {
        one.read(code, n, static_cast<std::size_t>(i), members);
        const std::int64_t there = one.parts(members);
        one.add(members, cut ? whole - there : there, own);
      }
      counts[p].push_back(std::move(own));
    }
  });
  Rcpp::List out(tables.size());
  for (std::size_t t = 0; t < pooled.size(); ++t) {
    Rcpp::NumericVector sum(static_cast<R_xlen_t>(pooled[t].cells()));
    for (const ps::TableCounts& part : counts) {
      for (std::size_t c = 0; c < part[t].size(); ++c)
        sum[static_cast<R_xlen_t>(c)] += static_cast<double>(part[t][c]);
    }
    out[static_cast<R_xlen_t>(t)] = sum;
  }
  return out;
}

// Squared lengths, over the product of levels, by which records move a table of
// pooled_counts_(): dropped, or replaced by others.
// @param other NULL, or as many records.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector pooled_squares_(Rcpp::IntegerMatrix codes,
                                    Rcpp::Nullable<Rcpp::IntegerMatrix> other,
                                    Rcpp::List table, int whole) {
  const ps::PooledRecords one = to_pooled_records(table, codes.ncol(), whole);
  const std::size_t n = static_cast<std::size_t>(codes.nrow());
  const Rcpp::IntegerMatrix far =
      other.isNull() ? codes : Rcpp::IntegerMatrix(other.get());
  if (far.nrow() != codes.nrow() || far.ncol() != codes.ncol())
    Rcpp::stop("Expected as many other records.");
  Rcpp::NumericVector squares(codes.nrow());
  std::vector<int> a, b;
  for (std::size_t i = 0; i < n; ++i) {
    one.read(codes.begin(), n, i, a);
    const std::int64_t parts = one.parts(a);
    std::int64_t square = parts * parts * one.inner(a, a);
    if (other.isNotNull()) {
      one.read(far.begin(), n, i, b);
      const std::int64_t theirs = one.parts(b);
      square += theirs * theirs * one.inner(b, b) -
                2 * parts * theirs * one.inner(a, b);
    }
    squares[static_cast<R_xlen_t>(i)] = static_cast<double>(square);
  }
  return squares;
}

// m sets of n records fitted to tables. Set s has stream first + s of the seed,
// so that it is the same at any number of threads and of sets.
// @param fixed_codes n x (fixed columns), from 1.
// NULL where a record cannot meet the rules.
// [[Rcpp::export(rng = false)]]
SEXP fit_records_(int n, Rcpp::IntegerMatrix fixed_codes,
                  Rcpp::IntegerVector levels, Rcpp::LogicalVector fixed,
                  Rcpp::List margins, Rcpp::List tables, Rcpp::List rules,
                  Rcpp::List control, int m, int first,
                  Rcpp::NumericVector seed, int threads = 1) {
  const std::vector<int> sizes = binding::to_levels(levels);
  const ps::FittingTask task = binding::to_task(sizes, fixed, tables, rules);
  const ps::FixedCells cells = binding::to_fixed(fixed_codes, n, task);
  std::vector<std::vector<double>> margin;
  for (R_xlen_t j = 0; j < margins.size(); ++j)
    margin.push_back(Rcpp::as<std::vector<double>>(margins[j]));
  if (margin.size() != sizes.size())
    Rcpp::stop("Expected a margin for each column.");
  const ps::AnnealingPlan plan = binding::to_annealing(control);
  std::vector<ps::FittedSet> sets;
  std::vector<Rcpp::IntegerMatrix> codes;
  for (int s = 0; s < m; ++s) {
    sets.emplace_back(task, margin, cells, static_cast<std::size_t>(n), plan,
                      binding::to_seed(seed),
                      static_cast<std::uint64_t>(first + s));
    codes.emplace_back(n, static_cast<int>(sizes.size()));
  }
  std::atomic<bool> stop{false};
  std::atomic<bool> unmet{false};
  // Parts of sets, all sets' first parts first
  const auto run = [&](std::size_t parts, const auto& part) {
    binding::run_to_end(m * static_cast<int>(parts), threads, stop, [&](int t) {
      const std::size_t s = static_cast<std::size_t>(t % m);
      try {
        part(s, static_cast<std::size_t>(t / m), [&] { return stop || unmet; });
      } catch (const ps::RuleUnmet&) {
        unmet = true;
      }
    });
  };
  if (m == 0) return Rcpp::List(0);
  for (ps::FittedSet& set : sets) set.make_room();
  run(sets[0].n_fits(),
      [&](std::size_t s, std::size_t part, const auto& stopped) {
        sets[s].fit(part, stopped);
      });
  if (unmet) return R_NilValue;
  if (sets[0].n_grown() == 0) {
    for (std::size_t s = 0; s < sets.size(); ++s)
      sets[s].write(codes[s].begin());
  } else {
    for (ps::FittedSet& set : sets) set.match();
    run(sets[0].n_grown(),
        [&](std::size_t s, std::size_t part, const auto& stopped) {
          sets[s].grow(part, stopped, codes[s].begin());
        });
    if (unmet) return R_NilValue;
  }
  return Rcpp::List(codes.begin(), codes.end());
}

// Values given to n records in other places: swaps of two records of a group at
// rising inverse temperatures, `sweeps` each. Record i gets values[from[i]].
// More records than `together` swap in random parts, each with its share of the
// targets and with random numbers of its own.
// @param bins of the values, from 0. @param codes predictors (1-based).
// @param tables targets by column, levels x bins, the level fastest, all of
//   weight 1. @param lines (1 + all levels) x P: what the intercept and each
//   level add to a row. @param control `row_weight`, `expected` (n each),
//   `score_weight`, `group` (n, from 1), `bins` (count), `beta`, `sweeps`,
//   `together`; `row_longest` (n, or none): what longer rows are cut to;
//   `most_kept` (or none): numbers of rows in memory, see AmountTask; `low`
//   and `high` (n each, or none): what each record's value may be; `latent`,
//   `pull` and `hold` (n each, or none): of each value where it is, and how
//   hard each record pulls and holds.
// [[Rcpp::export(rng = false)]]
Rcpp::List swap_amounts_(Rcpp::NumericVector values, Rcpp::IntegerVector bins,
                         Rcpp::IntegerMatrix codes, Rcpp::IntegerVector levels,
                         Rcpp::List tables, Rcpp::NumericMatrix lines,
                         Rcpp::List control, Rcpp::NumericVector seed,
                         int threads = 1) {
  const std::size_t n = static_cast<std::size_t>(values.size());
  const Rcpp::NumericVector weight(control["row_weight"]);
  const Rcpp::NumericVector expected(control["expected"]);
  const Rcpp::IntegerVector group(control["group"]);
  Rcpp::NumericVector low(0), high(0), latent(0), pull(0), hold(0), longest(0);
  if (control.containsElementNamed("row_longest"))
    longest = control["row_longest"];
  if (control.containsElementNamed("low")) {
    low = control["low"];
    high = control["high"];
  }
  if (control.containsElementNamed("pull")) {
    latent = control["latent"];
    pull = control["pull"];
    hold = control["hold"];
  }
  ps::AmountRecords all{binding::to_file(codes, binding::to_levels(levels)),
                        values.begin(),
                        bins.begin(),
                        weight.begin(),
                        expected.begin(),
                        group.begin()};
  if (longest.size() > 0) all.row_longest = longest.begin();
  if (low.size() > 0) {
    all.low = low.begin();
    all.high = high.begin();
  }
  if (pull.size() > 0) {
    all.latent = latent.begin();
    all.pull = pull.begin();
    all.hold = hold.begin();
  }
  const ps::AmountTask targets =
      binding::to_amount_targets(tables, lines, control);
  const auto is_whole = [&](R_xlen_t size) {
    return static_cast<std::size_t>(size) == n;
  };
  if (low.size() != high.size() || (low.size() > 0 && !is_whole(low.size())))
    Rcpp::stop("Expected ends of each value, or none.");
  if (longest.size() > 0 && !is_whole(longest.size()))
    Rcpp::stop("Expected how long each row may be, or none.");
  if (latent.size() != pull.size() || hold.size() != pull.size() ||
      (pull.size() > 0 && !is_whole(pull.size())))
    Rcpp::stop("Expected a pull at each value, or none.");
  if (all.file.n != n || !is_whole(bins.size()) || !is_whole(weight.size()) ||
      !is_whole(expected.size()) || !is_whole(group.size()) ||
      targets.tables.size() != all.file.levels.size())
    Rcpp::stop("Expected as many of each as there are records, or columns.");
  for (std::size_t i = 0; i < n; ++i) {
    if (bins[i] < 0 || static_cast<std::size_t>(bins[i]) >= targets.bins ||
        group[i] < 1)
      Rcpp::stop("Expected bins from 0 and groups from 1.");
  }
  const std::vector<double> beta =
      Rcpp::as<std::vector<double>>(control["beta"]);
  const int sweeps = Rcpp::as<int>(control["sweeps"]);
  const std::uint64_t words = binding::to_seed(seed);
  const std::size_t parts = ps::parts_of(
      n, static_cast<std::size_t>(Rcpp::as<double>(control["together"])));
  // 0 is the only part's, then come the order's and those of parts
  constexpr std::uint64_t kParts = std::uint64_t{1} << 32;
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  if (parts > 1) {
    ps::Rng rng(words, kParts);
    order = ps::shuffled(n, rng);
  }
  std::vector<std::vector<double>> energies(parts);
  Rcpp::IntegerVector from(values.size());
  int* const to = from.begin();
  std::atomic<bool> stop{false};
  LentRooms rooms;
  binding::run_to_end(static_cast<int>(parts), threads, stop, [&](int p) {
    const std::size_t part = static_cast<std::size_t>(p);
    const ps::PartRange range = ps::part_of(n, parts, part);
    const LentRooms::Room room = rooms.lend();
    const ps::SomeAmounts own(
        all, targets,
        {order.begin() + static_cast<std::ptrdiff_t>(range.first),
         order.begin() + static_cast<std::ptrdiff_t>(range.last)});
    ps::SwappedAmounts amounts(own.task(), own.held(), *room);
    ps::Rng rng(words, parts == 1 ? 0 : kParts + 1 + part);
    if (!ps::anneal(
            amounts, beta, sweeps, rng, [&] { return stop.load(); },
            energies[part]))
      return;
    for (std::size_t k = 0; k < range.size(); ++k)
      to[own.record(k)] =
          static_cast<int>(own.record(amounts.held()[k].from)) + 1;
  });
  Rcpp::NumericVector energy(static_cast<R_xlen_t>(beta.size()));
  for (const std::vector<double>& own : energies) {
    for (std::size_t b = 0; b < own.size(); ++b)
      energy[static_cast<R_xlen_t>(b)] += own[b];
  }
  return Rcpp::List::create(Rcpp::_["from"] = from, Rcpp::_["energy"] = energy);
}

// Tables of each column's levels by curves, summed over records: each record
// counts what the curves are at its place, between even places of a grid.
// @param ends of the grid. @param curves places x curves.
// [[Rcpp::export(rng = false)]]
Rcpp::List curve_tables_(Rcpp::IntegerMatrix codes, Rcpp::IntegerVector levels,
                         Rcpp::NumericVector place, Rcpp::NumericVector ends,
                         Rcpp::NumericMatrix curves, int threads = 1) {
  const ps::CodedFile file =
      binding::to_file(codes, binding::to_levels(levels));
  if (static_cast<std::size_t>(place.size()) != file.n || ends.size() != 2 ||
      curves.nrow() < 2)
    Rcpp::stop("Expected a place for each record, and curves.");
  const std::size_t nodes = static_cast<std::size_t>(curves.nrow());
  const ps::EvenGrid grid(ends[0], ends[1], nodes);
  // As many parts whatever the threads are: sums are rounded the same way
  const std::size_t parts = ps::parts_of(file.n, 1 << 17);
  std::vector<ps::PlacedLevels> sums(parts, ps::PlacedLevels(file, nodes));
  std::atomic<bool> stop{false};
  binding::run_to_end(static_cast<int>(parts), threads, stop, [&](int p) {
    const std::size_t part = static_cast<std::size_t>(p);
    const ps::PartRange range = ps::part_of(file.n, parts, part);
    sums[part].add(place.begin(), grid, range.first, range.last,
                   [&] { return stop.load(); });
  });
  for (std::size_t part = 1; part < parts; ++part) sums[0].add(sums[part]);
  Rcpp::List out(levels.size());
  for (R_xlen_t j = 0; j < levels.size(); ++j) {
    Rcpp::NumericVector table(levels[j] * curves.ncol());
    for (int c = 0; c < curves.ncol(); ++c)
      sums[0].read(static_cast<std::size_t>(j), &curves(0, c),
                   table.begin() + c * levels[j]);
    out[j] = table;
  }
  return out;
}

// Which of the sorted values each record gets, above none of their ends if that
// can be: records that wish for more get more. From 1.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector values_below_(Rcpp::NumericVector values,
                                  Rcpp::NumericVector wish,
                                  Rcpp::NumericVector high) {
  if (values.size() != wish.size() || values.size() != high.size())
    Rcpp::stop("Expected as many of each as there are records.");
  const std::vector<std::size_t> given =
      ps::values_below({values.begin(), values.end()},
                       {wish.begin(), wish.end()}, {high.begin(), high.end()});
  Rcpp::IntegerVector out(values.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    out[static_cast<R_xlen_t>(i)] = static_cast<int>(given[i]) + 1;
  return out;
}

namespace {

/// Numbers of a part of a list, which has to live as long.
const double* to_numbers(const Rcpp::List& list, const char* name,
                         std::size_t n) {
  const SEXP x = list[name];
  if (TYPEOF(x) != REALSXP || static_cast<std::size_t>(XLENGTH(x)) != n)
    Rcpp::stop("Expected %d numbers of %s.", static_cast<int>(n), name);
  return REAL_RO(x);
}

}  // namespace

// Shares of bins at places of one walk, a column each.
// @param margin see file/margin_walk.hpp. @param steps to the first place and
//   between places.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix walk_margin_(Rcpp::List margin, int draws,
                                 Rcpp::IntegerVector steps,
                                 Rcpp::NumericVector seed) {
  const std::size_t k =
      static_cast<std::size_t>(Rf_xlength(static_cast<SEXP>(margin["noisy"])));
  if (steps.size() != 2) Rcpp::stop("Expected two numbers of steps.");
  const ps::KnownMargin known{
      k,
      to_numbers(margin, "noisy", k),
      to_numbers(margin, "known", k * k),
      to_numbers(margin, "log_law", k),
      to_numbers(margin, "precision", k * k),
      to_numbers(margin, "mode", k),
      to_numbers(margin, "factor", k * k),
  };
  ps::MarginWalk walk(known, binding::to_seed(seed));
  Rcpp::NumericMatrix out(static_cast<int>(k), draws);
  for (int j = 0; j < draws; ++j) {
    Rcpp::checkUserInterrupt();
    walk.advance(steps[j == 0 ? 0 : 1]);
    const std::vector<double>& shares = walk.shares();
    std::copy(shares.begin(), shares.end(), out.begin() + j * out.nrow());
  }
  return out;
}
