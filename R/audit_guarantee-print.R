# The class `guarantee_audit`. It never says that a mechanism has passed: it
# says what was found, what was claimed, and what could have been seen.

new_guarantee_audit <- function(...) {
  structure(list(...), class = c("guarantee_audit", "pseudosynth_result"))
}

#' @export
format.guarantee_audit <- function(x, ...) {
  worst <- x$worst
  paste0(
    audit_title(x), "; ",
    paste(
      sprintf(
        "%s: %s found, %s claimed", worst$neighbours, format_figure(worst$loss),
        format_figure(worst$claim)
      ),
      collapse = "; "
    )
  )
}

print_lines.guarantee_audit <- function(x) {
  shown <- if (x$method == "exact") exact_table(x) else sampled_table(x)
  c(
    audit_title(x), paste0("  ", x$model, ", N = ", format_count(x$n_records)),
    paste0("  ", format_table(shown)),
    unlist(lapply(seq_len(nrow(x$worst)), function(j) {
      wrap_line(finding(x, x$worst[j, ]))
    })),
    wrap_line(paste("It could have seen:", audit_power(x))),
    paste0("  ", confidential_line("Losses and records"))
  )
}

audit_title <- function(x) {
  sprintf(
    "%s audit of the mechanism %s%s",
    if (x$method == "exact") "Exact" else "Sampled", x$mechanism,
    if (is.null(x$epsilon)) {
      ""
    } else {
      paste0(", epsilon ", format_figure(x$epsilon))
    }
  )
}

exact_table <- function(x) {
  worst <- x$worst
  data.frame(
    neighbours = worst$neighbours, files = as.integer(worst$files),
    claim = worst$claim, "largest loss" = worst$loss,
    "in the bulk" = worst$loss_bulk,
    "delta at claim" = format_small(worst$delta),
    error = format_small(ifelse(
      is.finite(worst$loss), worst$error_loss, worst$error_bulk
    )),
    check.names = FALSE
  )
}

format_small <- function(x) {
  text <- formatC(x, digits = 2, format = "g")
  ifelse(is.na(x), "-", ifelse(x == 0, "0", text))
}

#' What was found, against what is claimed
#' @noRd
finding <- function(x, row) {
  claimed <- sprintf(
    if (x$claimed == "epsilon") "%s are claimed" else "the papers' index is %s",
    format_figure(row$claim)
  )
  if (x$method == "sampled") {
    shown <- if (row$loss > 0) {
      paste("a loss of at least", format_figure(row$loss))
    } else {
      "no loss"
    }
    return(sprintf(
      "%s: the draws show %s at %s%% confidence, where %s.", row$neighbours,
      shown, format(100 * x$level), claimed
    ))
  }
  size <- if (!is.finite(row$loss)) {
    "without bound: the density is not censored"
  } else if (row$loss > row$claim + row$error_loss + 1e-6) {
    sprintf("%s times that", format_figure(row$ratio))
  } else {
    sprintf("%s of that", format_figure(row$ratio))
  }
  sprintf(
    "%s: the largest loss found is %s where %s (%s).", row$neighbours,
    format_figure(row$loss), claimed, size
  )
}

audit_power <- function(x) {
  if (x$method == "exact") {
    sprintf(
      paste(
        "any loss between this file and these %s neighbours on a grid of %s",
        "cells, to the error shown. It sees neither other files (see",
        "worst_case_data()) nor the error of a sampler."
      ),
      format_count(sum(x$worst$files)), format_count(x$grid$cells)
    )
  } else {
    sprintf(
      paste(
        "losses up to about %s, with %s effective draws a side; no draws show",
        "more. It sees %s neighbour%s of this file and no replacements.%s"
      ),
      format_figure(max(x$worst$visible)),
      format_count(round(min(x$losses$effective))),
      format_count(nrow(x$losses)), if (nrow(x$losses) > 1) "s" else "",
      unconverged_text(sum(!x$losses$converged))
    )
  }
}

unconverged_text <- function(n) {
  if (n > 0) sprintf(" Refits that have not converged: %d.", n) else ""
}

sampled_table <- function(x) {
  worst <- x$worst
  data.frame(
    neighbours = worst$neighbours, files = as.integer(worst$files),
    claim = worst$claim, "lower bound" = worst$loss,
    "estimate" = worst$estimate, "could show" = worst$visible,
    check.names = FALSE
  )
}
