skip_if_not_installed("rmarkdown")
skip_if_not_installed("jsonlite")

# Jobs of the file with marks, whose sets may leave
marked_job <- function(...) {
  data <- droplevels(leak_file())
  suppressMessages(suppressWarnings(pseudo_posterior(log(y) ~ group + x, data,
    gaussian(), ...,
    response = public_response(digits = 2)
  )))
}

answered_file <- function() {
  data <- leak_file()
  data$yes <- data$y > 2e4
  data
}

marked_jobs <- function() {
  remember("reported", list(
    weighted = marked_job(
      mechanism = "lw", m = 2, prior = prior_normal(), chains = 2,
      warmup = 200, draws = 1000
    ),
    strict = marked_job(
      mechanism = "centred", epsilon = 4, bounds = c(10, 1e7),
      reference = list("(Intercept)" = 10, sigma = 1), chains = 2,
      warmup = 200, draws = 1000
    ),
    score = suppressMessages(pseudo_posterior(log(y) ~ group + x,
      droplevels(leak_file()), gaussian(),
      mechanism = "score", epsilon = 5, bounds = c(10, 1e7),
      reference = list("(Intercept)" = 10, sigma = 1)
    )),
    answers = suppressMessages(pseudo_posterior(yes ~ group + x,
      droplevels(answered_file()), bernoulli(),
      mechanism = "lw", prior = prior_normal(), chains = 2, warmup = 200,
      draws = 1000
    ))
  ))
}

new_page <- function(frame = parent.frame()) {
  withr::local_tempfile(fileext = ".html", .local_envir = frame)
}

page_text <- function(page) {
  html <- paste(readLines(page, encoding = "UTF-8"), collapse = "\n")
  list(
    images = lengths(regmatches(html, gregexpr("<img", html))),
    outside = grepl("(src|href)=\"https?:", html),
    text = gsub("data:image/[^\"]*", "", html)
  )
}

# What a page says, and what its figures hold: as they are written, one in a
# hundred has a mark of four letters by chance
page_bytes <- function(page) {
  html <- paste(readLines(page, encoding = "UTF-8"), collapse = "\n")
  figures <- regmatches(html, gregexpr("base64,[A-Za-z0-9+/=]+", html))[[1]]
  c(
    charToRaw(page_text(page)$text),
    unlist(lapply(sub("base64,", "", figures), jsonlite::base64_dec))
  )
}

# The public page of one of them, made once
public_page <- function(name) {
  remember(paste("public page", name), local({
    page <- new_page()
    report(marked_jobs()[[name]], page, "public", data = answered_file())
    page_text(page)
  }))
}

test_that("both pages are made of every kind of job, the public one unmarked", {
  skip_without_pandoc()
  jobs <- marked_jobs()
  images <- list(
    weighted = c(4, 1), strict = c(3, 1), score = c(1, 1), answers = c(4, 1)
  )
  for (name in by_night(names(jobs), c("strict", "score", "answers"))) {
    if (name %in% by_night(names(jobs), "strict")) {
      agency <- new_page()
      expect_identical(basename(report(jobs[[name]], agency)), basename(agency))
      found <- page_text(agency)
      expect_identical(found$images, as.integer(images[[name]][1]), info = name)
      expect_false(found$outside)
      for (part in c(
        "1 Data", "2 Model", "3 Diagnostics", "4 Label", "5 Risk", "6 Utility",
        "7 Decision", "Agency only"
      )) {
        expect_match(found$text, part, fixed = TRUE)
      }
    }
    found <- public_page(name)
    expect_identical(found$images, as.integer(images[[name]][2]), info = name)
    expect_false(found$outside)
    expect_nothing_said(found$text, name)
    expect_no_match(
      found$text, "Confidential: |not for release|Lipschitz bound [0-9]"
    )
    expect_match(found$text, guarantee(jobs[[name]])$label)
  }
  skip_on_os("windows")
  expect_identical(format(file.info(agency)$mode), "600")
})

test_that("a job of levels has a page for the agency, without numbers", {
  skip_without_pandoc()
  withr::local_seed(1)
  public <- c("low", "mid", "top", "unseen")
  data <- data.frame(
    y = sample(public[1:3], 300, TRUE), x = sample(c("a", "b"), 300, TRUE)
  )
  two <- data[data$y != "top", ]
  files <- list(data, two, transform(data, y = factor(y, public)))
  for (file in by_night(files, files[1:2])) {
    job <- suppressMessages(pseudo_posterior(y ~ x, file, categorical(),
      "score",
      epsilon = 4, m = 2, response = public_response(levels = public)
    ))
    page <- new_page()
    report(job, page)
    found <- page_text(page)
    expect_match(found$text, "levels, which are no numbers")
    expect_match(found$text, "Utility of synthetic y")
    expect_match(found$text, "Risk of synthetic y")
    expect_no_match(found$text, "Identification risk of")
    for (level in unique(c(file$y, job$synthetic[[2]]$y))) {
      expect_match(found$text, paste0(">", level, "<"), fixed = TRUE)
    }
  }
})

test_that("the template for the public gets nothing but public things", {
  skip_without_pandoc()
  for (name in names(marked_jobs())) {
    job <- marked_jobs()[[name]]
    got <- NULL
    local_replaced("render_page", function(template, path, parameters, ...) {
      got <<- list(template, parameters)
    })
    report(job, new_page(), "public", data = answered_file())
    expect_identical(got[[1]], "disclosure-review-public")
    expect_named(got[[2]], c("synthetic", "formula"))
    expect_nothing_in(got[[2]], name)
    # The order of the file's rows is not in it either
    expect_false(identical(got[[2]]$synthetic[[1]]$x, job$synthetic[[1]]$x))
  }
})

test_that("a page that holds a mark is refused and not left anywhere", {
  skip_without_pandoc()
  job <- marked_jobs()$weighted
  render <- rmarkdown::render
  number <- format(leak_file()$weight[4], digits = 15)
  for (planted in c("MARKNAME003", number)) {
    folder <- withr::local_tempdir()
    page <- file.path(folder, "page.html")
    before <- dir(tempdir(), "^report")
    local_replaced("render_page", local({
      whole <- render_page
      function(template, path, parameters, call, ...) {
        parameters$formula <- planted
        whole(template, path, parameters, call, ...)
      }
    }))
    error <- expect_error(
      report(job, page, "public", data = leak_file()),
      class = "pseudosynth_error_found"
    )
    expect_no_match(conditionMessage(error), planted, fixed = TRUE)
    expect_identical(left_in(folder), character())
    expect_identical(dir(tempdir(), "^report"), before)
  }
})

test_that("what may not leave has a page for the agency only", {
  skip_without_pandoc()
  page <- new_page()
  expect_error(
    report(small_job(), page, "public"),
    class = "pseudosynth_error_not_releasable"
  )
  expect_false(file.exists(page))
  edited <- marked_jobs()$strict
  edited$synthetic$sets[[1]]$y[1] <- 1
  expect_error(report(edited, page, "public"), class = "pseudosynth_error")
})

test_that("what is wrong is said before anything is rendered", {
  skip_without_pandoc()
  job <- small_job()
  page <- new_page()
  local_replaced("render_page", function(...) stop("It was rendered."))
  for (code in list(
    quote(report()), quote(report(1, page)), quote(report(job)),
    quote(report(job, 1)), quote(report(job, tempdir())),
    quote(report(job, file.path(tempfile(), "a.html"))),
    quote(report(job, "review.pdf")), quote(report(job, page, "press")),
    quote(report(job, page, known = "shoe size")),
    quote(report(job, page, known = "income")),
    quote(report(job, page, radius = -1)),
    quote(report(job, page, radius = 20)),
    quote(report(job, page, groups = "shoe size")),
    quote(report(job, page, data = privacy_data())),
    quote(report(job, page, public = "a")),
    quote(report(marked_jobs()$strict, page, "public", public = 1)),
    quote(report(marked_jobs()$strict, page, "public", data = 1))
  )) {
    expect_error(eval(code), class = "pseudosynth_error_input")
  }
  # As where the package is not installed
  local_replaced("check_installed", local({
    check <- check_installed
    environment(check) <- list2env(
      list(requireNamespace = function(...) FALSE),
      parent = asNamespace("pseudosynth")
    )
    check
  }))
  error <- expect_error(report(job, page), class = "pseudosynth_error_input")
  expect_match(conditionMessage(error), "install.packages\\(\"rmarkdown")
})

test_that("a page that cannot be written is an error that leaves the old one", {
  skip_without_pandoc()
  job <- marked_jobs()$score
  page <- new_page()
  writeLines("old", page)
  local_replaced("put_bytes", function(...) FALSE)
  expect_error(report(job, page), class = "pseudosynth_error_write")
  expect_identical(readLines(page), "old")
  expect_false(file.exists(paste0(page, ".part")))
})

test_that("the templates are there to begin with", {
  skip_without_pandoc()
  folder <- system.file("rmarkdown", "templates", package = "pseudosynth")
  for (name in c(
    "disclosure-review", "disclosure-review-public", "file-review",
    "file-review-public"
  )) {
    made <- withr::local_tempfile(fileext = ".Rmd")
    rmarkdown::draft(made, file.path(folder, name),
      create_dir = FALSE, edit = FALSE
    )
    expect_match(readLines(made), "^params:", all = FALSE)
    expect_true(file.exists(file.path(dirname(made), "style.css")))
    unlink(file.path(dirname(made), "style.css"))
  }
})

test_that("a template without what it reads says what to put where", {
  skip_without_pandoc()
  template <- function(name) {
    folder <- withr::local_tempdir(.local_envir = parent.frame())
    rmarkdown::draft(
      file.path(folder, "review.Rmd"), name,
      package = "pseudosynth", create_dir = FALSE, edit = FALSE
    )
  }
  knit <- function(document, ...) {
    rmarkdown::render(
      document, quiet = TRUE, envir = new.env(), params = list(...)
    )
  }
  agency <- template("disclosure-review")
  expect_error(knit(agency), "no file \"job.rds\".*saveRDS\\(job")
  expect_error(knit(agency, job = 1), "must be a job of pseudo_posterior")
  public <- template("disclosure-review-public")
  expect_error(knit(public), "no file \"synthetic.rds\".*job\\$synthetic")
  # A job instead of its sets would be the file itself
  expect_error(knit(public, synthetic = small_job()), "never the job")
})

test_that("the public page says what the label and the sets say", {
  skip_without_pandoc()
  said <- function(name) {
    gsub("\\s+", " ", gsub("<[^>]*>", "", public_page(name)$text))
  }
  weighted <- said("weighted")
  expect_match(weighted, "claimed by the papers, not proven;", fixed = TRUE)
  expect_no_match(weighted, "large files")
  expect_match(weighted, "rules for partially synthetic data")
  score <- said("score")
  expect_match(score, "results of several are not combined")
  expect_no_match(score, "combine the results")
})

test_that("pages of whole files hold what they should and nothing else", {
  skip_without_pandoc()
  file <- canary_file()
  release <- canary_release(c("region", "flag"))
  page <- new_page()
  report(release, page, "public", data = file)
  bytes <- page_bytes(page)
  expect_gt(length(bytes), 1e4)
  expect_no_canary(bytes, "public page")
  said <- gsub("\\s+", " ", gsub("<[^>]*>", "", page_text(page)$text))
  expect_match(said, "The terms of NIST SP 800-226", fixed = TRUE)
  expect_match(said, "region, flag are published as they are", fixed = TRUE)
  expect_no_match(said, "Agency only")
  agency <- new_page()
  # A page draws each column: by day three
  columns <- c("region", "trade", "income")
  columns <- by_night(names(file), columns)
  book <- as.data.frame(canary_book())
  plan <- file_plan(
    file[columns], codebook(book[match(columns, book$column), ])
  )
  sets <- synthesize(suppressWarnings(file_release(plan, 4)), 2)
  report(sets, agency, known = c("region", "trade"), data = file)
  said <- gsub("\\s+", " ", gsub("<[^>]*>", "", page_text(agency)$text))
  expect_match(said, "Agency only")
  expect_match(said, "Utility of synthetic files, mean over 2 sets")
  expect_match(said, "keys: region, trade", fixed = TRUE)
  expect_match(said, "also unique by keys in a set", fixed = TRUE)
  expect_identical(format(file.mode(agency)), "600")
  expect_error(report(sets, agency), class = "pseudosynth_error_input")
  expect_error(
    report(sets, agency, groups = "region", data = file), "only appl"
  )
  expect_error(
    report(release, page, "public", known = "region", data = file), "only appl"
  )
  expect_error(
    report(sets, agency, known = "nothing", data = file),
    class = "pseudosynth_error_input"
  )
  expect_error(
    report(synthesize(release, seed = 1), page, "public", data = file),
    class = "pseudosynth_error_not_releasable"
  )
})

test_that("files of one column have both pages", {
  skip_without_pandoc()
  withr::local_seed(1)
  files <- list(
    agency = data.frame(a = sample(c("x", "y"), 200, TRUE)),
    public = data.frame(pay = round(stats::rlnorm(300, 7, 0.5)))
  )
  for (one in by_night(names(files), "agency")) {
    file <- files[[one]]
    plan <- file_plan(file, confirm_codebook(draft_codebook(file)))
    release <- file_release(plan, 3)
    expect_no_warning(print_lines(release))
    for (audience in by_night(names(files), one)) {
      page <- new_page()
      report(release, page, audience, data = file)
      said <- page_text(page)$text
      expect_match(said, names(file))
      if (audience == "agency") expect_match(said, "was\\s+not\\s+stated")
    }
  }
})

test_that("the public template of whole files gets nothing but public things", {
  skip_without_pandoc()
  got <- NULL
  local_replaced("render_page", function(template, path, parameters, ...) {
    got <<- list(template, parameters)
  })
  sets <- synthesize(canary_release("region"), 1)
  report(sets, new_page(), "public", data = canary_file(), public = "region")
  expect_identical(got[[1]], "file-review-public")
  expect_named(got[[2]], c("sets", "release"))
  expect_no_canary(serialize(got[[2]], NULL, xdr = FALSE), "parameters")
  expect_false(identical(got[[2]]$sets[[1]]$region, sets[[1]]$region))
})
