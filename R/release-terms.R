# The terms of a release of a file: what NIST SP 800-226 asks of a claim of
# differential privacy, and the public registry of deployments (arXiv
# 2509.13509). Made from the public label alone.

#' @param label (`privacy_guarantee`) Public.
#' @return (named list) `NULL` for other mechanisms and for labels that claim
#'   nothing.
#' @noRd
deployment_terms <- function(label) {
  if (label$mechanism != "file" || label$label != "strict") {
    return(NULL)
  }
  inputs <- as.list(label$public_inputs)
  total <- total_charges(label$charges, label$epsilon$delta)
  list(
    flavour = paste(
      "approximate differential privacy (epsilon, delta), by Gaussian",
      "differential privacy (mu) or zero-concentrated differential privacy",
      "(rho), whichever is smaller"
    ),
    unit = label$unit, neighbours = neighbour_words(inputs),
    privacy_loss = lapply(stats::setNames(nm = names(total$rho)), function(by) {
      list(
        epsilon = total$epsilon[[by]], delta = total$delta,
        rho = total$rho[[by]], mu = sqrt(2 * total$rho[[by]])
      )
    }),
    model = paste(
      "central: a trusted curator, the agency, holds the file and releases",
      "once; the public sees every released number"
    ),
    protected = inputs$protected, published = inputs$published,
    accounting = list(
      rule = paste(
        "The charges of all noisy sums add up in rho, and in mu squared.",
        "Epsilon holds for all of them together."
      ),
      charges = lapply(row_lists(label$charges), function(charge) {
        list(what = charge$what, rho = list(
          "add-remove" = charge$rho_add_remove, replace = charge$rho_replace
        ))
      })
    ),
    implementation = list(
      package = "pseudosynth", version = own_version(),
      noise = paste(
        "exact discrete Gaussian noise on sums of whole numbers, sampled",
        "without floating point, from the operating system's entropy"
      ),
      sensitivity = paste(
        "lengths of whole vectors, checked record by record; a vector that is",
        "too long counts as 0"
      )
    ),
    post_processing = paste(
      "Shrinkage, targets, records and amounts are computed from released",
      "numbers, public inputs and published columns. Any number of sets costs",
      "nothing more."
    ),
    not_covered = not_covered(inputs)
  )
}

neighbour_words <- function(inputs) {
  whole <- c(
    members = "one household with all its members",
    waves = "one person with all its waves"
  )
  whole <- whole[names(whole) %in% names(inputs)]
  if (length(whole) > 0) {
    return(list(
      "add-remove" = paste(whole, "is left out"),
      replace = paste(whole, "is another one")
    ))
  }
  whose <- if (inputs$unit == "a record") {
    c("one record is", "one record")
  } else {
    c("all records of one unit are", "all records of one unit")
  }
  fixed <- if (inputs$published == "none") {
    ""
  } else {
    "; published columns and the number of records stay"
  }
  list(
    "add-remove" = paste0(whose[1], " left out", fixed),
    replace = paste0(
      "the protected columns of ", whose[2], " change", fixed
    )
  )
}

#' What no epsilon of this release speaks of
#' @noRd
not_covered <- function(inputs) {
  as.list(c(
    "the codebook, which is public: names, types, levels, bounds and codes",
    if (!is.null(inputs$rules)) "the stated rules, which are public",
    if (!identical(inputs$published, "none")) {
      paste(
        "the published columns, which are those of the file, and what they",
        "reveal about the protected ones"
      )
    },
    "other releases from the same file: their charges add up in a ledger",
    "what is true of a unit because it is true of the population",
    "the time that the computation took, and who had access to the file"
  ))
}

#' The same for people
#' @noRd
deployment_lines <- function(terms) {
  if (is.null(terms)) {
    return(NULL)
  }
  loss <- vapply(names(terms$privacy_loss), function(by) {
    x <- lapply(terms$privacy_loss[[by]], format_up)
    sprintf(
      "%s: epsilon %s at delta %s, rho %s, mu %s", by, x$epsilon, x$delta,
      x$rho, x$mu
    )
  }, "")
  rows <- list(
    c("flavour", terms$flavour), c("unit", terms$unit),
    c("neighbours", paste0(
      names(terms$neighbours), ": ", unlist(terms$neighbours)
    )),
    c("loss", loss), c("model", terms$model), c("protected", terms$protected),
    c("published", terms$published), c("accounting", terms$accounting$rule),
    c("software", paste(
      terms$implementation$package, terms$implementation$version
    )),
    c("noise", terms$implementation$noise),
    c("limits", terms$implementation$sensitivity),
    c("after it", terms$post_processing),
    c("not covered", unlist(terms$not_covered))
  )
  # A row for each text of a name
  rows <- unlist(lapply(rows, function(row) {
    lapply(row[-1], function(text) c(row[[1]], text))
  }), recursive = FALSE)
  c(
    "Terms of the release (NIST SP 800-226)", unlist(two_columns(rows)), ""
  )
}
