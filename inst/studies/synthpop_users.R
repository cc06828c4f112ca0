# SD2011, the survey that package synthpop ships, made synthetic by synthpop and
# by this package: from no formal privacy to a strict epsilon. Eight columns of
# 5,000 records, with missing values, a code and heaps. All is measured by
# functions of synthpop.
#
#   source(system.file("studies/synthpop_users.R", package = "pseudosynth"))
#   synthpop_users(1)
#
# Needs the CRAN packages synthpop and rpart. SD2011 stays there: only measures
# are stored. A replicate takes half a minute.

#' @param replicates (whole numbers) Seeds of sets, and of the noise of
#'   releases.
#' @param file (data frame) What is made synthetic; the codebook of a strict
#'   release is stated for these columns of SD2011.
#' @return (data frame) Long: `replicate`, `maker`, `part`, `first`, `second`,
#'   `value`. Parts: `"table"` (S_pMSE of the table of one column or of two),
#'   `"uniques"` (replicated uniques, percent of the set), `"identity"` and
#'   `"attribute"` (repU, and DiSCO of `first`, percent, of an intruder who
#'   knows sex, age, education and the size of the place),
#'   `"coefficients"` (mean difference of the coefficients of a model of
#'   log income, in standard errors), `"missing"` (the largest difference of a
#'   column's share of missing values), `"hundreds"` (the difference of the
#'   share of incomes that are multiples of 100), `"seconds"` (of the
#'   processor, one thread).
synthpop_users <- function(replicates, file = survey_columns()) {
  old <- options(pseudosynth.threads = 1L)
  on.exit(options(old))
  makers <- survey_makers()
  do.call(rbind, lapply(replicates, function(replicate) {
    do.call(rbind, lapply(names(makers), function(maker) {
      set.seed(replicate)
      seconds <- sum(system.time(utils::capture.output(
        set <- suppressWarnings(suppressMessages(
          makers[[maker]](file, replicate)
        ))
      ))[1:2])
      found <- rbind(
        survey_measures(set, file), survey_row("seconds", value = seconds)
      )
      cbind(replicate = replicate, maker = maker, found)
    }))
  }))
}

survey_columns <- function() {
  found <- new.env()
  utils::data("SD2011", package = "synthpop", envir = found)
  found$SD2011[c(
    "sex", "age", "edu", "marital", "income", "ls", "wkabint", "placesize"
  )]
}

# What stands in a questionnaire: levels as drafted, and these bounds
survey_book <- function(file) {
  book <- as.data.frame(draft_codebook(file))
  book[book$column == "age", c("lower", "upper")] <- c("16", "100")
  income <- book$column == "income"
  book[income, c("lower", "upper", "transform")] <- c("1", "20000", "log")
  confirm_codebook(codebook(book))
}

survey_makers <- function() {
  strict <- function(epsilon) {
    function(file, seed) {
      plan <- file_plan(file, survey_book(file))
      # As many records as the file, whose number the release protects:
      # measures of synthpop take sets of that size
      synthesize(
        file_release(plan, epsilon, seed = seed), n = nrow(file), seed = seed
      )[[1]]
    }
  }
  list(
    "synthpop" = function(file, seed) {
      synthpop::syn(
        file, cont.na = list(income = -8), seed = seed, print.flag = FALSE
      )$syn
    },
    "none" = function(file, seed) synthesize_file(file, seed = seed)[[1]],
    "cleared" = function(file, seed) {
      cleared <- cleared_tables(file_plan(file, survey_book(file)))
      synthesize(cleared, n = nrow(file), seed = seed)[[1]]
    },
    "strict 5" = strict(5), "strict 1" = strict(1),
    # No synthesis: a fresh sample of the file
    "sample" = function(file, seed) {
      file[sample(nrow(file), replace = TRUE), ]
    }
  )
}

survey_row <- function(part, first = "", second = "", value) {
  data.frame(part = part, first = first, second = second, value = value)
}

# A set as synthpop's functions take it
as_synds <- function(set, file) {
  missing <- lapply(file, function(x) NA)
  missing$income <- c(NA, -8)
  structure(
    list(
      syn = set, m = 1, k = nrow(set), n = nrow(file), cont.na = missing,
      method = stats::setNames(rep("cart", ncol(file)), names(file))
    ),
    class = "synds"
  )
}

survey_measures <- function(set, file) {
  row.names(set) <- NULL
  synds <- as_synds(set, file)
  keys <- c("sex", "age", "edu", "placesize")
  targets <- c("marital", "income", "ls", "wkabint")
  utils::capture.output({
    tables <- lapply(c("oneway", "twoway"), function(order) {
      synthpop::utility.tables(
        synds, file, tables = order, tab.stats = "S_pMSE", plot = FALSE,
        print.flag = FALSE
      )$tabs
    })
    # As text: it pads numbers to the width of a file's largest, and finds none
    # of the records where the largest of the set is a digit longer
    uniques <- synthpop::replicated.uniques(
      as_synds(as_texts(set), file), as_texts(file)
    )
    risks <- lapply(targets, function(target) {
      synthpop::disclosure(
        synds, file, keys = keys, target = target, print.flag = FALSE
      )
    })
  })
  # Such as "1.sex:2.age"
  names <- lapply(strsplit(unlist(lapply(tables, rownames)), ":"), function(x) {
    sub("^[0-9]+[.]", "", x)
  })
  heaped <- function(x) mean(x[!is.na(x) & x > 0] %% 100 == 0)
  rbind(
    survey_row(
      "table", vapply(names, `[`, "", 1),
      vapply(names, function(x) c(x, "")[2], ""),
      unlist(lapply(tables, function(x) x[, "S_pMSE"]))
    ),
    survey_row("uniques", value = uniques$res_tab["Replicated uniques", "%"]),
    survey_row("identity", value = risks[[1]]$ident$repU),
    survey_row("attribute", targets, value = vapply(risks, function(x) {
      x$attrib$DiSCO
    }, 1)),
    survey_row("coefficients", value = coefficient_distance(set, file)),
    survey_row(
      "missing", value = max(abs(colMeans(is.na(set)) - colMeans(is.na(file))))
    ),
    survey_row(
      "hundreds", value = abs(heaped(set$income) - heaped(file$income))
    )
  )
}

as_texts <- function(x) as.data.frame(lapply(x, as.character))

coefficient_distance <- function(set, file) {
  fits <- lapply(list(set, file), function(x) {
    x <- x[!is.na(x$income) & x$income > 0, ]
    summary(stats::lm(log(income) ~ sex + age + edu, x))$coefficients
  })
  mean(abs(fits[[1]][, 1] - fits[[2]][, 1]) / fits[[2]][, 2])
}
