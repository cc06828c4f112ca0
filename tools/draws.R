# Prints a hash of what fits, bounds, releases, sets and audits of fixed seeds
# hold, and the processor seconds of each: every family under every sampler that
# suits it, plain, weighted and censored. A change to the core that is to change
# no draw has the same hashes as before it, at the same compiler flags:
#
#   R_LIBS=before Rscript tools/draws.R > before.txt
#   R_LIBS=after  Rscript tools/draws.R > after.txt
#   diff <(cut -d' ' -f1-2 before.txt) <(cut -d' ' -f1-2 after.txt)
#
# An argument is a regular expression: the names of what is made.

suppressPackageStartupMessages(library(pseudosynth))
helpers <- asNamespace("pseudosynth")
helpers <- new.env(parent = helpers)
for (name in c("nightly", "hooks", "fit", "family", "file", "file_plan")) {
  sys.source(sprintf("tests/testthat/helper-%s.R", name), helpers)
}

# Numbers and words of any depth, without what the clock or the call says
hashed <- function(x) {
  plain <- function(value, name) {
    if (is.function(value) || is.environment(value) || is.language(value) ||
      name %in% c("seconds", "time", "version", "id")) {
      return(NULL)
    }
    if (!is.list(value)) {
      return(as.vector(value))
    }
    # The classes of one's own packages have methods for `[[`
    value <- unclass(value)
    names <- names(value)
    if (is.null(names)) names <- rep("", length(value))
    Map(plain, value, names)
  }
  substr(rlang::hash(plain(x, "")), 1, 12)
}

asked <- c(commandArgs(trailingOnly = TRUE), "")[1]

say <- function(name, expr) {
  if (!grepl(asked, name)) {
    return(invisible())
  }
  started <- sum(proc.time()[1:2])
  value <- tryCatch(
    suppressMessages(suppressWarnings(hashed(force(expr)))),
    pseudosynth_error = function(e) {
      message(name, ": ", cli::ansi_strip(conditionMessage(e)))
      "refused"
    }
  )
  if (value != "refused") {
    seconds <- sum(proc.time()[1:2]) - started
    cat(sprintf("%s %s %.2f\n", name, value, seconds))
  }
}

evalq(envir = helpers, {
  responses <- list(
    gaussian = list(heavy ~ group + x, gaussian_family()),
    lognormal = list(part ~ group + x, lognormal()),
    student_t = list(heavy ~ group + x, student_t(5)),
    normal_mixture = list(heavy ~ group + x, normal_mixture(3)),
    poisson = list(count ~ group + x, as_synth_family("poisson")),
    neg_binomial = list(count ~ group + x, neg_binomial()),
    beta_response = list(part ~ group + x, beta_response(c(0, 60))),
    bernoulli = list(yes ~ group + x, bernoulli()),
    categorical = list(
      group ~ x, categorical(),
      response = public_response(levels = c("a", "b", "c"))
    )
  )
  priors <- list(default = NULL, normal = prior_normal(1))
  samplers <- c("gibbs", "augmentation", "grid", "surrogate", "nuts")
  weights <- withr::with_seed(6, stats::runif(80))
  # Of a fit: all that the core made of it
  parts <- function(fit) {
    fit[c("draws", "hyper", "state", "bound", "sampler", "diagnostics")]
  }
  drawn <- function(case, formula = case[[1]], ...) {
    arguments <- c(
      list(formula, family_data(), case[[2]], ..., warmup = 150, draws = 200),
      case[-(1:2)]
    )
    do.call(quick_fit, arguments)
  }
})

helpers$say <- say
evalq(envir = helpers, {
  for (family in names(responses)) {
    case <- responses[[family]]
    for (sampler in samplers) {
      control <- sampler_control(sampler = sampler)
      formula <- case[[1]]
      # The grid takes two parameters
      if (sampler == "grid") formula <- stats::update(formula, . ~ 1)
      for (prior in names(priors)) {
        label <- paste(family, sampler, prior, sep = "/")
        call <- function(...) {
          drawn(
            case, formula,
            control = control, prior = priors[[prior]], ...
          )
        }
        say(paste0(label, "/plain"), parts(call()))
        say(paste0(label, "/weighted"), parts(call(privacy_weights = weights)))
        if (sampler %in% c("grid", "surrogate", "nuts")) {
          say(paste0(label, "/censored"), parts(call(censor = censor(4))))
        }
      }
    }
    delayedAssign("fit", suppressMessages(suppressWarnings(drawn(case))))
    say(paste0(family, "/log_lik"), log_lik(fit))
    say(paste0(family, "/weights"), as.double(
      lipschitz_weights(fit, allow_unconverged = TRUE)
    ))
    say(paste0(family, "/sets"), synthesize(
      fit,
      m = 3, seed = 3, allow_unconverged = TRUE
    )$sets)
  }

  say("bounds/audit", audit_guarantee(
    heavy ~ 1, family_data(8), student_t(5),
    mechanism = "lw"
  ))
  risky <- simulated()
  fit <- quick_fit(y ~ group, risky)
  say("risk", identification_risk(
    synthesize(fit, m = 3, seed = 5), risky,
    known = "group", radius = 0.2
  ))
  for (neighbours in c("add-remove", "replace")) {
    of <- function(plan, ...) {
      release <- file_release(plan, 2, neighbours = neighbours, seed = 7, ...)
      list(release, synthesize(release, m = 2, seed = 8)$sets)
    }
    say(paste0("file/people/", neighbours), of(people_plan()))
    say(paste0("file/parts/", neighbours), of(parts_plan()))
    say(paste0("file/houses/", neighbours), of(household_plan()))
    say(paste0("score/", neighbours), {
      release <- score_release(
        log(income) ~ sex + age, people(), student_t(5),
        epsilon = 2, neighbours = neighbours, bounds = c(1, 2e6), seed = 9,
        reference = list("(Intercept)" = 10.8, sigma = 1)
      )
      list(release, synthesize(release, people(), m = 2, seed = 10)$sets)
    })
    say(paste0("histogram/", neighbours), perturbed_histogram(
      log(people()$income),
      bounds = c(0, 15), epsilon = 1, neighbours = neighbours, seed = 11
    ))
  }
  say("sequence/unweighted", {
    synthesize_file(people_plan(people(200)), m = 2, seed = 12)$sets
  })
  say("sequence/lw", synthesize_file(
    people_plan(people(200)), "lw",
    m = 2, seed = 12, warmup = 100, draws = 100, chains = 2,
    allow_unconverged = TRUE
  )$sets)
})
