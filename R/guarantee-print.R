# How a label prints: one line by format(), a short table by print().

mechanism_names <- c(
  unweighted = "unweighted posterior",
  lw = "Lipschitz weights (LW)",
  lw_final = "Lipschitz weights, re-weighted (LW_final)",
  cw = "count weights (CW)",
  cw_final = "count weights, re-weighted (CW_final)",
  risk = "risk weights (Weights_V)",
  scalar = "scalar weight solved from the file (SW)",
  weighted_e = "truncated weights (Weighted-e)",
  combined = "combined weights",
  frozen = "frozen weights",
  two_stage = "two-stage weights",
  public_scalar = "public scalar weight",
  weighted = "record weights",
  perturbed_histogram = "perturbed histogram",
  topcode = "top-coding"
)

#' A mechanism's identifier in words
#' @param mechanism (string) As in a label, such as `"censored_lw"`.
#' @noRd
describe_mechanism <- function(mechanism) {
  base <- sub("^(censored|centred)_", "", mechanism)
  name <- if (base %in% names(mechanism_names)) {
    mechanism_names[[base]]
  } else if (grepl("_final$", base)) {
    paste0(describe_mechanism(sub("_final$", "", base)), ", re-weighted")
  } else {
    base
  }
  clipped <- if (startsWith(mechanism, "censored_")) {
    "clipped likelihood"
  } else if (startsWith(mechanism, "centred_")) {
    "clipped likelihood ratio to a reference"
  }
  if (!is.null(clipped) && base == "unweighted") {
    return(clipped)
  }
  paste(c(clipped, name), collapse = ", ")
}

label_titles <- c(
  strict = "strict epsilon-DP",
  asymptotic = "asymptotic (aDP), claimed and not a bound that holds",
  probabilistic = "probabilistic (epsilon, delta), estimated",
  none = "none"
)

#' @export
format.privacy_guarantee <- function(x, ...) {
  epsilon <- x$epsilon$total
  figures <- if (x$label == "none") {
    NULL
  } else if (anyNA(epsilon)) {
    "number withheld"
  } else {
    paste0(
      "epsilon ",
      paste(format_figure(epsilon), names(epsilon), collapse = ", "),
      if (x$m > 1) sprintf(" for m = %d", x$m)
    )
  }
  paste(
    c(
      paste0(label_titles[[x$label]], ": ", describe_mechanism(x$mechanism)),
      figures,
      if (x$reproducible) "made under a given seed, not for release"
    ),
    collapse = "; "
  )
}

#' @export
print.privacy_guarantee <- function(x, ...) {
  cat(guarantee_lines(x), sep = "\n")
  invisible(x)
}

guarantee_lines <- function(x) {
  title <- sprintf(
    "Privacy of %s: %s", x$what, label_titles[[x$label]]
  )
  rows <- c(
    list(c("mechanism", describe_mechanism(x$mechanism))),
    epsilon_rows(x),
    if (!is.null(x$exceedance)) {
      list(c("local databases", paste("above epsilon:", share_text(
        x$exceedance
      ))))
    },
    lapply(x$reasons, function(reason) c("because", reason)),
    lapply(x$empirical, function(note) c("only empirical", note)),
    list(c("made of", size_text(x))),
    Map(c, names(x$public_inputs), unname(x$public_inputs)),
    if (!x$public && is.finite(x$oscillation)) {
      list(c("oscillation", paste0(
        format_figure(x$oscillation), " at most (unit-free; 2 Delta = ",
        format_figure(2 * x$delta), ")"
      )))
    },
    if (x$reproducible) {
      list(c("seed", "Made under a given seed: reproducible, not for release."))
    },
    list(c("version", if (x$public) {
      "public"
    } else {
      confidential_line("confidential figures")
    }))
  )
  c(title, unlist(two_columns(rows)))
}

epsilon_rows <- function(x) {
  if (x$label == "none") {
    return(list(c("epsilon", "none is claimed")))
  }
  if (anyNA(x$epsilon$per_draw)) {
    return(list(
      c("relations", paste(x$relations, collapse = ", then ")),
      c("epsilon", "withheld: it is computed from the confidential file")
    ))
  }
  if (all(x$epsilon$per_draw == 0)) {
    return(lapply(x$relations, function(relation) {
      c(relation, sprintf(
        "epsilon %s, paid once however much is drawn",
        format_figure(x$epsilon$one_off[[relation]])
      ))
    }))
  }
  multiple <- c("add/remove-one" = "2 Delta", "replace-one" = "4 Delta")
  lapply(x$relations, function(relation) {
    per_draw <- format_figure(x$epsilon$per_draw[[relation]])
    clipped <- grepl("^(censored|centred)_", x$mechanism)
    of <- if (x$label %in% c("strict", "probabilistic") || clipped) {
      ""
    } else {
      paste0(multiple[[relation]], " = ")
    }
    c(relation, sprintf(
      "epsilon %s%s per parameter draw, one-off %s, total %s for m = %d%s",
      of, per_draw, format_figure(x$epsilon$one_off[[relation]]),
      format_figure(x$epsilon$total[[relation]]), x$m,
      if (x$holds) "" else " (claimed)"
    ))
  })
}

size_text <- function(x) {
  if (x$what == "the noisy counts") {
    return("the counts of all records, N not stated")
  }
  paste0(
    if (is.na(x$n_records)) {
      "N not stated"
    } else {
      paste0("N = ", format_count(x$n_records), " records")
    },
    if (!is.na(x$n_draws)) paste0(", S = ", format_count(x$n_draws), " draws"),
    ", m = ", x$m, " ",
    if (x$what == "synthetic data") "set" else "released draw",
    if (x$m == 1) "" else "s",
    if (x$converged) "" else "; NOT converged"
  )
}

#' Name and text, wrapped at 78 columns; a repeated name is left blank
#' @noRd
two_columns <- function(rows) {
  width <- max(vapply(rows, function(row) nchar(row[1]), integer(1)))
  last <- ""
  lapply(rows, function(row) {
    name <- if (identical(row[1], last)) "" else row[1]
    last <<- row[1]
    text <- strwrap(row[2], 78 - width - 4)
    paste0(
      "  ", formatC(c(name, rep("", length(text) - 1)), width = -width), "  ",
      text
    )
  })
}
