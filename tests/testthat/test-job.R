reference <- list("(Intercept)" = 10.8, sigma = 1)

refused <- function(arg, ..., match = NULL, formula = log(income) ~ age,
                    data = privacy_data(), family = gaussian()) {
  expect_early(
    pseudo_posterior(formula, data, family, ...), arg, match,
    quote(pseudo_posterior())
  )
}

test_that("fits are counted", {
  found <- count_fits(pseudo_posterior(
    log(income) ~ age, privacy_data(), gaussian(),
    mechanism = "unweighted", prior = prior_normal(), chains = 2,
    warmup = 200, draws = 500, seed = 1, threads = 1
  ))
  expect_null(found$error)
  expect_identical(found$fits, 1)
})

test_that("the call of a job is short", {
  expect_lte(length(formals(pseudo_posterior)), 14)
})

test_that("what a mechanism needs is asked for", {
  refused(
    "epsilon", mechanism = "scalar", match = "solved for this epsilon"
  )
  refused("epsilon", mechanism = "censor_uw", match = "is censored to")
  refused("epsilon", mechanism = "weighted_e")
  refused("radius", mechanism = "cw", match = "policy choice")
  refused("radius", mechanism = "risk")
  refused("rule", mechanism = "frozen", epsilon = 1)
  refused("reference", mechanism = "centred", epsilon = 1)
  refused("weight_range", mechanism = "two_stage", epsilon = 1)
})

test_that("what nothing takes is refused with who takes it", {
  refused("radius",
    mechanism = "lw", radius = 0.2,
    match = "is an argument of \"cw\", \"cw_final\", and \"risk\""
  )
  refused("quantile", mechanism = "censor_uw", epsilon = 1, quantile = 0.9)
  refused("c", mechanism = "lw", c = 1, match = "call `c` is `scale`")
  refused("g", mechanism = "lw", g = 1, match = "call `g` is `shift`")
  refused("sclae", mechanism = "lw", sclae = 1, match = "mean `scale`")
  refused("warmpu", mechanism = "lw", warmpu = 1, match = "mean `warmup`")
  refused("censor", mechanism = "lw", censor = censor(1), match = "is made by")
  refused("privacy_weights", mechanism = "lw", privacy_weights = 1)
  refused("scale",
    mechanism = mechanism("lw"), scale = 0.5, match = "where you make the mech"
  )
  refused("...", mechanism = "lw", epsilon = 1, m = 1, 0.5)
  refused("scale", mechanism = "lw", scale = 1, scale = 2)
})

test_that("a refusal never prints the value of an argument", {
  data <- privacy_data()
  error <- expect_error(
    pseudo_posterior(
      log(income) ~ age, data, gaussian(),
      mechanism = "lw", survey_weights = data$income
    ),
    class = "pseudosynth_error_input"
  )
  expect_no_match(conditionMessage(error), format(data$income[1]))
  expect_identical(count_held(conditionCall(error), data$income), 0L)
})

test_that("an argument that is NULL is as if it were left out", {
  data <- privacy_data()
  sorted <- sort_arguments(
    list(radius = NULL, scale = 2), mechanisms_with("stages")["lw"]
  )
  expect_identical(sorted$settings, list(scale = 2))
})

test_that("the margin is checked before the first fit", {
  margin <- function(arg, ...) {
    refused(arg,
      mechanism = "centred", epsilon = 1, reference = reference, ...
    )
  }
  margin("bins", bounds = c(10, 2e6), bins = 1)
  margin("bounds", bins = 30)
  margin("bounds", margin_share = 0.2)
  margin("bounds", bounds = c(0, 2e6))
  margin("bounds", bounds = range(privacy_data()$income))
  margin("share", bounds = c(10, 2e6), margin_share = 1)
  margin("margin", margin = c(10, 2e6))
  margin("margin", margin = margin_histogram(c(1, 9)), bounds = c(10, 2e6))
  refused("margin", mechanism = "lw", bounds = c(10, 2e6), bins = 30)
  refused("epsilon",
    mechanism = "centred", epsilon = 1e-7, reference = reference,
    bounds = c(10, 2e6)
  )
  refused("margin",
    mechanism = "censor_uw", epsilon = 1, bounds = c(0, 1),
    formula = earner ~ age, family = bernoulli()
  )
})

test_that("file, model and run are checked before the first fit", {
  refused("formula", mechanism = "lw", formula = log(income) ~ nobody)
  refused("formula", mechanism = "lw", formula = log(nothing) ~ age)
  refused("data", mechanism = "lw", data = list())
  refused("family", mechanism = "lw", family = "gauss")
  refused("data", mechanism = "lw", formula = earner ~ age, family = poisson())
  refused("prior", mechanism = "lw", prior = 3)
  refused("chains", mechanism = "lw", chains = 0)
  refused("sampler",
    mechanism = "lw", control = sampler_control("augmentation")
  )
  refused("sampler",
    mechanism = "censor_uw", epsilon = 1, control = sampler_control("gibbs")
  )
  refused("m", mechanism = "lw", m = 201, chains = 1, draws = 200)
  refused("m", mechanism = "lw", m = 101, chains = 1, draws = 200,
    quantile = 0.5
  )
  refused("risk_sets", mechanism = "risk", radius = 0.1, risk_sets = 1e5)
  refused("known", mechanism = "cw", radius = 0.1, known = "nothing")
  refused("known", mechanism = "risk", radius = 0.1, known = "income")
  refused("neighbours", mechanism = "lw", neighbours = "replace-one")
  refused("seed", mechanism = "lw", seed = -1)
  refused("epsilon", mechanism = "unweighted", epsilon = 1)
})

test_that("references and rules are met by the model before the first fit", {
  refused("reference",
    mechanism = "centred", epsilon = 1, reference = list(sigma = 0)
  )
  refused("reference",
    mechanism = "centred", epsilon = 1, reference = list(slope = 1)
  )
  refused("window",
    mechanism = "two_stage", epsilon = 1, weight_range = c(1, 3), window = 2
  )
  counts <- transform(privacy_data(), visits = seq_along(income) %% 7)
  refused("window",
    mechanism = "centred", epsilon = 1, reference = list("(Intercept)" = 1),
    formula = visits ~ age, data = counts, family = poisson()
  )
  rule <- freeze(count_weights("income", privacy_data(), radius = 0.1))
  refused("newdata",
    mechanism = "frozen", epsilon = 1, rule = rule,
    formula = visits ~ age, data = counts[c("visits", "age")],
    family = poisson()
  )
})

test_that("a job is one line and never its file", {
  job <- new_job(
    log(income) ~ age, privacy_data(), gaussian(), list(), "add-remove", NULL,
    FALSE
  )
  job <- assign_mechanism(job, mechanism("censor_uw"), 2)
  expect_output(print(job), "150 records: mechanism \"censor_uw\"")
  expect_output(print(job), "not for release")
  expect_length(capture.output(print(job)), 2)
})

test_that("strict mechanisms need the labels of the response to be stated", {
  data <- withr::with_seed(1, data.frame(
    health = factor(sample(c("poor", "average", "good"), 200, TRUE)),
    smokes = factor(sample(c("no", "yes"), 200, TRUE)),
    gender = factor(sample(c("f", "m"), 200, TRUE))
  ))
  book <- ledger(withr::local_tempfile(), epsilon = 5, delta = 1e-6)
  levels <- function(...) public_response(levels = c(...))
  crude <- list("(Intercept)" = 0)
  job <- function(formula, family, mechanism, ...) {
    pseudo_posterior(formula, data, family,
      mechanism = mechanism, epsilon = 1, m = 3, chains = 2, warmup = 100,
      draws = 100, ...
    )
  }
  said <- 0
  for (run in list(
    quote(job(health ~ gender, categorical(), "score")),
    quote(job(health ~ gender, categorical(), "score", ledger = book)),
    quote(job(smokes ~ gender, bernoulli(), "score", reference = crude)),
    quote(job(smokes ~ gender, bernoulli(), "centred", reference = crude)),
    quote(job(smokes ~ gender, bernoulli(), "censor_uw", ledger = book)),
    quote(job(health ~ gender, categorical(), "censor_uw")),
    quote(job(smokes ~ gender, bernoulli(), "two_stage",
      weight_range = c(0.5, 1)
    ))
  )) {
    error <- withCallingHandlers(
      expect_error(eval(run), class = "pseudosynth_error_unstated"),
      message = function(m) said <<- said + 1
    )
    expect_match(
      conditionMessage(error), "response = public_response(levels = ",
      fixed = TRUE
    )
  }
  expect_identical(said, 0)
  expect_identical(nrow(as.data.frame(book)), 0L)
  made <- suppressWarnings(job(
    health ~ gender, categorical(), "score",
    response = levels("poor", "average", "good"), ledger = book
  ))
  expect_identical(guarantee(made)$label, "strict")
})
