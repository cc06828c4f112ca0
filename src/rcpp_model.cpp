#include "rcpp_model.h"

#include <pseudosynth/prior/beta_mean_prior.hpp>
#include <pseudosynth/prior/hierarchical_prior.hpp>
#include <pseudosynth/prior/level_prior.hpp>
#include <pseudosynth/prior/normal_prior.hpp>
#include <pseudosynth/prior/shared_prior.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace binding {

namespace {

template <class T>
std::vector<T> to_std(SEXP x) {
  return Rcpp::as<std::vector<T>>(x);
}

/// A look at a vector of R's, which outlives the call; a copy of one of another
/// type. For reading alone: what R shares with another object stays shared.
void look_at(SEXP x, ps::Values<double>& values) {
  if (TYPEOF(x) == REALSXP)
    values.look_at(REAL_RO(x), static_cast<std::size_t>(Rf_xlength(x)));
  else
    values = ps::Values<double>(to_std<double>(x));
}

}  // namespace

ps::ModelKind to_kind(const Rcpp::List& spec) {
  ps::ModelKind kind;
  kind.name = Rcpp::as<std::string>(spec["family"]);
  if (kind.name == "normal_mixture") {
    kind.K = Rcpp::as<int>(spec["K"]);
    kind.sigma_floor = Rcpp::as<double>(spec["sigma_floor"]);
  }
  if (kind.name == "categorical") kind.K = Rcpp::as<int>(spec["K"]);
  if (kind.name == "student_t") kind.df = Rcpp::as<double>(spec["df"]);
  ps::visit_family(kind, [](const auto&) {});
  return kind;
}

int n_components(const Rcpp::List& spec) {
  const ps::ModelKind kind = to_kind(spec);
  return kind.name == "normal_mixture" ? kind.K : 0;
}

ps::Codes to_codes(SEXP x) {
  ps::Codes codes;
  const auto n = static_cast<std::size_t>(Rf_xlength(x));
  if (TYPEOF(x) == RAWSXP) {
    codes.look_at(RAW_RO(x), n);
  } else if (TYPEOF(x) == INTSXP) {
    codes.look_at(INTEGER_RO(x), n);
  } else {
    codes = ps::Codes(to_std<int>(x));
  }
  return codes;
}

ps::Predictors to_predictors(const Rcpp::List& spec, int n_records) {
  ps::Predictors x;
  x.n_records = n_records;
  x.n_columns = Rcpp::as<int>(spec["n_columns"]);
  x.intercept = Rcpp::as<bool>(spec["intercept"]);
  x.codes = to_codes(spec["codes"]);
  x.n_levels = to_std<int>(spec["n_levels"]);
  x.factor_column = to_std<int>(spec["factor_column"]);
  look_at(spec["numeric"], x.numeric);
  x.numeric_column = to_std<int>(spec["numeric_column"]);
  if (spec.containsElementNamed("offset") && !Rf_isNull(spec["offset"]))
    look_at(spec["offset"], x.offset);
  return x;
}

namespace {

bool has_several_predictors(const Rcpp::List& spec) {
  return ps::visit_family(to_kind(spec), [](const auto& family) {
    using Family = std::decay_t<decltype(family)>;
    return std::is_same_v<Family, ps::NormalMixture> ||
           std::is_same_v<Family, ps::Categorical>;
  });
}

ps::Predictors predictors_of_family(const Rcpp::List& spec, int n_records) {
  ps::Predictors x = to_predictors(spec, n_records);
  if (has_several_predictors(spec) && !x.offset.empty())
    Rcpp::stop("An offset is for one linear predictor.");
  return x;
}

}  // namespace

ps::Records to_rows(const Rcpp::List& spec) {
  ps::Records rows;
  const SEXP y = spec["y"];
  rows.design =
      ps::Design(predictors_of_family(spec, static_cast<int>(Rf_xlength(y))));
  return rows;
}

ps::Records to_records(const Rcpp::List& spec) {
  ps::Values<double> y, alpha;
  look_at(spec["y"], y);
  look_at(spec["alpha"], alpha);
  ps::Censor censor;
  if (spec.containsElementNamed("censor") && !Rf_isNull(spec["censor"])) {
    const Rcpp::List rule = spec["censor"];
    censor.active = true;
    censor.lower = Rcpp::as<double>(rule["lower"]);
    censor.upper = Rcpp::as<double>(rule["upper"]);
    censor.centre = to_std<double>(rule["centre"]);
  }
  for (const double weight : alpha) {
    if (!(weight >= 0.0 && weight <= 1.0))
      Rcpp::stop("Privacy weights must lie in [0, 1].");
  }
  // A record's survey weight is a part of it: bounds and clips see the product.
  if (spec.containsElementNamed("survey") && !Rf_isNull(spec["survey"])) {
    const std::vector<double> survey = to_std<double>(spec["survey"]);
    if (survey.size() != alpha.size())
      Rcpp::stop("Expected a survey weight for each record.");
    std::vector<double> exponent(alpha.begin(), alpha.end());
    for (std::size_t i = 0; i < survey.size(); ++i) exponent[i] *= survey[i];
    alpha = ps::Values<double>(std::move(exponent));
  }
  const ps::Predictors x =
      predictors_of_family(spec, static_cast<int>(y.size()));
  return ps::Records(x, ps::View<double>(y.data(), y.size()),
                     ps::View<double>(alpha.data(), alpha.size()), censor);
}

std::unique_ptr<ps::CoefficientPrior> to_prior(const Rcpp::List& spec) {
  const Rcpp::List prior = spec["prior"];
  const std::string kind = Rcpp::as<std::string>(prior["kind"]);
  if (kind == "normal")
    return std::make_unique<ps::NormalPrior>(to_vector(prior["location"]),
                                             to_vector(prior["scale"]));
  if (kind == "level")
    return std::make_unique<ps::LevelPrior>(to_vector(prior["location"]),
                                            to_vector(prior["scale"]));
  if (kind == "hierarchical")
    return std::make_unique<ps::HierarchicalPrior>(
        Rcpp::as<int>(spec["n_columns"]), Rcpp::as<double>(prior["lkj"]),
        Rcpp::as<double>(prior["df"]), Rcpp::as<double>(prior["scale"]));
  if (kind == "shared")
    return std::make_unique<ps::SharedPrior>(
        Rcpp::as<double>(prior["df"]), Rcpp::as<double>(prior["scale"]),
        to_vector(prior["location"]), to_vector(prior["m_scale"]));
  if (kind == "beta_mean")
    return std::make_unique<ps::BetaMeanPrior>(
        Rcpp::as<double>(prior["shape1"]), Rcpp::as<double>(prior["shape2"]));
  Rcpp::stop("Unknown prior '%s'.", kind);
}

namespace {

/// Reads a normal or hierarchical prior; false for any other kind.
bool read_regression_prior(const Rcpp::List& spec, ps::RegressionPrior& out) {
  const Rcpp::List prior = spec["prior"];
  const std::string kind = Rcpp::as<std::string>(prior["kind"]);
  out.location = ps::Vector::Zero(Rcpp::as<int>(spec["n_columns"]));
  out.hierarchical = kind == "hierarchical";
  if (out.hierarchical) {
    out.lkj = Rcpp::as<double>(prior["lkj"]);
    out.tau_df = Rcpp::as<double>(prior["df"]);
    out.tau_scale = Rcpp::as<double>(prior["scale"]);
    if (!(out.lkj > 0.5))
      Rcpp::stop("This sampler needs an LKJ shape above 1/2.");
    return true;
  }
  if (kind != "normal") return false;
  out.location = to_vector(prior["location"]);
  out.scale = to_vector(prior["scale"]);
  return true;
}

}  // namespace

ps::RegressionPrior to_regression_prior(const Rcpp::List& spec) {
  ps::RegressionPrior prior;
  if (!read_regression_prior(spec, prior))
    Rcpp::stop("The Gibbs sampler knows normal and hierarchical priors.");
  return prior;
}

ps::SurrogatePrior to_surrogate_prior(const Rcpp::List& spec) {
  // Priors of other kinds are folded into what the surrogate expands.
  ps::SurrogatePrior prior;
  if (!read_regression_prior(spec, prior)) prior.folded = to_prior(spec);
  if (prior.folded && prior.folded->n_unconstrained() > 0)
    Rcpp::stop("The surrogate sampler does not know this prior.");
  return prior;
}

ps::MixturePrior to_mixture_prior(const Rcpp::List& spec) {
  const Rcpp::List prior = spec["prior"];
  const std::string kind = Rcpp::as<std::string>(prior["kind"]);
  ps::MixturePrior out;
  out.sigma_floor = Rcpp::as<double>(spec["sigma_floor"]);
  out.m0 = to_vector(prior["location"]);
  out.shared = kind == "shared";
  if (out.shared) {
    out.m_scale = to_vector(prior["m_scale"]);
    out.tau_scale = Rcpp::as<double>(prior["scale"]);
    out.tau_df = Rcpp::as<double>(prior["df"]);
  } else if (kind == "normal") {
    out.m_scale = to_vector(prior["scale"]);
  } else {
    Rcpp::stop("The augmentation sampler knows shared and normal priors.");
  }
  return out;
}

std::vector<ps::CellRange> cut_cells(const ps::Records& records, int size) {
  std::vector<ps::CellRange> blocks;
  const int n = records.n_cells();
  const int parts = std::max(1, (n + size - 1) / size);
  for (int p = 0; p < parts; ++p)
    blocks.push_back(
        {static_cast<int>(static_cast<long long>(n) * p / parts),
         static_cast<int>(static_cast<long long>(n) * (p + 1) / parts)});
  return blocks;
}

ps::DrawMatrix to_draws(const Rcpp::NumericMatrix& draws,
                        const ps::Records& records, const ps::ModelKind& kind) {
  const int expected = ps::visit_family(kind, [&](const auto& family) {
    return records.design.n_columns() * ps::n_predictors(family) +
           ps::n_extras(family);
  });
  if (draws.ncol() != expected)
    Rcpp::stop("Expected draws with %d columns, not %d.", expected,
               draws.ncol());
  if (draws.nrow() < 1) Rcpp::stop("Expected at least one draw.");
  return ps::DrawMatrix{draws.begin(), draws.nrow(), draws.ncol()};
}

std::uint64_t to_seed(const Rcpp::NumericVector& words) {
  if (words.size() != 2) Rcpp::stop("A seed has two 32-bit words.");
  return (static_cast<std::uint64_t>(words[0]) << 32) |
         static_cast<std::uint64_t>(words[1]);
}

}  // namespace binding
