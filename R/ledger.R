#' A ledger of what has been spent on a confidential file
#'
#' Opens an append-only file that is kept with the data. The ledger records the
#' cost of every release, adds up the costs, and refuses a release that exceeds
#' the budget.
#'
#' [synthesize()], [pseudo_posterior()], [score_release()] and
#' [perturbed_histogram()] accept it as `ledger`. They write their entry before
#' they draw anything, noise included. If they fail, warn or are killed
#' afterwards, the entry stays, and the draw cannot be repeated under it. Every
#' call writes its own entry. A job also writes entries for its histogram and
#' its first stage, which are drawn before its sets.
#'
#' Use one ledger for one confidential file: all its entries add up, whatever
#' their model or column.
#'
#' @param path (string) The ledger's file, such as `"income.ledger"`. If it does
#'   not exist, it is created, and only its owner can read and write it.
#' @param epsilon (positive number or `NULL`) The budget, under `neighbours`.
#'   Default `NULL`: open an existing ledger. The budget of a ledger cannot be
#'   changed: another number is an error.
#' @param delta (number from 0 to 0.1) The public delta at which the ledger
#'   states costs in zero-concentrated differential privacy, such as those of
#'   [score_release()]. Default 0: such costs are refused.
#' @param neighbours (string) The relation of the budget: `"add-remove"`, the
#'   default, or `"replace"`. An existing ledger keeps its own `delta` and
#'   `neighbours`.
#' @param unit (whole number with a name, or `NULL`) The unit that the budget is
#'   for, and how many records it may have at most: `c(household = 4)`. The name
#'   is that of the column that [file_plan()] takes as `unit`. Default `NULL`: a
#'   record, or the unit of the first release that has one.
#' @param x (`privacy_ledger`) The ledger.
#' @param ... Not used.
#'
#' @return A `privacy_ledger`: a list with `path`, `epsilon`, `delta` and
#'   `neighbours`. The entries stay in the file. `print()` shows how much is
#'   spent. `as.data.frame()` has one row for each entry: `number`, `time`
#'   (UTC), `synthetic`, `published`, `mechanism`, `label`, `unit`, `m`,
#'   `records`,
#'   `file` (a salted hash of the confidential response; `NA` for sets drawn
#'   from a histogram or score release, which hold no record) and `spent`, the
#'   total up to and including the entry.
#'
#' @section Composition:
#' The ledger adds up the charges of all labels. A charge that several labels
#' share is counted once, see [guarantee()]. Pure epsilons are summed. If one
#' charge is in zero-concentrated differential privacy, all are converted to
#' rho, summed, and stated at `delta`. Claimed epsilons of asymptotic labels
#' count as if they were proven; `print()` shows how much of the sum is proven.
#' Draws without a claim are refused. So are draws with a seed, because they are
#' not for release.
#'
#' A column that one entry protects must not be published by another. If income
#' is drawn given education, and education given income, each release publishes
#' what the other protects. A column with 20 or more distinct values is
#' recognised by its values even under another name. The number of records
#' counts as a column. A [file_release()] without published columns protects it
#' under `"add-remove"`. Every other release of records publishes it.
#'
#' All costs are counted for one unit. If one release protects households, or
#' the ledger was made with `unit`, the total is what a household loses. A
#' release for records then counts for all records of a household: with at most
#' k records, k times a pure epsilon, and k^2 times rho. This is a theorem, not
#' an estimate. Releases for units of two names are refused.
#'
#' @section The file:
#' The first line of the file describes the ledger in JSON. Each further line is
#' an entry with a number and a hash. It is an error if a line was changed, or
#' if one is missing between others. The hash detects mistakes. It does not
#' protect against deliberate forgery.
#'
#' A draw is made only after its entry is written in full. But the ledger cannot
#' tell whether a cut-off line comes from a crash during writing, before the
#' draw, or from damage after the draw. If a line is cut off, `print()` says so,
#' and nothing more can be spent until you have dealt with it. If nothing was
#' drawn for the line, delete it. Otherwise restore it from a backup.
#'
#' If two processes use a ledger at once, one waits for the other: a folder
#' `<path>.lock` exists while an entry is written. If the process that holds the
#' lock has died, the lock is removed at once on the same Linux machine, and
#' after a minute elsewhere. A process that was asleep and lost the lock notices
#' it: it draws nothing, and the ledger stays as it is. The ledger must be on a
#' local disk, because neither locking nor appending is safe on network disks.
#' An entry survives the death of its process; whether it survives a power
#' failure depends on the disk.
#'
#' @section Error types:
#' `pseudosynth_error_budget` (a `pseudosynth_error_privacy`): the cost exceeds
#' the budget. The condition has the fields `spent`, `total` (including this
#' cost) and `budget`. `pseudosynth_error_protected` (a
#' `pseudosynth_error_privacy`): a column is to be published that another entry
#' protects, or protected that another entry publishes; the number of records
#' is such a column. `pseudosynth_error_unit` (a `pseudosynth_error_privacy`):
#' the release protects another kind of unit than the ledger.
#' `pseudosynth_error_ledger` (a `pseudosynth_error_input`): the file is not a
#' ledger, a line was changed or cut off, or another budget is stated. The
#' ledger cannot detect that its file was replaced by an earlier copy: keep it
#' where nobody does that. `pseudosynth_error_locked`: another process holds the
#' lock for more than 90 seconds, or took it while this one was asleep.
#' @section Privacy:
#' The ledger is as confidential as the file, because claimed epsilons are
#' computed from the file.
#' @seealso [synthesize()], [release()]
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
#'   draws = 1000,
#'   censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1))
#' )
#' book <- ledger(tempfile(fileext = ".ledger"), epsilon = 5)
#' first <- synthesize(fit, m = 2, ledger = book)
#' book
#' # 2 more would make 6 in total
#' try(synthesize(fit, m = 1, ledger = book))
#' @export
ledger <- function(path, epsilon = NULL, delta = 0,
                   neighbours = c("add-remove", "replace"), unit = NULL) {
  check_path(path)
  check_argument(epsilon, null = TRUE)
  check_argument(delta, min = 0)
  neighbours <- check_argument(neighbours)
  unit <- check_ledger_unit(unit)
  check_installed("jsonlite")
  path <- resolved_path(path)
  refuse_if(
    dir.exists(path), "{.arg path} must be the ledger's file.",
    x = "{.file {path}} is a folder.",
    i = "Name a file in it:
         {.code ledger(file.path(folder, \"income.ledger\"), ...)}.",
    arg = "path", abort = abort_ledger
  )
  if (!file.exists(path)) {
    make_ledger(path, epsilon, delta, neighbours, unit)
  }
  book <- read_ledger(path)
  refuse_if(
    !is.null(epsilon) && epsilon != book$epsilon,
    "The budget of a ledger cannot be changed.",
    x = "{.file {path}} has epsilon {format_exact(book$epsilon)}.",
    i = "Leave {.arg epsilon} out.", arg = "epsilon", abort = abort_ledger
  )
  refuse_if(
    !is.null(unit) && !identical(unit, stated_unit(book)),
    "The unit of a ledger cannot be changed.",
    x = "{.file {path}} was made {unit_text(stated_unit(book))}.",
    i = "Leave {.arg unit} out.", arg = "unit", abort = abort_ledger
  )
  new_result(
    "privacy_ledger", path = path, epsilon = book$epsilon, delta = book$delta,
    neighbours = book$neighbours
  )
}

check_ledger_unit <- function(unit) {
  if (is.null(unit)) {
    return(NULL)
  }
  check_that(
    is_number(unit) && unit >= 1 && unit <= .Machine$integer.max &&
      unit == round(unit) &&
      # A name in one line, without spaces around it
      isTRUE(grepl("^[^[:space:]]([^[:cntrl:]]*[^[:space:]])?$", names(unit))),
    unit,
    "{.arg unit} must be a whole number with a name, such as
     {.code c(household = 4)}: the column, and how many records a unit has at
     most.", arg = "unit"
  )
  list(column = names(unit), records = as.integer(unit))
}

#' Spend what a label charges, or refuse
#'
#' Called before anything is drawn. When it returns the entry is in the file.
#' @param label (`privacy_guarantee`) With the agency's figures.
#' @param response (numeric or `NULL`) The confidential response.
#' @param published (list, data frame or `NULL`) The columns that are published
#'   beside what is synthetic.
#' @param unit (list or `NULL`) `column` and `records` of the unit that the
#'   charges are for; `NULL`: a record.
#' @param paid (function) Called when the entry is written, whatever comes.
#' @noRd
spend <- function(ledger, label, variable, published, response, again = FALSE,
                  unit = NULL, paid = function() NULL) {
  check_spendable(label)
  locked(ledger$path, function(is_mine) {
    book <- read_ledger(ledger$path)
    check_whole(book, ledger$path)
    # A resumed job draws the same sets, which are paid for, and the sets of a
    # release cost what its noise did
    if (again && is_recorded(book, label)) {
      paid()
      return(invisible())
    }
    entry <- ledger_entry(book, label, variable, published, response, unit)
    check_same_unit(book, unit)
    check_protected(book, entry)
    check_budget(book, entry)
    suspendInterrupts({
      write_entry(ledger$path, entry, book, is_mine)
      paid()
    })
  })
  invisible()
}

#' Write an entry, and see that it counts
#'
#' A process that was asleep may have lost the lock meanwhile. What counts is
#' the order in the file, see read_ledger().
#' @param is_mine (function) See locked().
#' @noRd
write_entry <- function(path, entry, book, is_mine) {
  lost <- function() {
    abort_ledger(
      "This process lost the lock of the ledger, and another one wrote.",
      x = "It was asleep, or the lock was removed. Nothing was drawn.",
      i = "Call the function again.", class = "pseudosynth_error_locked"
    )
  }
  if (!is_mine()) lost()
  line <- seal_line(entry, book$salt)
  append_line(path, line, book$ended)
  written <- read_ledger(path)$entries
  own <- if (length(written) >= entry$number) written[[entry$number]]
  if (is.null(own) || !endsWith(line, sprintf("\"%s\"}", own$check))) lost()
}

#' Spend what noise will cost, before it is drawn
#'
#' A warning, an error or an interrupt after the draw could carry a figure away.
#' Sets that are drawn later have the same charges, which the ledger then knows.
#' @param ledger (`privacy_ledger` or `NULL`)
#' @param label (string) Of what will be drawn.
#' @return (data frame) `charges`; of a run that goes on those that it has paid.
#' @noRd
spend_noise <- function(ledger, charges, mechanism, variable, published,
                        response, m = 1L, n_records = NA_integer_,
                        seed = NULL, label = "strict", unit = NULL) {
  run <- run_of(seed)
  before <- run$charged[[mechanism]] %||% run$planned
  if (!is.null(before)) {
    costs <- function(x) unname(as.list(x[charge_costs]))
    refuse_privacy(
      !identical(costs(before), costs(charges)),
      "A run goes on for what it has paid.",
      x = "It would cost something else now: it was edited.",
      i = "Call the function again.", class = "pseudosynth_error_edited"
    )
    charges <- before
  }
  # Whoever goes on must know what was paid for
  if (!is.null(run$keep)) run$keep(charges)
  paid <- function() note_charged(run, mechanism, charges)
  if (is.null(ledger)) {
    paid()
  } else {
    # A run that goes on may do so in another ledger
    spend(
      ledger, list(
        label = label, charges = charges, mechanism = mechanism, m = m,
        n_records = n_records, fit = NA_character_,
        reproducible = is_seeded(seed)
      ),
      variable, published, response,
      again = !is.null(before), unit = unit, paid = paid
    )
  }
  charges
}

#' Refuse before the first fit what is known not to fit
#'
#' Of Gaussian noise that is whether the ledger takes it at all; what it costs
#' is known once the design is.
#' @param job (`synthesis_job`)
#' @noRd
check_planned <- function(ledger, job) {
  if (is.null(ledger)) {
    return(invisible())
  }
  if (!is.null(job$seed)) abort_seeded()
  book <- read_ledger(ledger$path)
  check_whole(book, ledger$path)
  if (isTRUE(job$mechanism$settings$delta > 0)) {
    check_has_delta(book)
  } else if (!is.null(job$epsilon)) {
    planned <- charge("planned", "the job", by_relation(
      width_of_epsilon(job$epsilon, job$neighbours)
    ))
    check_budget(book, list(charges = row_lists(planned)))
  }
}

abort_seeded <- function() {
  abort_privacy(
    "A ledger only records draws that are for release.",
    x = "These sets, or their source, were made with a given seed.",
    i = "Leave {.arg seed} out everywhere, or {.arg ledger} here.",
    arg = "ledger"
  )
}

#' Has an entry the very charges of a label?
#' @noRd
is_recorded <- function(book, label) {
  costs <- function(charges) charges[c("id", charge_costs, "times")]
  wanted <- costs(label$charges)
  any(vapply(book$entries, function(entry) {
    isTRUE(all.equal(costs(entry_charges(list(entry))), wanted))
  }, NA))
}

refuse_uncounted <- function(wrong, label) {
  refuse_privacy(
    wrong, "A ledger only records draws that claim an epsilon.",
    x = "The label of these is {.val {label}}.",
    i = "Leave {.arg ledger} out; such sets are not counted.", arg = "ledger"
  )
}

check_spendable <- function(label) {
  refuse_uncounted(
    label$label == "none" || anyNA(total_charges(label$charges)$epsilon),
    label$label
  )
  if (!identical(label$reproducible, FALSE)) abort_seeded()
}

#' Refuse to publish what another entry protects, or the other way round
#'
#' Each label would be right about its own release, and their sum about nothing.
#' Columns are known by their names and, under other names, by their values.
#' @param entry See ledger_entry().
#' @noRd
check_protected <- function(book, entry) {
  of <- function(field) {
    unlist(lapply(book$entries, function(entry) unlist(entry[[field]])))
  }
  columns <- function(field) {
    unlist(lapply(book$entries, function(entry) columns_of(entry)[[field]]))
  }
  own <- columns_of(entry)
  renamed <- as.character(entry$published)[entry$values %in% of("file")]
  told <- unique(c(
    intersect(own$published, columns("synthetic")), renamed,
    intersect(own$synthetic, columns("published")),
    entry$synthetic[nzchar(entry$file) & entry$file %in% of("values")]
  ))
  size <- identical(told, size_column)
  refuse_privacy(
    length(told) > 0,
    if (size) {
      "The number of records must not be protected by one release and published
       by another."
    } else {
      "A column that one release protects must not be published by another."
    },
    x = if (!size) {
      "{cli::qty(told)}The column{?s} {.val {told}} {?is/are} synthetic in one
       release and published in another."
    },
    i = if (!size) {
      "Leave {cli::qty(told)}{?it/them} out of the predictors."
    },
    i = if (size_column %in% told) {
      "A file release without published columns protects the number of records
       under {.val add-remove}. Every other release publishes it. Use
       {.code neighbours = \"replace\"} in all of them, or publish a column."
    },
    arg = "ledger", class = "pseudosynth_error_protected"
  )
}

# What the number of records is called among the columns of an entry
size_column <- "the number of records"

#' Columns that an entry protects and publishes, the number of records among
#' them
#'
#' A file release protects it where it is not stated. A histogram says nothing
#' of it: it is neither in its label nor in its values. Every other release, and
#' whatever publishes a column, shows it.
#' @return (list of character) `synthetic`, `published`.
#' @noRd
columns_of <- function(entry) {
  synthetic <- as.character(unlist(entry$synthetic))
  published <- as.character(unlist(entry$published))
  unknown <- is.null(entry$records) || is.na(entry$records)
  if (entry$mechanism == "file" && unknown && length(published) == 0) {
    synthetic <- c(synthetic, size_column)
  } else if (entry$mechanism != "perturbed_histogram" ||
    length(published) > 0) {
    published <- c(published, size_column)
  }
  list(synthetic = synthetic, published = published)
}

# Whom a ledger protects -------------------------------------------------------

stated_unit <- function(book) {
  if (!is.null(book$stated)) {
    list(
      column = book$stated$column, records = as.integer(book$stated$records)
    )
  }
}

unit_text <- function(unit) {
  if (is.null(unit)) {
    "for single records"
  } else {
    sprintf("for all records of one %s, at most %d", unit$column, unit$records)
  }
}

#' Refuse units that are no parts of each other
#' @noRd
check_same_unit <- function(book, unit) {
  other <- !is.null(unit) && !is.null(book$unit) &&
    unit$column != book$unit$column
  refuse_privacy(
    other, "A ledger counts its costs for one unit.",
    x = "This release protects units of {.val {unit$column}}, the ledger those
         of {.val {book$unit$column}}. What one costs the other is not known.",
    i = "Make all releases of a file for the same {.arg unit}.",
    arg = "ledger", class = "pseudosynth_error_unit"
  )
}

#' What charges for a record cost a unit of k records
#'
#' Group privacy, under either relation: k times a pure epsilon (Dwork and Roth
#' 2014, The algorithmic foundations of differential privacy, Theorem 2.2), with
#' delta the sum of exp(i epsilon) delta for i below k; k^2 times rho (Bun and
#' Steinke 2016, Concentrated differential privacy, Proposition 1.9); k times mu
#' (Dong, Roth and Su 2022, Gaussian differential privacy, Theorem 3), so that
#' Gaussian noise is as far from discrete noise as before: the gap is one of
#' laws of outcomes, file by file, and has no steps between files.
#' @param k (double) One for each charge.
#' @noRd
group_charges <- function(charges, k) {
  worst <- pmax(charges$add_remove, charges$replace)
  times <- ifelse(
    charges$delta > 0, expm1(k * worst) / pmax(expm1(worst), 1e-300), 1
  )
  charges$delta <- charges$delta * times
  for (pure in c("add_remove", "replace")) {
    charges[[pure]] <- charges[[pure]] * k
  }
  for (rho in c("rho_add_remove", "rho_replace")) {
    charges[[rho]] <- charges[[rho]] * k^2
  }
  charges
}

#' Refuse what does not fit in what is left
#' @param entry (list) `charges` and `unit`, see ledger_entry().
#' @noRd
check_budget <- function(book, entry) {
  charges <- entry_charges(list(entry))
  if (any(charges$zcdp)) check_has_delta(book)
  spent <- spent_of(book)
  unit <- ledger_unit(book, entry$unit)
  total <- spent_of(book, c(book$entries, list(entry)), unit)
  if (exceeds(total, book$epsilon)) {
    shown <- c(format_exact(book$epsilon), format_up(c(spent, total)))
    abort_privacy(
      "The ledger's budget does not allow this.",
      x = "The budget is epsilon {shown[1]} ({book$neighbours}): {shown[2]} is
           spent, and this release would bring it to {shown[3]}.",
      i = if (!is.null(unit)) {
        "The ledger counts for {.val {unit$column}}, of at most {unit$records}
         records. A release for records counts as one for that many."
      },
      arg = "ledger", class = "pseudosynth_error_budget",
      spent = spent, total = total, budget = book$epsilon
    )
  }
}

#' Refuse Gaussian noise where the ledger has no delta to state it at
#' @noRd
check_has_delta <- function(book) {
  refuse_privacy(
    book$delta == 0, "Gaussian noise needs a ledger with a {.arg delta}.",
    x = "This ledger has none. Nothing was drawn.",
    i = "Open another ledger for this file:
         {.code ledger(path, epsilon, delta = 1e-5)}.",
    i = "Or use {.code delta = 0} in this call where it may be 0, as in
         {.fn score_release}: that gives Laplace noise.",
    arg = "ledger", class = "pseudosynth_error_budget",
    spent = spent_of(book), total = Inf, budget = book$epsilon
  )
}

#' What entries cost the unit that a ledger protects
#'
#' The same charge in several entries is one thing: where one of them knows its
#' unit, the others are of that unit, too.
#' @return (number) Epsilon under the ledger's relation and delta.
#' @noRd
spent_of <- function(book, entries = book$entries, unit = book$unit) {
  charges <- entry_charges(entries)
  of_units <- Filter(function(entry) !is.null(entry$unit), entries)
  known <- charges$id %in% entry_charges(of_units)$id
  k <- ifelse(known, 1, unit$records %||% 1)
  total_charges(
    group_charges(charges, k), book$delta
  )$epsilon[[book$neighbours]]
}

#' @return (list) Among other fields `file`, a mark of the response's values,
#'   and `values`, those of the published columns; `""` where few values would
#'   be met by chance.
#' @noRd
ledger_entry <- function(book, label, variable, published, response,
                         unit = NULL) {
  mark <- function(x) cli::hash_sha256(paste(book$salt, values_mark(x)))
  marks <- function(columns) {
    I(vapply(columns, function(x) {
      if (length(unique(x)) < 20) "" else mark(x)
    }, "", USE.NAMES = FALSE))
  }
  c(list(
    number = length(book$entries) + 1L,
    time = format(Sys.time(), "%Y-%m-%dT%H:%M:%SZ", tz = "UTC"),
    file = if (is.data.frame(response)) {
      marks(response)
    } else if (!is.null(response)) {
      mark(response)
    },
    records = label$n_records, synthetic = variable,
    published = I(as.character(names(published))),
    values = marks(published),
    mechanism = label$mechanism, label = label$label, fit = label$fit,
    m = label$m, charges = row_lists(label$charges), version = own_version()
  ), if (!is.null(unit)) list(unit = unit[c("column", "records")]))
}

#' All that a ledger has recorded, the same thing once
#' @noRd
ledger_charges <- function(ledger) read_ledger(ledger$path)$charges

# Printing ---------------------------------------------------------------------

#' @rdname ledger
#' @export
as.data.frame.privacy_ledger <- function(x, ...) {
  book <- read_ledger(x$path)
  field <- function(name, missing) {
    vapply(book$entries, function(entry) {
      value <- unlist(entry[[name]])
      if (is.null(value)) missing else toString(value)
    }, "")
  }
  listed <- function(what) {
    vapply(book$entries, function(entry) {
      toString(columns_of(entry)[[what]])
    }, "")
  }
  number <- seq_along(book$entries)
  data.frame(
    number = number, time = field("time", ""),
    synthetic = listed("synthetic"), published = listed("published"),
    mechanism = field("mechanism", ""), label = field("label", ""),
    unit = vapply(book$entries, function(entry) {
      if (is.null(entry$unit)) "record" else as.character(entry$unit$column)
    }, ""),
    m = as.integer(field("m", "")),
    records = as.integer(field("records", NA_character_)),
    file = field("file", NA_character_),
    spent = vapply(number, function(i) {
      spent_of(book, book$entries[seq_len(i)])
    }, 1)
  )
}

print_lines.privacy_ledger <- function(x) {
  book <- read_ledger(x$path)
  proven <- vapply(book$entries, function(entry) entry$label == "strict", TRUE)
  n <- length(book$entries)
  c(
    sprintf(
      "Ledger: epsilon %s of %s spent (%s%s), %d entr%s",
      format_up(spent_of(book)), format_exact(book$epsilon),
      book$neighbours,
      if (book$delta > 0) paste(", delta", format_exact(book$delta)) else "",
      n, if (n == 1) "y" else "ies"
    ),
    text_if(
      !all(proven),
      "  %d of them claimed, not proven; the proven ones sum to %s",
      sum(!proven),
      format_up(spent_of(book, book$entries[proven]))
    ),
    text_if(
      !is.null(book$unit),
      "  counted %s; an entry for records counts as one for that many",
      unit_text(book$unit)
    ),
    text_if(
      length(book$torn) > 0,
      "  cut off and not counted: line %s; nothing more can be spent",
      toString(book$torn)
    ),
    text_if(
      length(book$void) > 0,
      paste0(
        "  not counted: line %s, which two processes wrote at once; ",
        "nothing was drawn"
      ),
      toString(book$void)
    ),
    paste0("  ", c(x$path, confidential_line()))
  )
}
