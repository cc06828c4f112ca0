# The class `guarantee_audit`. It never says that a mechanism has passed: it
# says what was found, what was claimed, and what could have been seen.

#' @export
format.guarantee_audit <- function(x, ...) {
  found_and_claimed(audit_title(x), x, x$worst$loss)
}

#' What an audit found and what is claimed, on one line
#' @noRd
found_and_claimed <- function(title, x, found, unit = NULL) {
  claimed <- x$worst[["claimed"]] %||% x$worst[["claim"]]
  each <- sprintf(
    "%s: %s found, %s claimed", x$worst$neighbours,
    paste0(unit, if (!is.null(unit)) " ", format_figure(found)),
    format_figure(claimed)
  )
  paste(c(title, each), collapse = "; ")
}

print_lines.guarantee_audit <- function(x) {
  c(
    audit_title(x), paste0("  ", x$model, ", N = ", format_count(x$n_records)),
    paste0("  ", format_table(worst_table(x))),
    unlist(lapply(row_lists(x$worst), function(at) wrap_line(finding(x, at)))),
    wrap_line(paste("What it could find:", audit_power(x))),
    paste0("  ", confidential_line("Losses and records"))
  )
}

audit_title <- function(x) {
  paste0(
    if (x$method == "exact") "Exact" else "Sampled",
    " audit of the mechanism ", x$mechanism,
    if (!is.null(x$epsilon)) paste0(", epsilon ", format_figure(x$epsilon))
  )
}

worst_table <- function(x) {
  worst <- x$worst
  figures <- if (x$method == "exact") {
    data.frame(
      "largest loss" = worst$loss, "in the bulk" = worst$loss_bulk,
      "delta at claim" = format_figure(worst$delta, 2),
      error = format_figure(ifelse(
        is.finite(worst$loss), worst$error_loss, worst$error_bulk
      ), 2),
      check.names = FALSE
    )
  } else {
    data.frame(
      "lower bound" = worst$loss, "estimate" = worst$estimate,
      "could show" = worst$visible, check.names = FALSE
    )
  }
  cbind(
    neighbours = worst$neighbours, files = as.integer(worst$files),
    claim = worst$claim, figures
  )
}

#' What was found, against what is claimed
#' @noRd
finding <- function(x, row) {
  claimed <- paste(
    if (x$claimed == "epsilon") "the claim is" else "the papers' index is",
    format_figure(row$claim)
  )
  if (x$method == "sampled") {
    some <- paste("a loss of at least", format_figure(row$loss))
    return(sprintf(
      "%s: the draws show %s at %s%% confidence; %s.", row$neighbours,
      if (row$loss > 0) some else "no loss", format(100 * x$level), claimed
    ))
  }
  size <- if (!is.finite(row$loss)) {
    "no limit, because nothing is censored"
  } else if (row$loss > row$claim + row$error_loss + 1e-6) {
    sprintf("%s times that", format_figure(row$ratio))
  } else {
    sprintf("%s of that", format_figure(row$ratio))
  }
  sprintf(
    "%s: the largest loss found is %s; %s (%s).", row$neighbours,
    format_figure(row$loss), claimed, size
  )
}

audit_power <- function(x) {
  n <- sum(x$losses[["converged"]] %in% FALSE)
  if (x$method == "exact") {
    sprintf(
      unwrapped("any loss between this file and these %s neighbours on a grid of
         %s cells, up to the error shown; not the loss on other files (see
         worst_case_data()), nor the error of a sampler."),
      format_count(sum(x$worst$files)), format_count(x$grid$cells)
    )
  } else {
    sprintf(
      unwrapped("losses up to about %s, given %s effective draws per fit, on %s
         of this file; replacements are not tried.%s"),
      format_figure(max(x$worst$visible)),
      format_count(round(min(x$losses$effective))),
      counted(nrow(x$losses), "neighbour"),
      if (n > 0) sprintf(" Refits that have not converged: %d.", n) else ""
    )
  }
}
