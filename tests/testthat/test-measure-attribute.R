small_files <- function() {
  list(
    file = data.frame(
      k = c("a", "a", "b", "b", "c", "d"), v = c(1, 1, 1, 2, 3, 1)
    ),
    set = data.frame(
      k = c("a", "a", "b", "b", "c", "e"), v = c(1, 1, 2, 2, 2, 1)
    )
  )
}

test_that("the shares are those of the definitions", {
  x <- small_files()
  found <- risk(x$set, x$file, "k", "v")
  expect_equal(unlist(found$overall), c(
    # c and d; the set has c
    unique_file = 2 / 6, unique_in_set = 1 / 6, unique_both = 1 / 6,
    in_set = 5 / 6,
    disclosive_file = 4 / 6, disclosive_set = 5 / 6,
    # both a's; the second b, whose pattern has two values in the file
    disclosive_right = 3 / 6, disclosive_both = 2 / 6,
    attribution = 3 / 6, attribution_file = (1 + 1 + .5 + .5 + 1 + 1) / 6,
    attribution_margin = (4^2 + 1 + 1) / 36
  ))
  expect_equal(found$record$disclosed, c(1, 1, 0, 1, 0, 0))
  expect_equal(found$record$pattern_size, c(2, 2, 2, 2, 1, 1))
  # the file against itself
  itself <- risk(x$file, x$file, "k", "v")
  expect_equal(
    itself$overall[["attribution"]], itself$overall[["attribution_file"]]
  )
  expect_equal(
    itself$overall[["disclosive_right"]],
    itself$overall[["disclosive_file"]]
  )
})

test_that("the shares are those of tables of patterns and values", {
  # As Raab, Nowok and Dibben (2024) write them: sums over the cells of the
  # tables of value by pattern, d of the file and s of the set
  withr::local_seed(4)
  n <- 90
  draw <- function() {
    data.frame(
      g = sample(letters[1:5], n, TRUE), h = sample(1:8, n, TRUE),
      y = sample(c("u", "v", "w"), n, TRUE, c(0.7, 0.2, 0.1))
    )
  }
  file <- draw()
  set <- draw()
  patterns <- as.vector(outer(letters[1:5], 1:8, paste))
  cells <- function(x) {
    table(factor(x$y), factor(paste(x$g, x$h), patterns))
  }
  d <- cells(file)
  s <- cells(set)
  d_q <- colSums(d)
  s_q <- colSums(s)
  one <- function(x) sweep(x, 2, colSums(x), "==") & x > 0
  any_one <- colSums(one(s)) > 0
  guess <- sweep(s, 2, pmax(s_q, 1), "/")
  found <- risk(set, file, c("g", "h"), "y")$overall
  expect_equal(found, c(
    unique_file = sum(d_q == 1), unique_in_set = sum(d_q == 1 & s_q > 0),
    unique_both = sum(d_q == 1 & s_q == 1), in_set = sum(d_q[s_q > 0]),
    disclosive_file = sum(d[one(d)]), disclosive_set = sum(d_q[any_one]),
    disclosive_right = sum(d[one(s)]),
    disclosive_both = sum(d[one(s) & one(d)]),
    attribution = sum(guess * d),
    attribution_file = sum(sweep(d^2, 2, pmax(d_q, 1), "/")),
    attribution_margin = sum(rowSums(d)^2) / n
  ) / n)
})

test_that("two values that the file has not are two values", {
  file <- data.frame(k = c("a", "a", "b", "b"), v = c("u", "u", "u", "w"))
  set <- data.frame(k = c("a", "a", "b", "b"), v = c("x", "z", "x", "x"))
  found <- risk(set, file, "k", "v")$overall
  expect_equal(found[["disclosive_set"]], 2 / 4)
  expect_equal(found[["disclosive_right"]], 0)
})

test_that("a naive loop over records agrees", {
  withr::local_seed(1)
  n <- 120
  draw <- function() {
    data.frame(
      g = factor(sample(letters[1:6], n, TRUE)), h = sample(1:3, n, TRUE),
      y = sample(c("u", "v", "w"), n, TRUE)
    )
  }
  file <- draw()
  sets <- list(draw(), draw())
  found <- risk(sets, file, c("g", "h"), "y")
  loop <- sapply(seq_len(n), function(i) {
    mean(sapply(sets, function(s) {
      same <- s$g == file$g[i] & s$h == file$h[i]
      if (any(same)) mean(s$y[same] == file$y[i]) else 0
    }))
  })
  expect_equal(found$record$attribution, loop)
  expect_equal(nrow(found$set), 2)
  expect_equal(mean(loop), found$overall[["attribution"]])
})

test_that("the order of the rows does not matter, numbers are cut", {
  withr::local_seed(2)
  file <- data.frame(k = sample(1:4, 200, TRUE), y = rnorm(200))
  set <- data.frame(k = sample(1:4, 200, TRUE), y = rnorm(200))
  found <- risk(set, file, "k", "y", intervals = 5)
  expect_equal(found$intervals, 5)
  expect_equal(
    found$overall, risk(
      set[sample(200), ], file, "k", "y",
      intervals = 5
    )$overall
  )
  expect_equal(found$overall[["attribution_margin"]], 0.2, tolerance = 0.01)
  # by hand
  cut5 <- function(y) {
    findInterval(y, quantile(file$y, 1:4 / 5, type = 1), left.open = TRUE)
  }
  by_hand <- mean(sapply(seq_len(200), function(i) {
    mean(cut5(set$y[set$k == file$k[i]]) == cut5(file$y[i]))
  }))
  expect_equal(found$overall[["attribution"]], by_hand)
})

test_that("synthpop finds the same", {
  skip_if_not_installed("synthpop")
  withr::local_seed(3)
  draw <- function() {
    data.frame(
      g = factor(sample(letters[1:9], 150, TRUE)),
      h = factor(sample(1:5, 150, TRUE)),
      y = factor(sample(c("u", "v", "w"), 150, TRUE))
    )
  }
  file <- draw()
  set <- draw()
  synthpop <- asNamespace("synthpop")
  theirs <- synthpop$disclosure(
    set, file,
    keys = c("g", "h"), target = "y", print.flag = FALSE
  )
  ours <- 100 * risk(set, file, c("g", "h"), "y")$overall
  expect_equal(ours[["unique_file"]], theirs$ident$UiO)
  expect_equal(ours[["unique_in_set"]], theirs$ident$UiOiS)
  expect_equal(ours[["unique_both"]], theirs$ident$repU)
  expect_equal(ours[["disclosive_file"]], theirs$attrib$Dorig)
  expect_equal(ours[["in_set"]], theirs$attrib$iS)
  expect_equal(ours[["disclosive_set"]], theirs$attrib$DiS)
  expect_equal(ours[["disclosive_right"]], theirs$attrib$DiSCO)
  expect_equal(ours[["disclosive_both"]], theirs$attrib$DiSDiO)
  expect_equal(ours[["attribution"]], theirs$attrib$DCAP)
  expect_equal(ours[["attribution_file"]], theirs$allCAPs$CAPd)
  expect_equal(ours[["attribution_margin"]], theirs$allCAPs$baseCAPd)
  expect_equal(
    100 * ours[["disclosive_right"]] / ours[["disclosive_set"]],
    theirs$allCAPs$TCAP
  )
  alone <- 100 * risk(set, set, c("g", "h"), "y")$overall
  expect_equal(alone[["unique_file"]], theirs$ident$UiS)
  expect_equal(alone[["disclosive_file"]], theirs$attrib$Dsyn)
  expect_equal(alone[["attribution_file"]], theirs$allCAPs$CAPs)
  as_synds <- structure(
    list(syn = set, m = 1, k = nrow(set), n = nrow(set)), class = "synds"
  )
  found <- replicated_uniques(set, file)
  expect_equal(
    unlist(found[c("unique_file", "unique_set", "in_file", "replicated")]),
    synthpop$replicated.uniques(as_synds, file)$res_tab[, 1],
    ignore_attr = TRUE
  )
})

test_that("replicated uniques are found by value and by row", {
  file <- data.frame(a = c(1, 1, 2, 3, 4), b = c("x", "x", "y", "z", "z"))
  set <- data.frame(a = c(2, 3, 3, 4, 9), b = c("y", "z", "z", "z", "q"))
  found <- replicated_uniques(set, file)
  expect_equal(found$unique_file, 3)
  # 2y, 4z and 9q; 3z is there twice
  expect_equal(found$unique_set, 3)
  expect_equal(found$in_file, 2)
  expect_equal(found$replicated, 2)
  # Alone in the set, not in the file
  expect_equal(
    replicated_uniques(file[c(1, 3), ], file)[c("in_file", "replicated")],
    data.frame(in_file = 2L, replicated = 1L)
  )
  expect_equal(attr(found, "rows"), list(c(3L, 5L)))
  expect_equal(replicated_uniques(list(set, file), file)$replicated, c(2, 3))
  expect_equal(replicated_uniques(set, file, "b")$replicated, 1)
  # numbers that print alike are not the same
  near <- data.frame(a = c(1, 1 + 1e-15))
  found <- replicated_uniques(near[1, , drop = FALSE], near)
  expect_equal(found$replicated, 1)
  expect_equal(attr(found, "rows")[[1]], 1)
})

test_that("the records at highest risk stand on top", {
  x <- small_files()
  risk <- risk(x$set, x$file, "k", "v")
  top <- top_risks(risk, 2, x$file)
  expect_equal(top$row, c(1, 2))
  expect_named(
    top, c("row", "k", "v", "attribution", "disclosed", "pattern_size")
  )
  expect_equal(nrow(top_risks(risk, 100)), 6)
  identified <- identification_risk(x$file, x$file, "k", 0.1, variable = "v")
  expect_equal(
    top_risks(identified, 1)$risk, max(identified$record$risk)
  )
  expect_error(top_risks(1), class = "pseudosynth_error_input")
  expect_error(top_risks(risk, 0), class = "pseudosynth_error_input")
  expect_error(
    top_risks(risk, 2, x$file[1:3, ]),
    class = "pseudosynth_error_input"
  )
  expect_error(
    top_risks(risk, 2, x$file["k"]),
    class = "pseudosynth_error_input"
  )
})

test_that("bad input is an error, values are not shown", {
  x <- small_files()
  bad <- list(
    function() risk(x$set, x$file, variables = "v"),
    function() risk(x$set, x$file, NULL, "v"),
    function() risk(x$set, x$file, "v", "v"),
    function() risk(x$set, x$file, "none", "v"),
    function() risk(x$set["k"], x$file, "k", "v"),
    function() risk(x$set, x$file, "k", "v", intervals = 1),
    function() risk(x$set, x$file, "k"),
    function() risk(x$set, x$file, "k", "v", radius = 1),
    function() risk(1, x$file, "k", "v"),
    function() risk(x$set, 1, "k", "v"),
    function() {
      x$file$v[2] <- NA
      risk(x$set, x$file, "k", "v")
    },
    function() replicated_uniques(x$set, x$file, "none"),
    function() replicated_uniques(x$set, x$file, 1),
    function() replicated_uniques(list(), x$file)
  )
  for (call in bad) {
    expect_error(call(), class = "pseudosynth_error_input")
  }
})

test_that("the print says that it is confidential", {
  x <- small_files()
  expect_output(
    print(risk(x$set, x$file, "k", "v")), "not for release"
  )
  expect_output(
    print(risk(x$set, x$file, "k", "v")),
    "v +50.0% +67.8% +83.3% +50.0% +50.0% +60.0%"
  )
})
