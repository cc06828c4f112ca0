# The class `privacy_guarantee`, a label: what is in it and what may leave.

# What labels call a generator, and what is drawn from it
generator_words <- c(
  model = "a generator", sets = "synthetic data of a generator"
)

#' Make a label
#'
#' What was paid comes as charges; the epsilons are derived from them here and
#' nowhere else, so that no figure can differ from what was charged.
#'
#' @param verdict (list) `label`, `reasons`.
#' @param title (string) The mechanism in words.
#' @param draws (charge or `NULL`) What is paid for each of m; `NULL` where all
#'   is paid once.
#' @param paid (charges) What is paid once.
#' @param fit (string) Identity of the fit that is drawn from; `NA` for none.
#' @param failure (number) The public delta at which charges of zCDP are stated.
#' @param ... The other fields, see guarantee().
#' @noRd
new_privacy_guarantee <- function(verdict, mechanism, title, what, draws = NULL,
                                  paid = no_charges(), m = 1L,
                                  fit = NA_character_, n_records = NA_integer_,
                                  n_draws = NA_integer_, draw_quantile = 1,
                                  lipschitz_bound = NA_real_,
                                  oscillation = NA_real_,
                                  unit, public_inputs, empirical = character(),
                                  converged = TRUE, reproducible = FALSE,
                                  public = FALSE, failure = 0) {
  drawn <- what == "parameter draws"
  derive_epsilon(new_result(
    "privacy_guarantee",
    label = verdict$label, mechanism = mechanism, title = title, what = what,
    neighbours = if (drawn) relation_names else rev(relation_names),
    epsilon = list(delta = failure), charges = join_charges(draws, paid),
    draws = if (is.null(draws)) NA_character_ else draws$id,
    holds = verdict$label == "strict", m = m, fit = fit,
    n_records = n_records, n_draws = n_draws, draw_quantile = draw_quantile,
    lipschitz_bound = lipschitz_bound, oscillation = oscillation, unit = unit,
    public_inputs = public_inputs, reasons = verdict$reasons,
    empirical = empirical, converged = converged,
    reproducible = reproducible, public = public
  ))
}

#' What a label's charges come to
#'
#' `epsilon`: `per_draw`, `one_off` and `total`, each by relation in the label's
#' order, and `delta`, which goes with the total.
#' @noRd
derive_epsilon <- function(x) {
  drawn <- x$charges$id %in% x$draws
  one <- x$charges[drawn, , drop = FALSE]
  one$times <- rep(1, nrow(one))
  failure <- x$epsilon$delta
  total <- total_charges(x$charges, failure)
  by_part <- function(charges) {
    total_charges(charges, failure)$epsilon[x$neighbours]
  }
  x$epsilon <- list(
    per_draw = by_part(one),
    one_off = by_part(x$charges[!drawn, , drop = FALSE]),
    total = total$epsilon[x$neighbours], delta = total$delta
  )
  seal(x)
}

#' The label with another epsilon of a parameter draw
#' @noRd
charge_draws <- function(x, epsilon) {
  drawn <- x$charges$id %in% x$draws
  x$charges$add_remove[drawn] <- epsilon[["add-remove"]]
  x$charges$replace[drawn] <- epsilon[["replace"]]
  derive_epsilon(x)
}

#' The version that may leave the agency
#'
#' Built anew from fields that are public by rule; whatever was computed from
#' the file is withheld unless it was fixed beforehand.
#' @noRd
publish_guarantee <- function(x) {
  if (x$label != "strict") {
    x$epsilon <- lapply(x$epsilon, replace, TRUE, NA_real_)
    x$charges[charge_costs] <- lapply(x$charges[charge_costs], `*`, NA)
  }
  x[c("lipschitz_bound", "oscillation")] <- NA_real_
  x$exceedance <- NULL
  # What was measured of the sampler is computed from the file
  if (x$label == "strict") x$empirical <- character()
  x$public <- TRUE
  seal(x)
}

#' What may leave the agency has no other label
#' @noRd
check_public_only <- function(public) {
  check_flag(public)
  refuse_if(
    !public, "{.arg public} must be {.code TRUE}.",
    x = "Synthetic data and histograms have only the public label.",
    arg = "public"
  )
}

#' A label as it was made; one that was edited claims nothing
#' @noRd
intact_label <- function(x) {
  if (is_sealed(x)) x else void_label(x, "label")
}

#' The label of what was edited
#' @param what (string) What that was.
#' @noRd
void_label <- function(x, what) {
  x[c("label", "reasons")] <- edited_verdict(what)
  x$holds <- FALSE
  x$epsilon <- lapply(x$epsilon, replace, TRUE, NA_real_)
  x$charges <- no_charges()
  x["exceedance"] <- NULL
  seal(x)
}

#' @export
as.list.privacy_guarantee <- function(x, ...) {
  x <- unclass(intact_label(x))
  attr(x, "seal") <- NULL
  x$epsilon <- lapply(x$epsilon, function(part) {
    if (is.null(names(part))) part else as.list(part)
  })
  x$charges <- row_lists(x$charges)
  # Lists stay arrays in JSON, also where they have one element
  for (field in c("public_inputs", "neighbours", "reasons", "empirical")) {
    x[[field]] <- as.list(x[[field]])
  }
  x
}

# How a label prints: one line by format(), a short table by print().

label_titles <- c(
  strict = "strict epsilon-DP",
  asymptotic = "asymptotic (aDP), claimed by the papers, not proven",
  probabilistic = "probabilistic (epsilon, delta), estimated", none = "none"
)

label_title <- function(x) {
  proven <- x$label == "strict" && x$epsilon$delta > 0
  if (proven) "strict (epsilon, delta)-DP" else label_titles[[x$label]]
}

#' @export
format.privacy_guarantee <- function(x, ...) {
  x <- intact_label(x)
  epsilon <- x$epsilon$total
  figures <- if (anyNA(epsilon)) {
    "number withheld"
  } else {
    paste0(
      "epsilon ",
      paste(label_figure(epsilon, x), names(epsilon), collapse = ", "),
      delta_note(x), if (x$m > 1) sprintf(" for m = %d", x$m)
    )
  }
  paste(
    c(
      paste0(label_title(x), ": ", x$title), if (x$label != "none") figures,
      if (x$reproducible) "made with a given seed, not for release"
    ),
    collapse = "; "
  )
}

print_lines.privacy_guarantee <- function(x) {
  in_plain_figures(guarantee_lines(intact_label(x)))
}

delta_note <- function(x) {
  delta <- x$epsilon$delta
  if (delta > 0) paste(" at delta", format_exact(delta)) else ""
}

#' A figure of a label: what is proven rounded up, a claim to three digits
#' @noRd
label_figure <- function(value, x) {
  if (x$holds) format_up(value) else in_plain_figures(format_figure(value))
}

guarantee_lines <- function(x) {
  seed <- "Made with a given seed: reproducible, not for release."
  rows <- c(
    list(c("mechanism", x$title)), epsilon_rows(x), charge_rows(x),
    if (!is.null(x$exceedance)) {
      above <- share_text(x$exceedance)
      list(c("local databases", paste("above epsilon:", above)))
    },
    lapply(x$reasons, function(reason) c("because", reason)),
    lapply(x$empirical, function(note) c("only empirical", note)),
    list(c("made of", size_text(x))),
    Map(c, names(x$public_inputs), unname(x$public_inputs)),
    if (!x$public && is.finite(x$oscillation)) {
      list(c("oscillation", sprintf(
        "%s at most, in any unit; twice the Lipschitz bound is %s",
        format_figure(x$oscillation), format_figure(2 * x$lipschitz_bound)
      )))
    },
    if (x$reproducible) list(c("seed", seed)),
    list(c("version", if (x$public) {
      "public"
    } else {
      confidential_line("confidential figures")
    }))
  )
  title <- sprintf("Privacy of %s: %s", x$what, label_title(x))
  c(title, unlist(two_columns(rows)))
}

epsilon_rows <- function(x) {
  if (x$label == "none") {
    return(list(c("epsilon", "none is claimed")))
  }
  if (anyNA(x$epsilon$per_draw)) {
    return(list(
      c("neighbours", paste(x$neighbours, collapse = ", then ")),
      c("epsilon", "withheld: it is computed from the confidential file")
    ))
  }
  at <- delta_note(x)
  plain <- x$label %in% c("strict", "probabilistic") ||
    "interval" %in% names(x$public_inputs)
  multiple <- c("add-remove" = "2 x bound = ", replace = "4 x bound = ")
  if (plain) multiple[] <- ""
  lapply(x$neighbours, function(neighbours) {
    figure <- function(part) label_figure(x$epsilon[[part]][[neighbours]], x)
    c(neighbours, if (anyNA(x$draws)) {
      sprintf(
        "epsilon %s%s, spent once; further draws are free", figure("one_off"),
        at
      )
    } else {
      sprintf(
        "epsilon %s%s per parameter draw, one-off %s, total %s for m = %d%s%s",
        multiple[[neighbours]], figure("per_draw"), figure("one_off"),
        figure("total"), x$m, at, if (x$holds) "" else " (claimed)"
      )
    })
  })
}

#' One row for each charge, and what a further call costs
#' @noRd
charge_rows <- function(x) {
  if (x$label == "none" || nrow(x$charges) == 0) {
    return(NULL)
  }
  further <- if (anyNA(x$draws)) {
    NULL
  } else if (x$what %in% generator_words) {
    unwrapped("Every further set comes from the same draws at no additional
       privacy cost; another generator of the file takes new draws.")
  } else if (x$what == "synthetic data") {
    "Every further call of synthesize() takes new draws and adds their charges."
  }
  lapply(c(
    lapply(row_lists(x$charges), charge_text, x), further
  ), function(text) c("cost", text))
}

charge_text <- function(charge, x) {
  unit <- if (charge$zcdp) "rho" else "epsilon"
  columns <- c("add-remove" = "add_remove", replace = "replace")
  if (charge$zcdp) columns[] <- paste0("rho_", columns)
  cost <- unlist(charge[columns[x$neighbours]])
  times <- charge$times
  what <- if (times == 1) {
    charge$what
  } else {
    paste0(
      format_exact(times), " ", sub("draw\\b", "draws", charge$what), ", each"
    )
  }
  if (anyNA(cost)) {
    return(paste0(what, ": withheld"))
  }
  paste0(
    what, ": ", unit, " ",
    paste(label_figure(cost, x), x$neighbours, collapse = ", "),
    if (charge$delta > 0) paste0(", delta ", format_exact(charge$delta))
  )
}

size_text <- function(x) {
  if (x$what == "the noisy counts") {
    return("the counts of all records, N not stated")
  }
  records <- if (is.na(x$n_records)) {
    "N not stated"
  } else {
    paste0("N = ", format_count(x$n_records), " records")
  }
  made <- if (x$what %in% c("synthetic data", generator_words[["sets"]])) {
    "set"
  } else if (!anyNA(x$draws)) {
    "released draw"
  }
  paste0(
    records,
    if (!is.na(x$n_draws)) paste0(", S = ", format_count(x$n_draws), " draws"),
    if (!is.null(made)) paste0(", m = ", counted(x$m, made)),
    if (x$converged) "" else "; NOT converged"
  )
}
