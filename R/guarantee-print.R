# How a label prints: one line by format(), a short table by print().

label_titles <- c(
  strict = "strict epsilon-DP",
  asymptotic = "asymptotic (aDP), claimed and not a bound that holds",
  probabilistic = "probabilistic (epsilon, delta), estimated",
  none = "none"
)

label_title <- function(x) {
  if (x$label == "strict" && x$epsilon$delta > 0) {
    return("strict (epsilon, delta)-DP")
  }
  label_titles[[x$label]]
}

#' @export
format.privacy_guarantee <- function(x, ...) {
  x <- intact_label(x)
  epsilon <- x$epsilon$total
  figures <- if (x$label == "none") {
    NULL
  } else if (anyNA(epsilon)) {
    "number withheld"
  } else {
    paste0(
      "epsilon ",
      paste(label_figure(epsilon, x), names(epsilon), collapse = ", "),
      if (x$epsilon$delta > 0) {
        paste(" at delta", format_exact(x$epsilon$delta))
      },
      if (x$m > 1) sprintf(" for m = %d", x$m)
    )
  }
  paste(
    c(
      paste0(label_title(x), ": ", x$title),
      figures,
      if (x$reproducible) "made under a given seed, not for release"
    ),
    collapse = "; "
  )
}

#' @export
print.privacy_guarantee <- function(x, ...) {
  cat(in_plain_figures(guarantee_lines(intact_label(x))), sep = "\n")
  invisible(x)
}

#' A figure of a label: what is proven rounded up, a claim to three digits
#' @noRd
label_figure <- function(value, x) {
  if (x$holds) format_up(value) else in_plain_figures(format_figure(value))
}

guarantee_lines <- function(x) {
  title <- sprintf(
    "Privacy of %s: %s", x$what, label_title(x)
  )
  rows <- c(
    list(c("mechanism", x$title)),
    epsilon_rows(x),
    charge_rows(x),
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
  at <- if (x$epsilon$delta > 0) {
    sprintf(" at delta %s", format_exact(x$epsilon$delta))
  } else {
    ""
  }
  figure <- function(part, relation) {
    label_figure(x$epsilon[[part]][[relation]], x)
  }
  if (is.na(x$draws)) {
    return(lapply(x$relations, function(relation) {
      c(relation, sprintf(
        "epsilon %s%s, paid once however much is drawn",
        figure("one_off", relation), at
      ))
    }))
  }
  multiple <- c("add/remove-one" = "2 Delta", "replace-one" = "4 Delta")
  lapply(x$relations, function(relation) {
    clipped <- "interval" %in% names(x$public_inputs)
    of <- if (x$label %in% c("strict", "probabilistic") || clipped) {
      ""
    } else {
      paste0(multiple[[relation]], " = ")
    }
    c(relation, sprintf(
      "epsilon %s%s per parameter draw, one-off %s, total %s for m = %d%s%s",
      of, figure("per_draw", relation), figure("one_off", relation),
      figure("total", relation), x$m, at, if (x$holds) "" else " (claimed)"
    ))
  })
}

#' One row for each charge, and what a further call costs
#' @noRd
charge_rows <- function(x) {
  if (x$label == "none" || nrow(x$charges) == 0) {
    return(NULL)
  }
  rows <- lapply(seq_len(nrow(x$charges)), function(i) {
    c("charged", charge_text(x$charges[i, ], x))
  })
  c(rows, if (!is.na(x$draws)) further_rows(x))
}

#' What a further set costs
#' @noRd
further_rows <- function(x) {
  generated <- x$what %in% generator_words
  if (!generated && x$what != "synthetic data") {
    return(NULL)
  }
  list(c("charged", if (generated) {
    paste(
      "Every further set is drawn from the same draws and costs nothing more;",
      "another generator of the file takes other draws."
    )
  } else {
    paste(
      "Every further call of synthesize() takes other draws: its charges are",
      "added to these."
    )
  }))
}

charge_text <- function(charge, x) {
  unit <- if (charge$zcdp) "rho" else "epsilon"
  columns <- c("add/remove-one" = "add_remove", "replace-one" = "replace")
  if (charge$zcdp) columns[] <- paste0("rho_", columns)
  cost <- unlist(charge[columns[x$relations]])
  what <- paste0(
    if (charge$times != 1) paste(format_exact(charge$times), "x "), charge$what
  )
  if (anyNA(cost)) {
    return(paste0(what, ": withheld"))
  }
  paste0(
    what, ": ", unit, " ",
    paste(label_figure(cost, x), x$relations, collapse = ", "),
    if (charge$delta > 0) paste0(", delta ", format_exact(charge$delta))
  )
}

size_text <- function(x) {
  if (x$what == "the noisy counts") {
    return("the counts of all records, N not stated")
  }
  if (x$what == "the noisy sums") {
    return(paste0("N = ", format_count(x$n_records), " records"))
  }
  paste0(
    if (is.na(x$n_records)) {
      "N not stated"
    } else {
      paste0("N = ", format_count(x$n_records), " records")
    },
    if (!is.na(x$n_draws)) paste0(", S = ", format_count(x$n_draws), " draws"),
    ", m = ", x$m, " ",
    if (x$what %in% c("synthetic data", generator_words[["sets"]])) {
      "set"
    } else {
      "released draw"
    },
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
