#' Write a report on a job or a file release, for a board or for the public
#'
#' Writes one self-contained HTML page. The agency's page has the data, the
#' model, diagnostics, the label, risk, utility, and a form for the decision.
#' The public page says what the sets are, what is guaranteed and how to use
#' them, with figures of the synthetic sets only.
#'
#' A [file_release()] and its sets have pages of their own. They show the
#' codebook, the label in the terms of NIST SP 800-226, and the margins and
#' noise of the release. The agency's page also compares the sets with the file
#' and shows their utility and their risk.
#'
#' All pages are R Markdown templates, which RStudio offers under *File > New
#' File > R Markdown > From Template*. Start from one of them to write a report
#' of your own.
#'
#' @param x (`pseudo_posterior`) The job. It can also be sets of a
#'   [file_release()], or the file release itself, from which one set is drawn.
#' @param path (string) The HTML file, such as `"review.html"`. An existing file
#'   is replaced.
#' @param audience (string) `"agency"`, the default, or `"public"`.
#' @param known,radius (for the agency) Columns that an intruder knows, and the
#'   radius within which values count as close, as in [identification_risk()].
#'   Default of `known`: `NULL`, all published columns. Default of `radius`:
#'   0.2, as in the papers. For a file release `known` gives the keys of
#'   [risk()], which may be published or not; without keys the page counts
#'   only the unique records.
#' @param groups (character or `NULL`; for the agency) Columns whose groups are
#'   compared, see [utility()]. `NULL`, the default: the published columns with
#'   at most 20 values. `radius` and `groups` apply to a job only.
#' @param data,public (for the public) The confidential file whose values the
#'   scan searches for, and values that the scan ignores, as in [release()]. For
#'   a file release both pages need `data`.
#' @param ... Must be empty.
#'
#' @return `path`, invisibly.
#' @section Privacy:
#' The agency's page is as confidential as the file. Only its owner can read the
#' HTML file that is written.
#'
#' The template of the public page gets only the synthetic sets, their public
#' label and the formula, so no figure or table can show anything else. The
#' finished page is scanned as [release()] scans its files. Sets that
#' [release()] refuses with any arguments get no public page.
#' @section Error types:
#' `pseudosynth_error_input`: rmarkdown or pandoc is missing.
#' `pseudosynth_error_write` (a `pseudosynth_error_input`): a path that cannot
#' be written. `pseudosynth_error_privacy`: as in [release()].
#' @seealso [release()], [utility()], [identification_risk()]
#' @examplesIf rmarkdown::pandoc_available()
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' job <- pseudo_posterior(log(income) ~ ., small, gaussian(),
#'   mechanism = "score", epsilon = 4, bounds = c(10, 2e6),
#'   reference = list("(Intercept)" = 10.8, sigma = 1)
#' )
#' page <- tempfile(fileext = ".html")
#' report(job, page, audience = "public")
#' unlink(page)
#' @export
report <- function(x, path, audience = c("agency", "public"), known = NULL,
                   radius = 0.2, groups = NULL, data = NULL,
                   public = character(), ...) {
  check_no_dots(..., hint = "See {.fn report}.")
  check_present(x)
  whole <- are_files(x) || inherits(x, "file_release")
  if (!whole) check_class(x, "pseudo_posterior")
  check_path(path)
  audience <- check_choice(audience, c("agency", "public"))
  check_installed("rmarkdown")
  refuse_if(
    !rmarkdown::pandoc_available(),
    "The program pandoc is needed and was not found.",
    i = "It comes with RStudio, or install it from {.url https://pandoc.org}."
  )
  path <- check_page_path(path)
  if (whole) {
    refuse_if(
      !is.null(groups), "{.arg groups} only applies to a job.", arg = "groups"
    )
    refuse_if(
      audience == "public" && !is.null(known),
      "{.arg known} only applies to the agency's page.", arg = "known"
    )
    return(file_report(x, path, audience, data, public, known))
  }
  if (audience == "public") {
    return(public_report(x, path, data, public))
  }
  refuse_if(
    !is.null(data) || length(public) > 0,
    "{.arg data} and {.arg public} only apply to a public page.",
    i = "Set {.code audience = \"public\"}.",
    arg = if (is.null(data)) "public" else "data"
  )
  columns <- names(x$synthetic[[1]])
  check_known(known, job_data(x), only_column(x$synthetic)$name)
  check_radius(radius, TRUE)
  check_groups(groups, columns, only_column(x$synthetic)$name)
  render_page("disclosure-review", path, list(
    job = x, known = known, radius = radius, groups = groups
  ), private = TRUE)
}

#' From public parts alone, and scanned
#' @noRd
public_report <- function(x, path, data, public) {
  check_public_text(public)
  synthetic <- x$synthetic
  file <- release_file(data, x, synthetic)
  check_releasable(x, synthetic, "none", NULL, NULL, "add-remove", NULL)
  check_formats("csv")
  secrets <- release_secrets(file, synthetic, public)
  check_own_values(file, synthetic)
  check_beside(file, synthetic, public)
  final <- final_fit(x)
  render_page("disclosure-review-public", path, list(
    # As they leave: no row is in its place in the file
    synthetic = leaving_sets(synthetic), formula = formula_text(final)
  ), look = function(folder) check_none_found(folder, secrets))
}

#' Of whole files: the same in its own templates
#' @noRd
file_report <- function(x, path, audience, data, public, keys) {
  release <- if (!are_files(x)) x
  sets <- if (are_files(x)) x else synthesize(x)
  file <- release_file(data, sets, sets)
  if (audience == "agency") {
    refuse_if(
      length(public) > 0, "{.arg public} only applies to a public page.",
      i = "Set {.code audience = \"public\"}.", arg = "public"
    )
    columns <- names(sets$sets[[1]])
    check_names(keys, columns, arg = "known")
    if (is.null(keys)) keys <- setdiff(columns, sets$columns$name)
    return(render_page("file-review", path, list(
      sets = sets, data = file, release = release,
      keys = if (length(keys) < length(columns)) keys
    ), private = TRUE))
  }
  check_public_text(public)
  check_releasable(x, x, "none", NULL, NULL, "add-remove", NULL)
  check_formats("csv")
  secrets <- release_secrets(file, sets, public)
  check_file_sets(file, sets, public)
  render_page("file-review-public", path, list(
    sets = leaving_sets(sets), release = release
  ), look = function(folder) check_none_found(folder, secrets))
}

#' Synthetic data whose rows are in random order
#' @noRd
leaving_sets <- function(synthetic) {
  synthetic$sets <- lapply(synthetic$sets, leaving_form, synthetic$unit)
  seal(synthetic)
}

check_page_path <- function(path) {
  check_folder_of(path)
  refuse_if(
    dir.exists(path) || !grepl("[.]html?$", path),
    "{.arg path} must be an HTML file.",
    x = if (dir.exists(path)) "{.file {path}} is a folder.",
    i = "For instance {.code \"review.html\"}.", arg = "path"
  )
  file.path(normalizePath(dirname(path)), basename(path))
}

#' Knit a template in a private folder, look at the page, move it
#' @param parameters (list) All that the template gets.
#' @param look (function of a folder) Refuses what must not be in it.
#' @param private (flag) Is the page its owner's alone?
#' @noRd
render_page <- function(template, path, parameters,
                        look = function(folder) NULL, private = FALSE) {
  folder <- tempfile("report")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  skeleton <- system.file(
    "rmarkdown", "templates", template, "skeleton",
    package = "pseudosynth", mustWork = TRUE
  )
  file.copy(dir(skeleton, full.names = TRUE), folder)
  blame(rmarkdown::render(
    file.path(folder, "skeleton.Rmd"),
    output_file = "page.html", params = parameters, quiet = TRUE,
    # Not the user's workspace
    envir = new.env(parent = asNamespace("pseudosynth"))
  ))
  made <- file.path(folder, "made")
  dir.create(made)
  file.rename(file.path(folder, "page.html"), file.path(made, "page.html"))
  look(made)
  writing(path, put_page(file.path(made, "page.html"), path, private))
  invisible(path)
}

put_page <- function(page, path, private) {
  aside <- paste0(path, ".part")
  on.exit(unlink(aside))
  written <- put_bytes(readBin(page, "raw", file.size(page)), aside)
  # As far as the session's umask lets others read it
  if (!private) Sys.chmod(aside, "666", use_umask = TRUE)
  if (!written || !file.rename(aside, path)) stop("The file is incomplete.")
}
