# Values that no argument was made for, by name: plain ones, formulas, data
# frames. Each list is made anew in every process.

odd_plain <- function() {
  text <- "K\xf6ln"
  long <- strrep("long ", 5000)
  day <- as.Date("2020-01-01")
  c(
    bad_values(),
    list(
      na_int = NA_integer_, na_real = NA_real_, na_complex = NA_complex_,
      minus_inf = -Inf, minus_half = -0.5, tiny = 1e-300, giant = 1e300,
      one = 1, one_and_half = 1.5, big_int = .Machine$integer.max,
      above_int = 2^31, above_53 = 2^54, ten = 10, ninety = 0.9,
      na_of_two = c(1, NA), inf_of_two = c(0, Inf), turned = c(2, 1),
      same_twice = c(1, 1), three = c(1, 2, 3), named = c(a = 1, b = 2),
      false = FALSE, flags = c(TRUE, FALSE),
      no_numbers = numeric(), letter = "a", unmarked = text,
      latin = `Encoding<-`(text, "latin1"), long = long, quotes = "a'b\"`{x}",
      braces = "{stop('run')}", newline = "a\nb", backslash = "a\\b",
      percent = "%s %d", words_twice = c("g", "g"), column = "y", group = "g",
      three_columns = c("y", "g", "x"), names_na = c(g = NA),
      no_levels = factor(character()), unused = factor("a", c("a", "b")),
      factor_na = factor(NA), ordered = factor("a", ordered = TRUE),
      time = as.POSIXct("2020-01-01", tz = "UTC"),
      lt = as.POSIXlt("2020-01-01", tz = "UTC"),
      span = as.difftime(1, units = "days"), dates = day + 0:1,
      deep = list(list(list(1, "a"), b = NULL)), list_null = list(NULL),
      named_list = list(a = 1, b = "x"), unnamed_number = list(1, 2),
      dup_list = list(a = 1, a = 2), primitive = sum, closure = function(x) x,
      failing = function(...) stop("on purpose"),
      null_fun = function(...) NULL, na_fun = function(...) NA,
      text_fun = function(...) "a",
      symbol = as.name("y"), expression = expression(a + b),
      array = array(1:8, c(2, 2, 2)),
      empty_matrix = matrix(0, 0, 3), text_matrix = matrix("a"),
      table = table(c("a", "b")), version = R_system_version("4.2.0"),
      object = structure(list(), class = "unheard"),
      number_object = structure(1, class = "unheard"),
      s4 = methods::getClass("numeric"), connection = stdin(),
      pairlist = pairlist(a = 1), haven = odd_labelled(1:2),
      namespace = asNamespace("stats"), lm = stats::lm(dist ~ speed, cars),
      gauss = stats::gaussian(), binom = stats::binomial(),
      one_sided = ~x, no_predictor = y ~ 0
    ),
    odd_scalars()
  )
}

# What looks like one number, string or flag, and is more or less than that
odd_scalars <- function() {
  carrying <- function(x) structure(x, note = bad_input_data()$y)
  looped <- new.env()
  looped$self <- looped
  list(
    of_matrix = matrix(1), of_array = array(0.5, 1), as_is = I(1),
    hex = as.hexmode(5L), no_quote = noquote("a"), roman = utils::as.roman(3),
    long_int = structure(4.94e-324, class = "integer64"),
    minus_zero = -0, subnormal = 5e-324, above_one = 1 + 2e-16,
    not_quite = 0.1 + 0.2, largest = .Machine$double.xmax,
    carrying_one = carrying(1), carrying_text = carrying("g"),
    carrying_flag = carrying(TRUE), named_one = c("a b" = 1),
    named_after = stats::setNames(0.5, bad_input_data()$name[1]),
    text_number = "1e-3", text_true = "TRUE", space = " ", tab = "\t",
    raw_bytes = `Encoding<-`("\xff\xfe", "bytes"),
    combining = "e\u0301", right_to_left = "\u202eabc", dots = "..",
    root = "/", home = "~", device = "/dev/null", url = "http://127.0.0.1:1/",
    long_name = strrep("n", 300), sequence = 1:100000,
    many_words = rep("g", 1e4), half_missing = c(TRUE, NA),
    missing_names = stats::setNames(1:2, c("a", NA)),
    same_names = c(g = "a", g = "b"), nested_frame = data.frame(x = I(list(1))),
    factor_twice = factor(c("a", "a")),
    inf_date = structure(Inf, class = "Date"),
    posix_na = as.POSIXct(NA), looped = looped,
    missing_arg = quote(expr = ), # nolint: spaces_inside_linter.
    active = local({
      frame <- new.env()
      makeActiveBinding("x", function() stop("on purpose"), frame)
      frame
    }),
    infinite_list = rep(list(1), 1e4), promise = quote(stop("on purpose")),
    lists_of_names = list(g = "a", x = NULL), function_text = "function(x) x",
    dimnamed = matrix(1, 1, 1,
      dimnames = list("SECRETNAME001", "a")
    ),
    zero_columns = matrix(0, 3, 0), zero_frame = data.frame()[1:3, ],
    difftime = as.difftime("10:00:00")
  )
}

# As haven reads a file of SPSS, without haven
odd_labelled <- function(x) {
  structure(x,
    labels = c(no = 1, yes = 2), label = "A question",
    class = c("haven_labelled", "vctrs_vctr", typeof(x))
  )
}

odd_formulas <- function() {
  long <- paste(c("y ~ x", rep("+ x", 300)), collapse = " ")
  text <- c(
    dot = "y ~ .", dot_minus = "y ~ . - name", zero = "y ~ 0", one = "y ~ 1",
    minus_one = "y ~ x - 1", one_sided = "~ x", empty = "~ 1",
    mixed = "y ~ (1 | g)", slope = "y ~ x + (x | g)", smooth = "y ~ s(x)",
    te = "y ~ te(x, yes)", offset = "y ~ x + offset(x)",
    offset_only = "y ~ offset(x)", offset_log = "y ~ offset(log(yes + 1))",
    offset_y = "y ~ offset(y)", offset_dot = "y ~ . + offset(x)",
    interaction = "y ~ g:x", crossed = "y ~ g * x", power = "y ~ (g + x)^2",
    nested = "y ~ g / x", within = "y ~ x %in% g", own = "y ~ y",
    own_log = "log(y) ~ log(y)", own_dot = "log(y) ~ . + y",
    own_hidden = "y ~ I(y^2)", constant = "1 ~ x", constant_right = "y ~ 5",
    text = "y ~ 'x'", absent = "y ~ zzz", absent_left = "zzz ~ x",
    function_absent = "y ~ zzz(x)", left_absent = "zzz(y) ~ x",
    cbind = "cbind(y, x) ~ g", left_sum = "y + x ~ g", left_dot = ". ~ x",
    left_one = "I(y) ~ x", left_sqrt = "sqrt(y) ~ x",
    left_log1p = "log1p(y) ~ x",
    left_asinh = "asinh(y) ~ x", left_exp = "exp(y) ~ x",
    left_inverse = "1 / y ~ x", left_minus = "-y ~ x", left_zero = "0 * y ~ x",
    left_log_log = "log(log(y)) ~ x", left_rank = "rank(y) ~ x",
    left_scale = "scale(y) ~ x", left_factor = "factor(g) ~ x",
    left_surv = "Surv(y, x) ~ g", two_tildes = "y ~ x ~ g", bar = "y | x ~ g",
    poly = "y ~ poly(x, 2)", poly_big = "y ~ poly(x, 50)",
    raw_poly = "y ~ poly(x, 2, raw = TRUE)", bs = "y ~ splines::bs(x)",
    ns = "y ~ splines::ns(x, 3)", log_negative = "y ~ log(x)",
    divide = "y ~ I(1 / x)", cut = "y ~ cut(x, 3)", factor = "y ~ factor(x)",
    identity = "y ~ I(x)", paste = "y ~ paste(g)",
    ifelse = "y ~ ifelse(x > 0, 1, 2)",
    is_na = "y ~ is.na(x)", logical = "y ~ x > 0", random = "y ~ rnorm(30)",
    lag = "y ~ c(0, x[-1])", short = "y ~ x[1:3]", null = "y ~ NULL",
    missing = "y ~ NA", infinite = "y ~ Inf", long = long,
    same_twice = "y ~ x + x", aliased = "y ~ x + I(2 * x)",
    names = "y ~ name", weights = "y ~ x + weights(x)",
    strata = "y ~ strata(g)",
    dollar = "y ~ data$x", backtick = "y ~ `x`", backtick_absent = "y ~ `a b`",
    brace = "y ~ {x}", function_call = "y ~ (function(z) z)(x)",
    lambda = "(function(z) z)(y) ~ x", assign = "y ~ (x = 2)",
    stop = "y ~ stop('x')", matrix = "y ~ cbind(x, yes)",
    contrasts = "y ~ C(g, contr.sum)", plus_nothing = "y ~ +x",
    minus_everything = "y ~ x - x", unicode = "y ~ \u00e4"
  )
  lapply(text, stats::as.formula, env = globalenv())
}

# Data frames of the columns y, g, x, yes and name that something is wrong with
odd_frames <- function(good = bad_input_data(30)) {
  with_column <- function(name, value) {
    good[[name]] <- value
    good
  }
  n <- nrow(good)
  renamed <- function(...) {
    names(good)[c(...)] <- c("", NA)[seq_along(c(...))]
    good
  }
  many <- good[rep(seq_len(n), 3), ]
  y <- good$y
  frames <- list(
    no_rows = good[0, ], no_columns = good[, 0], nothing = data.frame(),
    one_row = good[1, ], two_rows = good[1:2, ], one_column = good["y"],
    no_response = good[-1], empty_name = renamed(3),
    empty_name_last = renamed(5),
    na_name = stats::setNames(good, c("y", "g", "x", NA, "name")),
    twice = stats::setNames(good, c("y", "g", "x", "x", "name")),
    twice_empty = stats::setNames(good, c("y", "g", "x", "", "")),
    no_names = `names<-`(good, NULL),
    spaces = stats::setNames(good, c("y", "g", "x", "a b", "_c")),
    list_column = with_column("x", I(as.list(good$x))),
    list_response = with_column("y", I(as.list(y))),
    matrix_column = with_column("x", matrix(c(good$x, good$x), n)),
    matrix_response = with_column("y", matrix(y, n)),
    frame_column = with_column("x", data.frame(a = good$x, b = good$x)),
    frame_response = with_column("y", data.frame(a = y)),
    tibble = structure(good, class = c("tbl_df", "tbl", "data.frame"),
      row.names = seq_len(n)
    ),
    data_table = structure(good, class = c("data.table", "data.frame"),
      row.names = seq_len(n)
    ),
    grouped = structure(good,
      class = c("grouped_df", "tbl_df", "tbl", "data.frame"),
      groups = structure(
        list(g = factor("a"), .rows = list(seq_len(n))),
        row.names = 1L, class = c("tbl_df", "tbl", "data.frame")
      )
    ),
    sf = structure(good, class = c("sf", "data.frame"), sf_column = "x"),
    labelled_response = with_column("y", odd_labelled(y)),
    labelled_group = with_column("g", odd_labelled(rep(1:2, length.out = n))),
    labelled_x = with_column("x", odd_labelled(good$x)),
    huge_factor = with_column("g", factor(seq_len(n), seq_len(500))),
    own_levels = with_column("g", factor(seq_len(n))),
    no_levels = with_column("g", factor(rep(NA, n), character())),
    one_level = with_column("g", factor(rep("a", n))),
    unused_levels = with_column("g", factor(good$g, c("z", "a", "b", "y"))),
    na_level = with_column("g", addNA(good$g)),
    empty_level = with_column("g", factor(good$g, labels = c("", "b"))),
    ordered = with_column("g", factor(good$g, ordered = TRUE)),
    broken_factor = with_column("g", structure(
      rep(7L, n),
      levels = c("a", "b"), class = "factor"
    )),
    logical_group = with_column("g", rep(c(TRUE, FALSE), length.out = n)),
    text_group = with_column("g", as.character(good$g)),
    latin_group = with_column("g", rep(c("K\xf6ln", "Bonn"), length.out = n)),
    mixed_encodings = with_column("g", rep(
      c("K\xf6ln", "K\u00f6ln"),
      length.out = n
    )),
    constant_x = with_column("x", rep(1, n)),
    constant_y = with_column("y", rep(1, n)),
    all_na_x = with_column("x", rep(NA_real_, n)),
    all_na_y = with_column("y", rep(NA_real_, n)),
    all_na_g = with_column("g", factor(rep(NA, n), c("a", "b"))),
    logical_na = with_column("x", rep(NA, n)),
    some_na_x = with_column("x", replace(good$x, 3, NA)),
    some_na_y = with_column("y", replace(y, 3, NA)),
    some_na_g = with_column("g", replace(good$g, 3, NA)),
    nan_y = with_column("y", replace(y, 3, NaN)),
    inf_y = with_column("y", replace(y, 3, Inf)),
    inf_x = with_column("x", replace(good$x, 3, -Inf)),
    giant_x = with_column("x", good$x * 1e300),
    tiny_x = with_column("x", good$x * 1e-300),
    far_x = with_column("x", 1e15 + good$x),
    giant_y = with_column("y", y * 1e300),
    tiny_y = with_column("y", y * 1e-300),
    negative_y = with_column("y", -y), zero_y = with_column("y", 0 * y),
    text_y = with_column("y", as.character(y)),
    factor_y = with_column("y", factor(y)),
    logical_y = with_column("y", y > 1e4),
    date_y = with_column("y", as.Date("2020-01-01") + seq_len(n)),
    time_y = with_column("y", as.POSIXct("2020-01-01", tz = "UTC") + y),
    lt_y = with_column("y", as.POSIXlt("2020-01-01", tz = "UTC") + y),
    span_y = with_column("y", as.difftime(y, units = "days")),
    complex_y = with_column("y", y + 0i),
    raw_y = with_column("y", as.raw(seq_len(n))),
    date_x = with_column("x", as.Date("2020-01-01") + seq_len(n)),
    time_x = with_column("x", as.POSIXct("2020-01-01", tz = "UTC") + y),
    span_x = with_column("x", as.difftime(good$x, units = "days")),
    complex_x = with_column("x", good$x + 0i),
    raw_x = with_column("x", as.raw(seq_len(n))),
    integer64_x = with_column("x", structure(good$x, class = "integer64")),
    attributes_y = with_column("y", structure(y,
      note = "n", names = good$name
    )),
    number_object_y = with_column("y", structure(y, class = "units")),
    aliased = with_column("twin", 2 * good$x),
    copy = with_column("copy", y), same_rows = good[rep(1, n), ],
    another_size = many, turned = good[rev(seq_len(n)), ],
    text_row_names = structure(good, row.names = paste0("r", seq_len(n))),
    wide = cbind(good, matrix(stats::rnorm(n * 40), n)),
    list_of_columns = as.list(good), as_matrix = as.matrix(good[c("y", "x")]),
    broken = structure(list(y = y, x = good$x[1:3]),
      class = "data.frame", row.names = seq_len(n)
    ),
    no_row_names = structure(as.list(good), class = "data.frame"),
    of_functions = structure(list(y = y, x = function() 1),
      class = "data.frame", row.names = seq_len(n)
    )
  )
  frames
}
