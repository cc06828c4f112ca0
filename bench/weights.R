# Count weights and identification risks of 100,000 records: seconds of wall
# time on two cores, and processor seconds against naive loops over all pairs on
# fewer records, which must give the same figures.
#
#   Rscript bench/weights.R

for (file in c("ce_data.R", "results.R", "timing.R")) {
  source(file.path("bench", file))
}

weights_target <- 10 # seconds, for each of the two

#' All months of rpms::CE, drawn with replacement up to n records.
weights_records <- function(n) {
  ce <- ce_all_months()
  set.seed(50)
  ce[sample(nrow(ce), n, replace = n > nrow(ce)), ]
}

#' m sets with the predictors of the file and incomes from other records of the
#' same earner and education, so that values of a pattern are alike.
weights_sets <- function(data, m) {
  cells <- data[c("earner", "education")]
  cell <- split(seq_len(nrow(data)), cells, drop = TRUE)
  lapply(seq_len(m), function(j) {
    set <- data
    for (rows in cell) {
      set$income[rows] <- data$income[rows[sample.int(length(rows))]]
    }
    set
  })
}

naive_count <- function(y, code, radius) {
  vapply(seq_along(y), function(i) {
    members <- which(code == code[i])
    mean(abs(y[members] - y[i]) <= radius * abs(y[i]))
  }, 0)
}

naive_risk <- function(y, sets, code, radius) {
  total <- 0
  for (set in sets) {
    total <- total + vapply(seq_along(y), function(i) {
      width <- radius * abs(y[i])
      if (abs(set[i] - y[i]) > width) {
        return(0)
      }
      members <- which(code == code[i])
      mean(abs(set[members] - y[i]) > width)
    }, 0)
  }
  total / length(sets)
}

bench_weights <- function(n = 1e5, n_naive = 4000, m = 20, rounds = 5) {
  library(pseudosynth)
  radius <- 0.2
  rows <- NULL
  for (known in list(NULL, c("sex", "age", "education", "marital", "earner"))) {
    data <- weights_records(n)
    sets <- weights_sets(data, m)
    few <- weights_records(n_naive)
    few_sets <- weights_sets(few, m)
    code <- if (is.null(known)) 0 * few$income else do.call(paste, few[known])

    count <- function(data) {
      count_weights("income", data, radius = radius, known = known)
    }
    risk <- function(data, sets) {
      risk_weights(identification_risk(
        sets, data, known, radius,
        variable = "income", threads = 2
      ))
    }
    loop <- list(
      count = function() naive_count(few$income, code, radius),
      risk = function() {
        naive_risk(few$income, lapply(few_sets, `[[`, "income"), code, radius)
      }
    )
    fast <- list(
      count = function() count(few), risk = function() risk(few, few_sets)
    )
    full <- list(
      count = function() count(data), risk = function() risk(data, sets)
    )
    check_same_weights(
      count(few), loop$count(), few, few_sets, known, loop$risk()
    )
    for (name in names(full)) {
      seconds <- vapply(seq_len(rounds), function(i) {
        timed(full[[name]]())$seconds
      }, 0)
      naive <- time_calls(function(i) loop[[name]](), 1)
      quick <- time_calls(function(i) fast[[name]](), 10) / 10
      rows <- rbind(rows, data.frame(
        what = name, known = length(known), n = n,
        sets = if (name == "risk") m else 1,
        seconds = stats::median(seconds), slowest = max(seconds),
        target = weights_target,
        verdict = verdict(stats::median(seconds), weights_target, FALSE),
        n_naive = n_naive, naive_seconds = naive, package_seconds = quick,
        ratio = naive / quick,
        # The loop's time grows with the square of n
        naive_at_n = naive * (n / n_naive)^2
      ))
    }
  }
  keep_table(rows, "weights", packages = character())
}

check_same_weights <- function(count, naive_count, data, sets, known,
                               naive_risk) {
  risk <- identification_risk(sets, data, known, 0.2, variable = "income")
  differences <- c(
    max(abs(as.numeric(count) - naive_count)),
    max(abs(risk$record$risk - naive_risk))
  )
  if (!all(differences <= 1e-12)) {
    stop("Kernel and loop differ by ", toString(format(differences)))
  }
}

bench_weights()
