# index.html from page.html and page.css: every {{name}} of the template is
# replaced by what page_parts() gives under that name.

write_page <- function(job, strict, whole, use, figures, income, helpers,
                       output) {
  parts <- c(
    page_parts(job, strict, use, figures, income),
    whole_file_parts(whole, figures)
  )
  # The page takes part in the total, so that its time comes last
  seconds <- c(
    stage_clock$seconds,
    "Writing the page" = seconds_now() - stage_clock$start
  )
  parts$table_seconds <- table_seconds(seconds)
  parts$total_seconds <- sprintf("%.0f", sum(seconds))
  parts$css <- read_text(file.path(helpers, "page.css"))
  html <- fill(read_text(file.path(helpers, "page.html")), parts)
  writeLines(html, file.path(output, "index.html"), useBytes = TRUE)
}

read_text <- function(file) {
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

fill <- function(template, parts) {
  for (name in names(parts)) {
    text <- paste(parts[[name]], collapse = "\n")
    template <- gsub(
      paste0("{{", name, "}}"), text, template,
      fixed = TRUE
    )
  }
  left <- regmatches(template, gregexpr("[{]{2}[a-z_]+[}]{2}", template))[[1]]
  if (length(left) > 0) stop("No text for ", paste(left, collapse = ", "))
  template
}

# ---- the parts ---------------------------------------------------------------

page_parts <- function(job, strict, use, figures, income) {
  fits <- job$internal$fits
  final <- fits[[length(fits)]]
  stages <- job$stages
  n <- nrow(income)
  released <- guarantee(job)$label != "none" && !guarantee(job)$reproducible
  leave <- tag(if (released) "leave" else "barred")
  promise <- guarantee(strict)
  strict_released <- promise$label != "none" && !promise$reproducible
  strict_leave <- tag(if (strict_released) "leave" else "barred")
  list(
    n = count(n), n_file = count(nrow(ce_income)),
    dropped = count(nrow(ce_income) - n), m = job$m,
    label = guarantee(job)$label,
    status = status_note(fits),
    leave_files = sprintf(
      "<li><code>%s</code></li>",
      c(
        sprintf("synthetic-%d.csv", seq_len(job$m)), "label.txt",
        if (strict_released) c(
          "synthetic-strict.csv", "label-strict.txt", "synthetic-file.csv",
          "label-file.txt"
        )
      )
    ),
    strict_label = promise$label,
    strict_epsilon = figure3(promise$epsilon$total[["add-remove"]]),
    strict_full = printed(guarantee(strict$synthetic)),
    tag_strict = strict_leave,
    k_components = final$family$K, sigma_floor = final$family$sigma_floor,
    n_columns = length(final$design$columns),
    budget = budget_text(fits$unweighted, final),
    delta_unweighted = figure3(stages$lipschitz_bound[1]),
    median_unweighted = figure3(
      stats::median(fits$unweighted$bound$record)
    ),
    delta_lw = figure3(stages$lipschitz_bound[2]),
    search_text = search_text(final$reweighting),
    tag_stay = tag("stay"), tag_leave = leave,
    leave_side = if (released) "leave" else "stay",
    leave_title = if (released) {
      "May leave, after your own review"
    } else {
      "Would leave; not from this run"
    },
    table_stages = table_stages(fits, stages),
    stages_caption = stages_caption(stages),
    table_search = table_search(final$reweighting),
    label_text = label_text(guarantee(job), stages),
    label_full = printed(guarantee(job)),
    label_public = printed(guarantee(job$synthetic)),
    max_rhat = final$control$max_rhat, min_ess = final$control$min_ess,
    table_convergence = table_convergence(fits),
    convergence_caption = convergence_caption(fits),
    table_ecdf = table_ecdf(use$ecdf),
    table_quantiles = table_quantiles(use$quantiles),
    n_groups = nrow(use$groups),
    threads = final$control$threads,
    system = paste0(R.version.string, ", ", R.version$platform),
    version = as.character(utils::packageVersion("pseudosynth")),
    date = format(Sys.Date(), "%d %B %Y"),
    figure_bounds = figure(figures[["bounds"]], "Record bounds by stage", paste(
      "The bounds of all records at each stage. The width shows how many",
      "records have such a bound; the orange bar is the Lipschitz bound."
    )),
    figure_weights = figure(figures[["weights"]], "Bound against weight", paste(
      "Each point is a record. Before re-weighting (LW), records far below",
      "the line have given up weight. Afterwards (LW_final), records with",
      "less than full weight lie near the line, and all others have weight 1."
    )),
    figure_traces = figure(figures[["traces"]], "Traces of the last fit", paste(
      "Each line is a chain of the last fit. If one chain stays above or below",
      "the others, the chains have not converged."
    )),
    figure_density = figure(figures[["density"]], "Density of income", paste(
      "Density of income in the file (dark) and in the synthetic sets (blue)."
    )),
    figure_density_strict = figure(
      figures[["density_strict"]], "Density of income, strict", paste(
        "Density of income in the file (dark) and in the strict set (blue)."
      )
    ),
    figure_groups = figure(figures[["groups"]], "Incomes of groups", paste(
      "Geometric mean of income in groups of five predictors. Ring and",
      "triangle should lie on the dot. The smallest groups are furthest off."
    )),
    figure_synthetic = figure(
      figures[["synthetic"]], "Synthetic income",
      "Density of the synthetic sets alone.", leave
    )
  )
}

# ---- sentences ---------------------------------------------------------------

stage_names <- c(unweighted = "Unweighted", lw = "LW", lw_final = "LW_final")

status_note <- function(fits) {
  failed <- names(fits)[!vapply(fits, function(f) isTRUE(f$converged), NA)]
  if (length(failed) == 0) {
    return(paste0(
      "<div class=\"note\"><p><b>All fits have passed the convergence",
      " checks</b> of section 6. The figures below can be read as they",
      " stand.</p></div>"
    ))
  }
  last <- names(fits)[length(fits)] %in% failed
  paste0(
    "<div class=\"note alert\"><p><b>", if (length(failed) == length(fits)) {
      "No fit has converged."
    } else {
      paste0(
        "Not converged: ", paste(stage_names[failed], collapse = ", "), "."
      )
    },
    "</b> The chains of this run were too short for the convergence checks of",
    " section 6. ", if (last) {
      paste0(
        "The label is therefore <code>none</code>: nothing is promised, and",
        " the synthetic sets must not be released. "
      )
    } else {
      "Bounds and weights of these stages are rough. "
    },
    "The figures show how the method works. For results, run more draws (see",
    " the constants at the top of <code>tools/demo.R</code>).</p></div>"
  )
}

budget_text <- function(first, last) {
  control <- last$control
  sprintf(
    paste(
      "Each fit runs %d chains and keeps %s draws of each: S = %s draws. The",
      "first fit takes %d sweeps of the sampler for a draw and discards %s",
      "draws of each chain as warmup. Later fits start where the last one",
      "ended, take %d sweeps and discard %s draws."
    ),
    control$chains, count(control$draws), count(nrow(last$draws)),
    first$control$thin, count(first$control$warmup), control$thin,
    count(control$warmup)
  )
}

search_text <- function(reweighting) {
  if (is.null(reweighting)) {
    return(paste(
      "<b>In this run no <em>k</em> of the search kept the bound</b>, so the",
      "weighted fit is the last one."
    ))
  }
  search <- reweighting$search
  sprintf(
    paste(
      "Here the search took %d refit%s and kept <em>k</em> = %s, with a bound",
      "of %s where %s was allowed%s."
    ),
    nrow(search), if (nrow(search) == 1) "" else "s", figure3(reweighting$k),
    figure3(reweighting$bound), figure3(reweighting$target),
    if (reweighting$bound > reweighting$target) {
      sprintf(
        " (above it by no more than the tolerance of %s percent)",
        format(100 * reweighting$tolerance)
      )
    } else {
      ""
    }
  )
}

stages_caption <- function(stages) {
  paste(
    "Bound: the Lipschitz bound, which is the largest record bound.",
    "Oscillation: the largest difference between two draws of one",
    "record&rsquo;s weighted log-likelihood; it does not depend on the unit of",
    "income. &epsilon; is claimed for one parameter draw: twice the bound for",
    "a record added or removed, four times the bound for one whose income is",
    "replaced.",
    if (anyNA(stages$epsilon_add_remove)) {
      paste(
        "A dash: nothing is claimed, because the fit is unweighted or has not",
        "converged."
      )
    }
  )
}

label_text <- function(label, stages) {
  intro <- paste(
    "<p>The label is computed from how the sets were made. Two kinds of",
    "neighbouring files matter. If a record is <em>added or removed</em>, the",
    "papers claim an &epsilon; of twice the Lipschitz bound for each parameter",
    "draw that is released. If one record&rsquo;s income is <em>replaced</em>",
    "with another, &epsilon; is twice that. Replacing is the relation for a",
    "file whose predictors are published. Each set uses its own parameter",
    "draw, so the figures add up over the sets.</p>"
  )
  verdict <- if (label$label == "none") {
    paste(
      "<p>For this run <b>nothing is claimed</b>:",
      escape(sub("[.]$", "", tolower_first(label$reasons[1]))), ".</p>"
    )
  } else {
    sprintf(
      paste(
        "<p>For the %d sets together the papers claim &epsilon; = %s",
        "(replace) and %s (add-remove). <b>This is claimed by the papers, not",
        "proven.</b> The weights are made from the file, and one record",
        "changes all of them; the claim ignores that. An &epsilon; of this",
        "size would promise little even if it were proven. Read the Lipschitz",
        "bound as an index of risk that compares fits of the same file.</p>"
      ),
      label$m, figure3(label$epsilon$total[["replace"]]),
      figure3(label$epsilon$total[["add-remove"]])
    )
  }
  gsub(" .</p>", ".</p>", paste(intro, verdict), fixed = TRUE)
}

convergence_caption <- function(fits) {
  failed <- !vapply(fits, function(f) isTRUE(f$converged), NA)
  # What the table does not show: an interrupt, divergences, chains that stand
  others <- unlist(lapply(names(fits), function(stage) {
    problems <- fits[[stage]]$problems
    problems <- problems[!grepl("^(R-hat|Bulk ESS)", problems)]
    if (length(problems) > 0) {
      sprintf("%s: %s", stage_names[[stage]], escape(problems))
    }
  }))
  paste(c(
    if (any(failed)) {
      "Orange: fails a check."
    } else {
      "All quantities of all fits pass the checks."
    },
    others
  ), collapse = " ")
}

# ---- tables ------------------------------------------------------------------

table_stages <- function(fits, stages) {
  weight <- function(f) {
    vapply(fits, function(fit) figure3(f(as.double(fit$spec$alpha))), "")
  }
  html_table(data.frame(
    Stage = stage_names[stages$stage],
    Bound = figure3(stages$lipschitz_bound),
    "2 x bound" = figure3(2 * stages$lipschitz_bound),
    Oscillation = figure3(stages$oscillation),
    "Least<br>weight" = weight(min),
    "Mean<br>weight" = weight(mean),
    "&epsilon; add/<br>remove" = figure3(stages$epsilon_add_remove),
    "&epsilon;<br>replace" = figure3(stages$epsilon_replace),
    Converged = ifelse(stages$converged, "yes", "no"),
    check.names = FALSE
  ), bad = list(Converged = !stages$converged))
}

table_search <- function(reweighting) {
  if (is.null(reweighting)) {
    return("")
  }
  search <- reweighting$search
  paste0(
    "<h3>The search for k ", tag("stay"), "</h3>",
    html_table(data.frame(
      Refit = as.character(seq_len(nrow(search))),
      k = formatC(search$k, format = "f", digits = 3),
      Bound = figure3(search$bound),
      "Share of the bound allowed" = formatC(
        search$ratio,
        format = "f", digits = 3
      ),
      Accepted = ifelse(search$accepted, "yes", "no"),
      check.names = FALSE
    ))
  )
}

quantity_names <- c(
  log_lik = "weighted log-likelihood", q1 = "predictive 1%",
  q5 = "predictive 5%", q25 = "predictive 25%", q50 = "predictive median",
  q75 = "predictive 75%", q95 = "predictive 95%", q99 = "predictive 99%",
  "log_lik[worst record]" = "log-likelihood of the worst record"
)

table_convergence <- function(fits) {
  first <- fits[[1]]$diagnostics$variable
  name <- ifelse(
    first %in% names(quantity_names), quantity_names[first], escape(first)
  )
  cells <- list(Quantity = name)
  bad <- list()
  for (stage in names(fits)) {
    table <- fits[[stage]]$diagnostics
    control <- fits[[stage]]$control
    rhat <- paste0(stage_names[[stage]], "<br>R-hat")
    ess <- paste0(stage_names[[stage]], "<br>ESS")
    cells[[rhat]] <- formatC(table$rhat, format = "f", digits = 3)
    cells[[ess]] <- vapply(round(table$ess_bulk), count, "")
    bad[[rhat]] <- !(table$rhat <= control$max_rhat)
    bad[[ess]] <- !(table$ess_bulk >= control$min_ess)
  }
  html_table(as.data.frame(cells, check.names = FALSE, optional = TRUE), bad)
}

table_ecdf <- function(table) {
  html_table(data.frame(
    " " = table$what,
    "Largest ECDF difference" = formatC(table$max, format = "f", digits = 3),
    "Error of group means" = formatC(table$error, format = "f", digits = 3),
    check.names = FALSE
  ))
}

table_quantiles <- function(table) {
  html_table(data.frame(
    Quantile = paste0(100 * table$point, "%"),
    Confidential = dollars(table$confidential),
    Mixture = dollars(table$synthetic),
    Strict = dollars(table$strict)
  ))
}

table_seconds <- function(seconds) {
  html_table(
    data.frame(
      Stage = c(names(seconds), "Total"),
      Seconds = formatC(c(seconds, sum(seconds)), format = "f", digits = 1)
    ),
    total = TRUE
  )
}

#' @param bad (list of logical) Cells to mark, by column name.
#' @param total (flag) Is the last row a sum?
html_table <- function(x, bad = list(), total = FALSE) {
  text <- c(TRUE, rep(FALSE, ncol(x) - 1))
  side <- ifelse(text, " class=\"text\"", "")
  head <- paste0("<th", side, ">", names(x), "</th>", collapse = "")
  rows <- vapply(seq_len(nrow(x)), function(i) {
    class <- ifelse(text, "text", "")
    marked <- vapply(names(x), function(name) isTRUE(bad[[name]][i]), NA)
    class[marked] <- "bad"
    class <- ifelse(class == "", "", sprintf(" class=\"%s\"", class))
    cells <- vapply(x, function(column) as.character(column[i]), "")
    paste0(
      if (total && i == nrow(x)) "<tr class=\"total\">" else "<tr>",
      paste0("<td", class, ">", cells, "</td>", collapse = ""), "</tr>"
    )
  }, "")
  paste0(
    "<div class=\"table\"><table>\n<thead><tr>", head, "</tr></thead>\n<tbody>",
    paste(rows, collapse = "\n"), "</tbody></table></div>"
  )
}

# ---- small things ------------------------------------------------------------

tag <- function(side) {
  text <- c(
    leave = "may leave", stay = "agency only", barred = "label none: must stay"
  )[[side]]
  if (side == "barred") side <- "stay"
  sprintf("<span class=\"tag %s\">%s</span>", side, text)
}

figure <- function(file, title, caption, tag_after = tag("stay")) {
  sprintf(
    paste0(
      "<figure><img alt=\"%s\" src=\"data:image/png;base64,%s\">\n",
      "<figcaption><b>%s.</b> %s %s</figcaption></figure>"
    ),
    title, base64(file), title, caption, tag_after
  )
}

printed <- function(x) {
  escape(paste(utils::capture.output(print(x)), collapse = "\n"))
}

escape <- function(x) {
  x <- gsub("&", "&amp;", x, fixed = TRUE)
  gsub(">", "&gt;", gsub("<", "&lt;", x, fixed = TRUE), fixed = TRUE)
}

tolower_first <- function(x) {
  paste0(tolower(substr(x, 1, 1)), substring(x, 2))
}

figure3 <- function(x) {
  text <- vapply(signif(x, 3), function(v) {
    trimws(formatC(v, digits = 3, format = "fg", flag = "#", big.mark = ","))
  }, "")
  text <- sub("[.]$", "", text)
  text[!is.na(x) & x == 0] <- "0"
  text[is.na(x)] <- "&ndash;"
  text
}

dollars <- function(x) {
  paste0("$", vapply(round(x), count, ""))
}

#' A file as base64 text, by base R only
base64 <- function(file) {
  bytes <- as.integer(readBin(file, "raw", file.size(file)))
  padding <- (3 - length(bytes) %% 3) %% 3
  bytes <- matrix(c(bytes, integer(padding)), nrow = 3)
  digits <- rbind(
    bytes[1, ] %/% 4L,
    (bytes[1, ] %% 4L) * 16L + bytes[2, ] %/% 16L,
    (bytes[2, ] %% 16L) * 4L + bytes[3, ] %/% 64L,
    bytes[3, ] %% 64L
  )
  alphabet <- c(LETTERS, letters, 0:9, "+", "/")
  text <- alphabet[digits + 1L]
  if (padding > 0) text[length(text) - seq_len(padding) + 1] <- "="
  paste(text, collapse = "")
}
