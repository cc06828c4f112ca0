# A kind of source that the package does not have: one definition, one line.

coin_source <- function() {
  new_source(
    refuses = list(margin = c(
      "{.arg margin} is for models.", x = "{.arg fit} is a coin."
    )),
    rows = function(x, asked) {
      check_newdata(asked$newdata, "coin")
      name <- x$response$name
      columns <- c(name, setdiff(names(asked$newdata), name))
      rows_of_newdata(asked$newdata, columns, name)
    },
    label = function(x, asked, rows) {
      new_privacy_guarantee(
        list(label = "strict", reasons = "The count of yes is noisy."),
        mechanism = "coin", title = "noisy count", what = "synthetic data",
        paid = charge(x$id, "noisy count", by_relation(0.5)), m = asked$m,
        n_records = rows$n, unit = x$response$name,
        public_inputs = c(response = x$response$name),
        reproducible = is_seeded(asked$seed), public = TRUE
      )
    },
    draw = function(x, asked, rows) {
      words <- seed_words(asked$seed, "coin")
      values <- vapply(seq_len(asked$m), function(j) {
        as.double(uniforms_(rows$n, words, j) < x$share)
      }, numeric(rows$n))
      list(values = values, margin = NULL, combine = "reiter")
    }
  )
}

a_coin <- function() {
  data <- data.frame(y = 0:1)
  structure(
    list(
      response = new_response(y ~ 1, data, as_synth_family(bernoulli())),
      share = 0.25, id = new_charge_id()
    ),
    class = "coin"
  )
}

local_coins <- function(frame = parent.frame()) {
  local_listed("sources", list(coin = coin_source()), frame)
}

test_that("a new kind of source is one definition and one line", {
  local_coins()
  coin <- a_coin()
  people <- data.frame(town = rep(c("a", "b"), 2000))
  sets <- synthesize(coin, 2, newdata = people)
  expect_named(sets[[1]], c("y", "town"))
  expect_equal(mean(sets[[1]]$y), 0.25, tolerance = 0.15)
  expect_false(identical(sets[[1]], sets[[2]]))
  expect_identical(guarantee(sets)$label, "strict")
  expect_identical(sets$columns$name, "y")
  again <- synthesize(coin, 2, newdata = people, seed = 3)
  expect_true(guarantee(again)$reproducible)
  expect_identical(again, synthesize(coin, 2, newdata = people, seed = 3))
  # The ledger knows what is paid
  book <- ledger(withr::local_tempfile(), epsilon = 0.6)
  synthesize(coin, 1, newdata = people, ledger = book)
  synthesize(coin, 3, newdata = people, ledger = book)
  expect_equal(as.data.frame(book)$spent, c(0.5, 0.5))
  expect_error(
    synthesize(a_coin(), newdata = people, ledger = book),
    class = "pseudosynth_error_budget"
  )
})

test_that("what a source refuses is refused for it", {
  local_coins()
  coin <- a_coin()
  people <- data.frame(town = rep(c("a", "b"), 20))
  expect_error(synthesize(coin), class = "pseudosynth_error_input")
  error <- tryCatch(
    synthesize(coin, newdata = people, margin = 1),
    error = identity
  )
  expect_match(conditionMessage(error), "is a coin")
  expect_identical(error$arg, "margin")
  people$y <- rep(0:1, each = 20)
  people$copy <- people$y
  expect_error(
    synthesize(coin, newdata = people),
    class = "pseudosynth_error_copied_response"
  )
})

test_that("anything else is no source", {
  error <- tryCatch(synthesize(a_coin()), error = identity)
  expect_s3_class(error, "pseudosynth_error_input")
  expect_identical(error$arg, "fit")
})
