# Calls for whole files: codebooks, plans, releases, sets, tables and databases.

# Columns of every kind that a codebook has, few records, some of them missing
odd_file <- function(n = 60) {
  data <- bad_input_data(n)
  withr::with_seed(7, data.frame(
    y = round(data$y, 2), g = data$g, name = data$name,
    count = as.integer(seq_len(n) %% 7),
    kind = factor(sample(c("u", "v", "w"), n, TRUE)),
    yes = replace(data$yes == 1, 5, NA),
    born = as.Date("1960-01-01") + sample(10000, n, TRUE),
    house = rep(seq_len(n / 2), each = 2), weight = round(stats::runif(n, 1, 9))
  ))
}

odd_fields <- function() {
  data.frame(
    column = c(
      "y", "g", "name", "count", "kind", "yes", "born", "house", "weight"
    ),
    type = c(
      "amount", "category", "id", "count", "ordered", "logical", "date", "id",
      "amount"
    ),
    levels = c("", "a|b", "", "", "u|v|w", "", "", "", ""),
    lower = c("10", "", "", "0", "", "", "1950-01-01", "", "0.5"),
    upper = c("1e7", "", "", "20", "", "", "2000-12-31", "", "20"),
    digits = c(2, NA, NA, NA, NA, NA, NA, NA, 0),
    missing = c(FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE),
    transform = c("log", "", "", "identity", "", "", "identity", "", "log"),
    records = c(NA, NA, NA, NA, NA, NA, NA, 2, NA)
  )
}

odd_book <- function() codebook(odd_fields())

# Codebooks that something is wrong with, as data frames: each field of a
# column of each type in turn
odd_books <- function() {
  cells <- list(
    na = NA, empty = "", word = "zzz", minus = "-1", inf = "Inf", nan = "NaN",
    huge = "1e400", tiny = "1e-320", bar = "|", twice = "a|a", is = "=",
    escaped = "\\", bytes = "K\xf6ln", long = strrep("a|", 3000),
    date = "2020-13-45", true = "true", turned = "1e9", zero = "0",
    flag = "maybe", half = "0.5", many = toString(1:400), year = "0000-01-01",
    year_far = "9999-12-31", quote = "'\"`{x}", name_twice = "g"
  )
  fields <- names(odd_fields())
  more <- c("codes", "heaps", "zero", "outside", "family", "unit", "label",
    "confirmed")
  books <- list()
  for (field in c(fields, more)) {
    for (cell in names(cells)) {
      for (row in c(1, 2, 4, 5, 7)) {
        book <- odd_fields()
        if (!field %in% fields) book[[field]] <- NA
        book[[field]] <- as.character(book[[field]])
        book[row, field] <- cells[[cell]]
        books[[paste(field, row, cell, sep = "_")]] <- book
      }
    }
  }
  books
}

odd_rules <- function() {
  text <- c(
    holds = "~ y > 0", many = "~ y > 0 & count < 7 & kind != 'u'",
    never = "~ y < 0", na = "~ NA", number = "~ 5", absent = "~ zzz > 0",
    fails = "~ stop('x')", short = "~ TRUE", two_sided = "y ~ g",
    text = "~ g == 'zzz'", missing = "~ is.na(yes)", dates = "~ born > '1990'",
    equal = "~ house == count", random = "~ runif(60) > 0.5",
    window = "~ y > mean(y)", assign = "~ (y = 2) > 1", call = "~ data$y > 1",
    factor = "~ kind > 'u'", nested = "~ if (y > 1) TRUE", empty = "~ NULL",
    arithmetic = "~ y / 0 > 1", vector = "~ c(TRUE, FALSE)",
    ifelse = "~ ifelse(yes, y > 5, TRUE)", id = "~ name != 'a'"
  )
  rules <- lapply(text, stats::as.formula, env = globalenv())
  c(rules, list(
    list = list(~ y > 0, ~ count < 7), words = c("y > 0", "zzz"),
    no_rules = list(), half = list(~ y > 0, 1)
  ))
}

# A table of a database for each that is there
odd_tables <- function() {
  if (!requireNamespace("RSQLite", quietly = TRUE) ||
    !requireNamespace("dbplyr", quietly = TRUE)) {
    return(list())
  }
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  RSQLite::initExtension(con, "math")
  data <- odd_file()
  data$born <- format(data$born)
  data$yes <- as.integer(data$yes)
  text <- vapply(data, is.factor, NA)
  data[text] <- lapply(data[text], as.character)
  write <- function(name, data) {
    DBI::dbWriteTable(con, name, data)
    dplyr::tbl(con, name)
  }
  table <- write("persons", data)
  DBI::dbExecute(con, "CREATE VIEW seen AS SELECT * FROM persons")
  DBI::dbExecute(con, "CREATE TABLE target (y REAL, g TEXT)")
  other <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbWriteTable(other, "persons", data)
  closed <- dplyr::tbl(other, "persons")
  DBI::dbDisconnect(other)
  list(
    table = table, first = write("first", data[1:30, ]),
    second = write("second", data[31:60, ]), one = write("one", data[1, ]),
    empty = write("empty", data[0, ]), closed = closed,
    view = dplyr::tbl(con, "seen"), target = dplyr::tbl(con, "target"),
    filtered = dplyr::filter(table, .data$y > 100),
    few = dplyr::filter(table, .data$y > 1e9),
    selected = dplyr::select(table, "y", "g"),
    computed = dplyr::mutate(table, y = .data$y * 2),
    summary = dplyr::count(table, .data$g),
    written = dplyr::tbl(con, dplyr::sql("SELECT * FROM persons")),
    twice = dplyr::union_all(table, table),
    united = dplyr::union_all(write("third", data), table),
    distinct = dplyr::union(write("fourth", data), table),
    lacks = dplyr::union_all(table, dplyr::tbl(con, "target"))
  )
}

# An object of each class of a whole file
file_objects <- function() {
  data <- odd_file()
  book <- odd_book()
  plan <- quietly(file_plan(data, book, unit = "house"))
  weighted <- quietly(file_plan(data, book, survey_weights = "weight"))
  release <- quietly(file_release(plan, 2, seed = 1))
  weighted_release <- quietly(file_release(weighted, 2, seed = 1))
  sets <- quietly(synthesize(release, 2, seed = 1))
  fitted <- quietly(fit_file(data[c("g", "kind", "count")], seed = 1))
  sequence <- quietly(synthesize_file(data[c("g", "kind", "count")], seed = 1))
  tables <- odd_tables()
  parts <- if (length(tables) > 0) {
    dplyr::union_all(tables$first, tables$second)
  }
  of_file <- list(
    codebook = book, plan = plan, file_release = release, file_sets = sets,
    file_weighted = weighted, file_weighted_release = weighted_release,
    file_weighted_sets = quietly(synthesize(weighted_release, 2, seed = 1)),
    released_tables = quietly(tables(release, "g")),
    cleared = quietly(cleared_tables(file_plan(data[c("g", "kind", "y")],
      book[book$table$column %in% c("g", "kind", "y"), ]
    ))),
    file_fit = fitted, sequence_sets = sequence,
    file_utility = quietly(utility(sets, data)),
    file_measured = quietly(risk(sets, data,
      keys = "g", variables = "kind"
    )), parts = parts
  )
  Filter(Negate(is.null), of_file)
}

file_calls <- function(objects) {
  data <- odd_file()
  call <- function(f, ...) list(f = f, arguments = list(...))
  o <- objects
  held <- odd_tables()
  calls <- list(
    codebook_fields = call(codebook, x = odd_fields()),
    draft_file = call(draft_codebook, data = data),
    edit_codebook = call(edit_codebook,
      .book = o$codebook, y = list(upper = 2e6), g = "id"
    ),
    confirm_file = call(confirm_codebook, book = o$codebook, columns = "y"),
    write_codebook_to = call(write_codebook,
      book = o$codebook, path = tempfile(fileext = ".csv")
    ),
    plan_file = call(file_plan,
      data = data, codebook = o$codebook, publish = "g", unit = "house",
      rules = ~ count < 7, survey_weights = NULL
    ),
    plan_weighted = call(file_plan,
      data = data, codebook = o$codebook, survey_weights = "weight"
    ),
    file_release = call(file_release,
      plan = o$plan, epsilon = 2, delta = 1e-6, neighbours = "add-remove",
      tables = list(c("g", "kind")), seed = 1, ledger = NULL, public_n = NULL
    ),
    file_release_replace = call(file_release,
      plan = o$plan, epsilon = 2, neighbours = "replace", seed = 1
    ),
    synthesize_release = call(synthesize,
      fit = o$file_release, m = 2, n = 50, seed = 1
    ),
    synthesize_of_plan = call(synthesize, fit = o$file_release, m = 1),
    synthesize_folder = call(function(fit, into = tempfile(), ...) {
      synthesize(fit, into = into, ...)
    }, fit = o$file_release, into = tempfile(), m = 1, n = 40),
    tables = call(pseudosynth::tables,
      release = o$file_release, columns = c("g", "kind"), what = "shares",
      about = "population", level = 0.95
    ),
    cleared_tables = call(cleared_tables,
      plan = quietly(file_plan(data[c("g", "kind", "y")],
        o$codebook[o$codebook$table$column %in% c("g", "kind", "y"), ]
      )), tables = list(c("g", "kind")), multiple = 5, least = 5, bins = NULL
    ),
    synthesize_cleared = call(synthesize, fit = o$cleared, m = 1, seed = 1),
    fit_file = call(fit_file,
      plan = data[c("g", "kind", "count")], mechanism = "unweighted",
      epsilon = NULL, model = NULL, order = "kind", predictors = NULL,
      leaf = 5, m = 1, seed = 1, neighbours = "add-remove"
    ),
    synthesize_fit_file = call(synthesize, fit = o$file_fit, m = 1, seed = 1),
    synthesize_file = call(synthesize_file,
      plan = data[c("g", "kind", "count")], mechanism = "unweighted",
      epsilon = NULL, m = 1, model = NULL, order = "kind", predictors = NULL,
      leaf = 5, n = 30, seed = 1, neighbours = "add-remove"
    ),
    survey_design = call(survey_design, sets = o$file_weighted_sets, set = 1),
    survey_designs = call(survey_design, sets = o$file_weighted_sets),
    rake_weights = call(rake_weights,
      sets = o$file_weighted_sets,
      totals = data.frame(g = c("a", "b"), total = c(150, 200))
    ),
    file_utility = call(utility,
      synthetic = o$file_sets, data = data, regression = count ~ g,
      pmse = FALSE, survey_weights = NULL
    ),
    risk_of = call(risk,
      synthetic = o$file_sets, data = data, keys = c("g", "kind"),
      variables = "count", intervals = 5
    ),
    uniques_of = call(replicated_uniques,
      synthetic = o$file_sets, data = data, keys = c("g", "kind")
    ),
    release_file = call(function(formats, ...) {
      release(unseeded_file(), tempfile(), formats = formats, ...)
    }, formats = "csv", data = data, require = "none", long = FALSE),
    release_whole = call(function(...) {
      release(unseeded_release(), tempfile(), ...)
    }, formats = "rds", data = data, require = "none"),
    audit_file = call(audit_guarantee,
      x = o$file_release, data = data, replicates = 20, seed = 1
    ),
    pool_file = call(function(...) {
      pool(with(o$file_sets, stats::lm(count ~ g)), ...)
    }, level = 0.9),
    ledger_twice = call(function(...) {
      path <- tempfile()
      ledger(path, epsilon = 1, delta = 1e-5)
      ledger(path, ...)
    }, epsilon = 1, delta = 1e-5, neighbours = "add-remove"),
    resume_file = call(function(path, ...) {
      resume(path, ...)
    }, path = odd_folder(), ledger = NULL),
    release_queries = call(release_queries,
      formula = log(y) ~ g, data = data, family = student_t(),
      reference = list("(Intercept)" = 10, sigma = 1), bounds = c(10, 1e7),
      bins = 20, prior = NULL, clip = NULL, response = NULL, scaling = NULL
    )
  )
  c(calls, if (length(held) > 0) table_calls(held, o))
}

table_calls <- function(tables, o) {
  call <- function(f, ...) list(f = f, arguments = list(...))
  reference <- list("(Intercept)" = 10, sigma = 1)
  list(
    queries_table = call(release_queries,
      formula = log(y) ~ g, data = tables$table, reference = reference,
      bounds = c(10, 1e7)
    ),
    score_table = call(score_release,
      formula = log(y) ~ g, data = tables$table, epsilon = 5,
      reference = reference, bounds = c(10, 1e7), seed = 1
    ),
    score_parts = call(score_release,
      formula = log(y) ~ g, data = o$parts, epsilon = 5,
      reference = reference, bounds = c(10, 1e7), seed = 1
    ),
    plan_table = call(file_plan,
      data = dplyr::select(tables$table, -"born"),
      codebook = o$codebook[o$codebook$table$column != "born", ],
      publish = "g", unit = NULL,
      rules = ~ count < 7
    ),
    draft_table = call(draft_codebook, data = tables$table),
    write_table = call(function(into, ...) {
      con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
      on.exit(DBI::dbDisconnect(con))
      DBI::dbExecute(con, "CREATE TABLE target (g TEXT, kind TEXT)")
      data <- odd_file()[c("g", "kind")]
      book <- confirm_codebook(draft_codebook(data))
      release <- quietly(file_release(file_plan(data, book), 1))
      if (identical(into, "here")) into <- dplyr::tbl(con, "target")
      print(synthesize(release, into = into, ...))
    }, into = "here", m = 1, n = 40)
  )
}

unseeded_file <- function() {
  quietly(synthesize(file_release(file_plan(odd_file(), odd_book()), 2)))
}

unseeded_release <- function() {
  quietly(file_release(file_plan(odd_file(), odd_book()), 2))
}

# A folder as no job leaves it
odd_folder <- function() {
  folder <- tempfile("job")
  dir.create(folder, mode = "0700")
  writeLines("zzz", file.path(folder, "state.rds"))
  folder
}

# Odd files through everything that is made of a whole file ------------------

#' @return (list of data frames) By name.
odd_whole_files <- function() {
  good <- odd_file()
  n <- nrow(good)
  with_column <- function(value, name = "y") {
    good[[name]] <- value
    good
  }
  columns <- odd_responses(n)
  files <- lapply(columns, with_column)
  names(files) <- paste0("y_", names(columns))
  shifted <- lapply(columns, with_column, name = "g")
  names(shifted) <- paste0("g_", names(columns))
  frames <- odd_frames()
  names(frames) <- paste0("frame_", names(frames))
  more <- list(
    three = good[1:3, ], two = good[1:2, ], one = good[1, ],
    only_amount = good["y"], only_id = good["name"], only_date = good["born"],
    all_missing = with_column(rep(NA, n)), codes = with_column(
      replace(good$y, 1:20, c(-9, -8, 99999))
    ),
    old_date = with_column(good$born - 500000, "born"),
    far_date = with_column(replace(good$born, 1:9, as.Date("9999-12-31")),
      "born"
    ),
    inf_date = with_column(
      replace(good$born, 1, structure(Inf, class = "Date")), "born"
    ),
    long_level = with_column(factor(rep(strrep("x", 2e4), n)), "g"),
    many_levels = with_column(sprintf("l%d", seq_len(n)), "g"),
    reserved = stats::setNames(good, c(
      ".draw", "set", "select", "TRUE", "NA", "if", "n", "weight", ".chain"
    )),
    unicode = stats::setNames(good, c(
      "\u00e4", "\u2713", "a\nb", "a\"b", "a'b", "a,b", "{x}", "%d", " x "
    )),
    big_whole = with_column(2^53 + 2 * seq_len(n)),
    minus_zero = with_column(rep(c(-0, 0), n / 2)),
    subnormal = with_column(rep(5e-324, n)),
    wide = cbind(good, as.data.frame(matrix(
      rep(0:1, n * 6), n, dimnames = list(NULL, sprintf("v%d", 1:12))
    )))
  )
  c(files, shifted, frames, more)
}

whole_file_steps <- function() {
  alist(
    book_print = print(book), book_frame = as.data.frame(book),
    book_again = codebook(as.data.frame(book)),
    book_written = {
      path <- tempfile(fileext = ".csv")
      write_codebook(book, path)
      codebook(path)
    },
    plan_draft = print(file_plan(data, book)),
    plan_plot = odd_draw(autoplot(file_plan(data, book))),
    cleared = print(synthesize(cleared_tables(file_plan(data, book)))),
    sequence = print(synthesize_file(data)),
    risk = print(risk(synthesize_file(data), data, keys = names(data)[1]))
  )
}

release_steps <- function() {
  alist(
    lw = print(synthesize_file(plan, "lw",
      chains = 1, warmup = 20, draws = 20, threads = 1,
      control = sampler_control(max_treedepth = 5), # fits are short
      allow_unconverged = TRUE
    )),
    print = print(release), summary = print(summary(release)),
    label = print(guarantee(release)), plot = odd_draw(autoplot(release)),
    tables = print(tables(release)),
    audit = print(audit_guarantee(release, data)),
    sets = print(synthesize(release, 2)),
    more = print(synthesize(release, 1, n = 7)),
    folder = print(synthesize(release, 1, into = tempfile())),
    utility = print(utility(synthesize(release, 2), data)),
    utility_plot = odd_draw(autoplot(utility(synthesize(release, 2), data))),
    uniques = print(replicated_uniques(synthesize(release), data)),
    attribute = print(risk(synthesize(release), data,
      keys = names(data)[1], variables = names(data)[2]
    )),
    out = release(synthesize(release), tempfile(), c("csv", "rds"),
      data = data, require = "none"
    ),
    out_foreign = release(synthesize(release), tempfile(), c("dta", "sav"),
      data = data, require = "none"
    ),
    out_parquet = release(synthesize(release), tempfile(), "parquet",
      data = data, require = "none"
    ),
    plan_out = release(release, tempfile(), "rds",
      data = data, require = "none"
    )
  )
}

run_whole_file <- function(name, record) {
  frame <- list2env(
    list(data = odd_whole_files()[[name]]), parent = environment()
  )
  step <- function(name, code) record(name, function() eval(code, frame))
  frame$book <- step("draft", quote(draft_codebook(data)))
  if (is.null(frame$book)) return(invisible())
  steps <- whole_file_steps()
  for (name in names(steps)) step(name, steps[[name]])
  frame$confirmed <- step("confirm", quote(confirm_codebook(book)))
  frame$plan <- step("plan", quote(file_plan(data, confirmed)))
  if (is.null(frame$plan)) return(invisible())
  frame$release <- step("release", quote(
    file_release(plan, epsilon = 1, seed = NULL)
  ))
  if (is.null(frame$release)) return(invisible())
  steps <- release_steps()
  for (name in names(steps)) step(name, steps[[name]])
}
