# The same block of facts for every weighting scheme, whoever wrote it.
#
# A case is a list:
#   weights  named list of functions of a context (below): the scheme's weights
#            of its file, one for each way to make them
#   files    function of a context and the name of such a way: the files that
#            a rule made from the weights holds
#   again    function of data: the weights of another file, for schemes whose
#            weights depend on other records boundedly
#   definition  for a scheme without one in helper-definitions.R
#   bad      list of functions of a context that must be refused

# A file, an unweighted fit of it, and a history of other records.
conformance_context <- function(name, formula, data, history, family, prior) {
  fit_to <- function(data, seed, ...) {
    suppressWarnings(fit_synthesizer(
      formula, data, family,
      prior = prior, chains = 2, warmup = 200, draws = 500, seed = seed, ...
    ), classes = "pseudosynth_warning_convergence")
  }
  remember(paste0("conformance_", name), list(
    name = name, data = data, history = history, fit = fit_to(data, 1),
    past = fit_to(history, 2)
  ))
}

usual_context <- function() {
  conformance_context(
    "usual", log(income) ~ age, privacy_data(60)[c("income", "age")],
    current_data()[1:50, c("income", "age")], gaussian(),
    prior_normal(1, c(10.8, 2.5))
  )
}

# Two clusters and an outlier: the file on which weights have failed most
worst_context <- function() {
  conformance_context(
    "worst", y ~ 1, worst_case_data("clusters", n = 24),
    data.frame(y = withr::with_seed(7, stats::rbeta(30, 2, 2))),
    beta_response(c(0, 1)), NULL
  )
}

# Weights put into a fit without sampling again: labels and exact audits read
# the model, the weights and the clip, not the draws.
labelled_fit <- function(fit, weights, clip = NULL) {
  fit$privacy_weights <- weights
  fit$censor <- if (!is.null(clip)) resolve_censor(censor(clip), fit$family)
  fit$converged <- TRUE
  fit$spec <- weighted_spec(fit$spec, fit, weights, fit$censor)
  seal(fit)
}

expect_conforms <- function(name, case) {
  scheme <- weighting_schemes()[[name]]
  expect_s3_class(scheme, "weighting_scheme")
  expect_identical(scheme$name, name)
  expect_output(print(scheme), name)
  definitions <- c(
    scheme_definitions, stats::setNames(list(case$definition), name)
  )
  expect_true(is.null(scheme$rule) || is.function(definitions[[name]]))
  for (context in list(usual_context(), worst_context())) {
    # By day the first way to make them, and the last of the worst file
    variants <- names(case$weights)
    ends <- c(variants[1], variants[length(variants)])
    variants <- by_night(
      variants, if (context$name == "usual") ends[1] else unique(ends)
    )
    for (variant in variants) {
      weights <- case$weights[[variant]](context)
      info <- paste(name, variant, context$name)
      node <- node_of(weights)
      expect_identical(node$scheme, name, info = info)
      expect_names(weights, info)
      expect_saved(weights, name, info)
      expect_rule(weights, context, info, definitions)
      expect_own(weights, context, info)
      expect_marks(node, case$files(context, variant), context, info)
      expect_scaling(weights, context, info)
      expect_replay(weights, context, info)
      expect_within_label(weights, context, info)
    }
    for (bad in case$bad) {
      expect_error(bad(context), class = "pseudosynth_error")
    }
  }
  expect_floor(name, case)
}

# Names, prints and labels -----------------------------------------------------

expect_names <- function(weights, info) {
  for (text in c(
    scheme_word(weights), scheme_title(weights), scheme_short(weights)
  )) {
    expect_true(nzchar(text) && !is.na(text), info = info)
  }
  expect_match(scheme_word(weights), "^[a-z_]+$", info = info)
  shown <- paste(capture.output(print(weights)), collapse = " ")
  expect_match(shown, "Privacy weights: ", info = info)
  # A public number is no secret
  public <- node_of(weights)$scheme == public_scalar_scheme()$name
  expect_identical(grepl("not for release", shown), !public, info = info)
  expect_length(format(weights), length(weights))
  inputs <- scheme_inputs(weights)
  expect_true(is.null(inputs) || identical(names(inputs), "weights"))
}

# Saved weights keep their scheme; edited ones are of unknown origin
expect_saved <- function(weights, name, info) {
  path <- withr::local_tempfile()
  saveRDS(weights, path)
  expect_identical(node_of(readRDS(path))$scheme, name, info = info)
  lower <- weights
  lower[] <- as.double(weights) * 0.99
  edits <- list(
    pmin(weights, max(weights) * 0.9), pmax(weights, 0.5 + min(weights) / 2),
    structure(weights, arguments = list(alpha = 0.123)),
    structure(weights, scheme = "unheard_of"),
    structure(weights, made_from = "x"),
    structure(weights, basis = list(alpha = 0.4)),
    `attributes<-`(lower, attributes(weights))
  )
  for (edit in edits) {
    expect_identical(node_of(edit)$scheme, "user", info = info)
    expect_identical(dependency_of(edit)$kind, "unknown", info = info)
    again <- as_privacy_weights(edit, length(edit))
    expect_identical(attr(again, "scheme"), "user", info = info)
  }
}

# The rule ---------------------------------------------------------------------

expect_rule <- function(weights, context, info,
                        definitions = scheme_definitions) {
  node <- node_of(weights)
  if (!is.null(why_not_freezable(node))) {
    expect_error(freeze(weights), class = "pseudosynth_error_not_freezable")
    return(invisible())
  }
  alpha <- rep_len(as.double(weights), nrow(context$data))
  rule <- freeze(weights)
  expect_output(print(rule), "Weight rule")
  expect_identical(rule_values(node, context$data), alpha, info = info)
  expect_identical(as.double(predict(rule, context$data)), alpha, info = info)
  if (!is.null(definitions[[node$scheme]])) {
    expect_equal(
      defined_values(node, context$data, definitions), alpha,
      tolerance = 1e-9, info = info
    )
  }
  one <- context$data[3, , drop = FALSE]
  expect_identical(as.double(predict(rule, one)), alpha[3], info = info)
  expect_error(predict(rule, one[0, ]), class = "pseudosynth_error_input")
  expect_error(predict(rule, 1), class = "pseudosynth_error_input")
  columns <- columns_read(node)
  expect_true(all(unlist(columns) %in% names(context$data)), info = info)
}

# A weight that depends on its own record is that of any file with the record
expect_own <- function(weights, context, info) {
  kind <- dependency_of(weights)$kind
  expect_true(kind %in% dependency_kinds, info = info)
  if (kind != "own record") {
    return(invisible())
  }
  node <- node_of(weights)
  data <- context$data
  all <- rule_values(node, data)
  response <- context$fit$response$name
  for (i in c(1, 7, nrow(data))) {
    expect_identical(
      rule_values(node, data[-i, , drop = FALSE]), all[-i],
      info = info
    )
    changed <- data
    changed[[response]][i] <- mean(data[[response]])
    expect_identical(rule_values(node, changed)[-i], all[-i], info = info)
  }
}

# What other files than the records' own say of weights, marks must say, too
expect_marks <- function(node, files, context, info) {
  response <- context$fit$response$name
  marks <- vapply(files, file_mark, "", variable = response)
  found <- node_marks(node)
  if (node$scheme != "user") {
    expect_setequal(found, unname(marks))
  } else {
    expect_true(anyNA(found), info = info)
  }
  # Whatever holds draws, values or records of a file names it
  parts_of <- function(node) {
    c(list(node), unlist(lapply(node$of, parts_of), recursive = FALSE))
  }
  for (part in parts_of(node)) {
    holds <- intersect(names(part$basis), c("model", "values", "history"))
    expect_true(length(holds) == 0 || length(part$made_from) > 0, info = info)
    if (length(holds) > 0) expect_false(anyNA(part$made_from), info = info)
  }
}

# Public numbers scale weights and make nothing better -------------------------

expect_scaling <- function(weights, context, info) {
  scaled <- scale_weights(weights, 0.5, 0.1)
  twice <- scale_weights(scaled, 0.9, -0.05)
  alpha <- as.double(weights)
  expect_identical(as.double(scaled), clamp(0.5 * alpha + 0.1), info = info)
  expect_identical(
    as.double(twice), clamp(0.9 * clamp(0.5 * alpha + 0.1) - 0.05),
    info = info
  )
  rank <- function(w) match(dependency_of(w)$kind, dependency_kinds)
  # A floor that is stated gives a bound; it comes from no file
  if (dependency_of(scaled)$kind != "bounded") {
    expect_gte(rank(scaled), rank(weights))
  }
  expect_identical(dependency_of(twice)$claims, dependency_of(weights)$claims)
  expect_identical(
    dependency_of(twice)$charges, dependency_of(weights)$charges
  )
  expect_output(print(twice), "Privacy weights")
  node <- node_of(twice)
  if (is.null(why_not_freezable(node))) {
    expect_identical(
      rule_values(node, context$data),
      rep_len(as.double(twice), nrow(context$data)),
      info = info
    )
  }
}

# Other records ----------------------------------------------------------------

expect_replay <- function(weights, context, info) {
  fit <- labelled_fit(context$fit, as_privacy_weights(
    weights, nrow(context$data)
  ))
  records <- records_without(fit, 5)
  runs <- 0
  run <- function(weights, stage) {
    runs <<- runs + 1
    suppressWarnings(
      fit_synthesizer(
        fit$formula, records$data, fit$family,
        prior = fit$prior, privacy_weights = weights, chains = 2,
        warmup = 100, draws = 200, seed = stage
      ),
      classes = "pseudosynth_warning_convergence"
    )
  }
  node <- node_of(fit$privacy_weights)
  if (!can_be_made_again(node)) {
    expect_error(
      replay_node(node, records, run),
      class = "pseudosynth_error_input"
    )
    return(invisible())
  }
  again <- replay_node(node, records, run)
  again <- as_privacy_weights(again, nrow(records$data))
  expect_length(again, nrow(context$data) - 1)
  expect_identical(
    stated_schemes(node_of(again)), stated_schemes(node),
    info = info
  )
  if (dependency_of(weights)$kind == "own record") {
    expect_identical(
      as.double(again), as.double(fit$privacy_weights)[-5],
      info = info
    )
    expect_identical(runs, 0, info = info)
  }
}

can_be_made_again <- function(node) {
  !is.null(scheme_of(node)$replay) || dependency_of(node)$kind == "own record"
}

stated_schemes <- function(node) {
  c(node$scheme, unlist(lapply(node$of, stated_schemes)))
}

# Loss -------------------------------------------------------------------------

# Clipped, what is proven must hold for every neighbour of a file that is built
# to break it; what is not proven must not be called strict.
expect_within_label <- function(weights, context, info) {
  weights <- as_privacy_weights(weights, nrow(context$data))
  fit <- labelled_fit(context$fit, weights, clip = 1)
  label <- guarantee(fit)
  proven <- dependency_of(weights)$kind %in% c("own record", "bounded")
  expect_identical(label$label == "strict", proven, info = info)
  expect_true(jsonlite::validate(to_json(label)), info = info)
  expect_true(nzchar(format(label)), info = info)
  plain <- guarantee(labelled_fit(context$fit, weights))
  expect_false(plain$label == "strict", info = info)
  if (!dependency_of(weights)$claims) {
    expect_identical(plain$label, "none", info = info)
  }
  if (context$name != "worst") {
    return(invisible())
  }
  # An audit's neighbours have no weights that were given by hand
  given <- dependency_of(weights)$kind == "unknown"
  if (given || !can_be_made_again(node_of(weights))) {
    expect_error(
      audit_guarantee(fit, cells = 900, remove = 1, replacements = 0),
      class = "pseudosynth_error_input"
    )
    return(invisible())
  }
  # By day what is proven is enough
  if (!proven && !is_nightly()) {
    return(invisible())
  }
  audit <- audit_guarantee(
    fit,
    cells = if (proven) by_night(2500, 1600) else 1600,
    remove = if (proven) c(1, 12, 24) else 1,
    replacements = if (proven) by_night(8, 4) else 0
  )
  expect_equal(
    audit$worst$claim, unname(label$epsilon$total[audit$worst$neighbours]),
    info = info
  )
  if (proven) {
    expect_true(
      all(audit$worst$loss <= audit$worst$claim * (1 + 1e-9)),
      info = info
    )
  }
}

# The factors of a floor, by brute force over all neighbours of small files
expect_floor <- function(name, case) {
  floors <- Filter(function(make) {
    dependency_of(make(worst_context()))$kind == "bounded"
  }, case$weights)
  if (length(floors) == 0) {
    return(invisible())
  }
  expect_true(is.function(case$again), info = name)
  ys <- c(1, 1.1, 1.2, 5, 5.5, 100)
  files <- list(
    ys, rep(2, 5), c(rep(2, 6), 9), c(1:8) / 3, withr::with_seed(1, rexp(9))
  )
  spent <- function(x, y, own) {
    own + sum(1 - pmin(x, y) / pmax(x, y))
  }
  for (y in files) {
    w <- case$again(data.frame(y = y))
    factor <- dependency_of(w)$factor
    for (i in seq_along(y)) {
      without <- case$again(data.frame(y = y[-i]))
      expect_lte(
        spent(w[-i], as.double(without), 1),
        max(factor[[1]], dependency_of(without)$factor[[1]]) + 1e-12
      )
      for (value in c(ys, 0, -3)) {
        other <- y
        other[i] <- value
        changed <- case$again(data.frame(y = other))
        expect_lte(spent(w[-i], changed[-i], 2), factor[[2]] + 1e-12)
      }
    }
  }
}
