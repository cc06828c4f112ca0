// Small groups of records that share a level of a factor. Along one line of
// coefficients they move and no others do: that of the level's column, or, at
// the reference level, the intercept against all columns of the factor.
#ifndef PSEUDOSYNTH_LIKELIHOOD_LEVEL_GROUPS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_LEVEL_GROUPS_HPP

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "../records.hpp"
#include "value_likelihood.hpp"

namespace pseudosynth {

struct LevelGroup {
  int column;   ///< of the level; -1 at the reference level
  Vector step;  ///< the line: P coefficients
};

namespace detail {

/// 0 at the reference level, else 1, 2, .. in the order of the columns.
inline int level_code(const Design& design, int row, int factor) {
  const int column = design.active_column(row, factor);
  return column == design.n_columns()
             ? 0
             : column - design.factor_column(factor) + 1;
}

/// @param kept positions in row order, at least one.
inline Records some_records(const Records& from, const std::vector<int>& kept) {
  const Design& design = from.design;
  Predictors x;
  x.n_records = count_of(kept);
  x.n_columns = design.n_columns();
  x.intercept = design.has_intercept();
  x.numeric_column = design.numeric_columns();
  const auto row = [&](int i) { return design.row()[i]; };
  for (int f = 0; f < design.n_factors(); ++f) {
    x.n_levels.push_back(design.n_levels(f));
    x.factor_column.push_back(design.factor_column(f));
    for (int i : kept) x.codes.push_back(level_code(design, row(i), f));
  }
  for (int q = 0; q < design.n_numeric(); ++q)
    for (int i : kept) x.numeric.push_back(design.numeric_values(row(i))[q]);
  if (design.has_offset())
    for (int i : kept) x.offset.push_back(design.offset(row(i)));
  Censor censor = from.censor;
  censor.centre.clear();
  std::vector<double> y, alpha;
  for (int i : kept) {
    const std::size_t at = static_cast<std::size_t>(i);
    y.push_back(from.y[at]);
    alpha.push_back(from.alpha[at]);
    if (from.censor.active) censor.centre.push_back(from.censor.centre[at]);
  }
  return Records(x, y, alpha, std::move(censor));
}

}  // namespace detail

/// Of each factor beside an intercept: where its coefficients are.
struct FactorColumns {
  int first, count;  ///< the columns of its levels but for the reference level
};

inline std::vector<FactorColumns> factors_beside_intercept(
    const Design& design) {
  std::vector<FactorColumns> out;
  for (int f = 0; design.has_intercept() && f < design.n_factors(); ++f)
    if (design.n_levels(f) > 1)
      out.push_back({design.factor_column(f), design.n_levels(f) - 1});
  return out;
}

/// The line that moves the records of a factor's reference level alone: the
/// intercept against all columns of the factor.
inline Vector reference_level_step(const FactorColumns& factor, int P) {
  Vector step = Vector::Zero(P);
  step[0] = 1.0;
  step.segment(factor.first, factor.count).setConstant(-1.0);
  return step;
}

/// Of all records: moves of a group that small cost next to nothing.
constexpr double kSmallShare = 0.025;

/// @brief The groups with at most a share of all records, and what their
/// records add to the log-likelihood. Copies share the records.
template <class Family>
class LevelGroups {
 public:
  LevelGroups(const Records& records, const Family& family, double share) {
    const Design& design = records.design;
    for (int f = 0; f < design.n_factors(); ++f) {
      std::vector<std::vector<int>> members(
          static_cast<std::size_t>(design.n_levels(f)));
      for (int i = 0; i < records.size(); ++i)
        members[detail::level_code(design, design.row()[i], f)].push_back(i);
      const int first = design.factor_column(f);
      for (int code = 0; code < design.n_levels(f); ++code) {
        const std::vector<int>& in = members[code];
        if (static_cast<double>(in.size()) > share * records.size()) continue;
        LevelGroup group{-1, Vector::Zero(design.n_columns())};
        if (code > 0) {
          group.column = first + code - 1;
          group.step[group.column] = 1.0;
        } else if (design.has_intercept() && !in.empty()) {
          group.step = reference_level_step({first, design.n_levels(f) - 1},
                                            design.n_columns());
        } else {
          continue;
        }
        groups_.push_back(std::move(group));
        parts_.push_back(part_of(records, in, family));
      }
    }
  }

  const std::vector<LevelGroup>& groups() const { return groups_; }

  /// The line b + t step of columns that move group k alone.
  void set_line(int k, const double* b, const double* step) {
    line_ = static_cast<std::size_t>(k);
    if (parts_[line_].value) parts_[line_].value->set_line(b, step);
  }
  /// What the records of the group add.
  double on_line(double t, const double* extra) {
    auto& value = parts_[line_].value;
    return value ? value->on_line(t, extra) : 0.0;
  }

 private:
  struct Part {
    std::shared_ptr<const Records> records;
    std::optional<ValueLikelihood<Family>> value;  // none without records
  };

  static Part part_of(const Records& records, const std::vector<int>& members,
                      const Family& family) {
    Part out;
    if (members.empty()) return out;
    out.records =
        std::make_shared<const Records>(detail::some_records(records, members));
    out.value.emplace(*out.records, family);
    return out;
  }

  std::vector<LevelGroup> groups_;
  std::vector<Part> parts_;
  std::size_t line_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_LEVEL_GROUPS_HPP
