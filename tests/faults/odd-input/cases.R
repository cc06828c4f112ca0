# Which case crosses what with what. A case is a line of text: a call, its
# arguments, and the name of the value of each.

# A value of the response: names are a predictor's, which is published
tells_value <- function(text) {
  tells_secret(gsub("SECRETNAME", "", text, fixed = TRUE))
}

# Objects with a field that is gone, as an older version made them, or that was
# written over, and without their class
edit_keys <- function(objects) {
  unlist(lapply(names(objects), function(name) {
    x <- objects[[name]]
    parts <- c(
      if (is.list(x)) paste0("$", names(unclass(x))),
      paste0("@", setdiff(names(attributes(x)), c("names", "class")))
    )
    keys <- outer(parts[nchar(parts) > 1], c("gone", "na", "text", "list"),
      paste,
      sep = ":"
    )
    c(paste0("edit:", name, keys), paste0("bare:", name))
  }))
}

edited <- function(key, objects) {
  pattern <- "^(edit|bare):([^$@]+)([$@]?)(.*)$"
  part <- regmatches(key, regexec(pattern, key))[[1]]
  x <- objects[[part[3]]]
  if (part[2] == "bare") return(unclass(x))
  field <- sub(":[a-z]+$", "", part[5])
  value <- switch(sub(".*:", "", part[5]),
    gone = NULL, na = NA, text = "zzz", list = list(1)
  )
  if (part[4] == "@") {
    attr(x, field) <- value
    return(x)
  }
  class <- class(x)
  x <- unclass(x)
  if (is.null(value)) x[[field]] <- NULL else x[field] <- list(value)
  structure(x, class = class)
}

value_of <- function(key, pools) {
  kind <- sub(":.*", "", key)
  switch(kind,
    plain = pools$plain[[sub("^plain:", "", key)]],
    formula = pools$formulas[[sub("^formula:", "", key)]],
    frame = pools$frames[[sub("^frame:", "", key)]],
    object = pools$objects[[sub("^object:", "", key)]],
    book = pools$books[[sub("^book:", "", key)]],
    rule = pools$rules[[sub("^rule:", "", key)]],
    table = pools$tables[[sub("^table:", "", key)]],
    edited(key, pools$objects)
  )
}

make_pools <- function() {
  objects <- c(odd_objects(), file_objects())
  edits <- edit_keys(objects)
  list(
    plain = odd_plain(), formulas = odd_formulas(), frames = odd_frames(),
    objects = objects, edits = edits, books = odd_books(), rules = odd_rules(),
    tables = odd_tables(),
    edited = sub("^[a-z]+:([^$@]+).*", "\\1", edits)
  )
}

is_ours <- function(x) {
  methods <- asNamespace("pseudosynth")[[".__NAMESPACE__."]]$S3methods
  any(class(x) %in% methods[, 2])
}

is_foreign <- function(f) {
  !identical(environment(f), asNamespace("pseudosynth"))
}

frame_arguments <- c("data", "newdata", "grid", "x", "plan", "table", "totals")
formula_arguments <- c("formula", "x", "regression", "groups", "statistics")
object_arguments <- c(
  "fit", "x", "synthetic", "margin", "ledger", "response", "prior", "family",
  "control", "censor", "privacy_weights", "weights", "rule", "fits", "object",
  "mechanism", "mechanisms", "plan", "codebook", "book", "release", "sets",
  "job"
)

# Arguments of a call, those that it leaves at their defaults too
arguments_of <- function(call) {
  given <- names(call$arguments) %||% rep("", length(call$arguments))
  if (length(call$arguments) == 0) given <- character()
  method <- call$formals %||% names(formals(args(call$f) %||% call$f))
  unique(c(
    ifelse(nzchar(given), given, paste0("#", seq_along(given))),
    if (is.null(call$formals)) {
      if (identical(method[1], "...") || any(!nzchar(given))) {
        method[-1]
      } else {
        method
      }
    } else {
      method
    }
  )) |> setdiff("...")
}

good_value <- function(call, argument) {
  if (startsWith(argument, "#")) {
    call$arguments[[as.integer(substring(argument, 2))]]
  } else {
    call$arguments[[argument]]
  }
}

# What only arguments of some names are for
further_keys <- function(name, argument, good, pools) {
  tables <- argument %in% c("data", "plan", "into", "newdata")
  c(
    if (argument == "codebook" || name == "codebook_fields") {
      paste0("book:", names(pools$books))
    },
    if (argument == "rules") paste0("rule:", names(pools$rules)),
    if (tables) paste0("table:", names(pools$tables))
  )
}

keys_of <- function(name, call, argument, pools) {
  good <- good_value(call, argument)
  is_method <- !is.null(call$formals)
  first <- is_method && argument == "#1"
  # What generics of others make of values is theirs
  first <- first ||
    identical(argument, names(call$arguments)[1]) && is_foreign(call$f)
  plain <- paste0("plain:", c("left_out", names(pools$plain)))
  keys <- if (first) character() else plain
  if (name %in% paste0("$.", sub("^[^.]*.", "", name))) {
    keys <- paste0("plain:", c("word", "letter", "empty", "na_text", "long"))
  }
  of_files <- !first && argument %in% frame_arguments && !is_method
  if (is.data.frame(good) || of_files) {
    keys <- c(keys, paste0("frame:", names(pools$frames)))
  }
  if (inherits(good, "formula") || !first && argument %in% formula_arguments) {
    keys <- c(keys, paste0("formula:", names(pools$formulas)))
  }
  keys <- c(keys, further_keys(name, argument, good, pools), use.names = FALSE)
  if (is_ours(good) || argument %in% object_arguments) {
    if (!first) {
      keys <- c(keys, paste0("object:", names(pools$objects)))
    }
    same <- names(pools$objects)[vapply(
      pools$objects, inherits, TRUE, class(good)
    )]
    keys <- c(keys, pools$edits[pools$edited %in% same &
      (startsWith(pools$edits, "edit") | !is_method)])
  }
  keys
}

single_cases <- function(calls, pools) {
  rows <- lapply(names(calls), function(name) {
    lapply(arguments_of(calls[[name]]), function(argument) {
      keys <- keys_of(name, calls[[name]], argument, pools)
      if (length(keys) > 0) {
        data.frame(call = name, argument = argument, value = keys)
      }
    })
  })
  do.call(rbind, unlist(rows, recursive = FALSE))
}

# n of them, in turn from every argument of every call: verbs more often than
# methods
drawn_singles <- function(all, calls, n) {
  all <- all[sample(nrow(all)), ]
  method <- vapply(calls, function(x) !is.null(x$formals), TRUE)[all$call]
  turn <- stats::ave(
    seq_len(nrow(all)), all$call, all$argument,
    FUN = seq_along
  )
  all[utils::head(order(turn * ifelse(method, 4, 1)), n), ]
}

drawn_pairs <- function(all, calls, n) {
  verbs <- names(calls)[vapply(calls, function(x) is.null(x$formals), TRUE)]
  all <- all[all$call %in% verbs, ]
  of <- sample(verbs, n, replace = TRUE)
  all <- split(all, all$call)
  rows <- lapply(of, function(name) {
    mine <- all[[name]]
    if (length(unique(mine$argument)) < 2) return(NULL)
    two <- sample(unique(mine$argument), 2)
    keys <- vapply(two, function(argument) {
      sample(mine$value[mine$argument == argument], 1)
    }, "")
    data.frame(
      call = name, argument = paste(two, collapse = " & "),
      value = paste(keys, collapse = " & ")
    )
  })
  do.call(rbind, rows)
}

#' The campaign: n cases, without those of the chains
odd_cases <- function(calls, pools, n, seed) {
  set.seed(seed)
  all <- single_cases(calls, pools)
  pairs <- if (is.finite(n)) round(n / 5) else 5000
  drawn <- if (is.finite(n)) drawn_singles(all, calls, n - pairs) else all
  unique(rbind(drawn, drawn_pairs(all, calls, pairs)))
}

run_single <- function(case, calls, pools) {
  call <- calls[[case$call]]
  arguments <- call$arguments
  names <- strsplit(case$argument, " & ", fixed = TRUE)[[1]]
  keys <- strsplit(case$value, " & ", fixed = TRUE)[[1]]
  for (i in order(names, decreasing = TRUE)) {
    at <- if (startsWith(names[i], "#")) {
      as.integer(substring(names[i], 2))
    } else {
      names[i]
    }
    if (keys[i] == "plain:left_out") {
      if (!is.character(at) || at %in% names(arguments)) arguments[[at]] <- NULL
    } else {
      arguments[at] <- list(value_of(keys[i], pools))
    }
  }
  function() {
    value <- f_of(call$f, arguments)
    if (inherits(value, "ggplot")) {
      odd_draw(value)
    } else if (is_ours(value)) {
      print(value)
    }
    value
  }
}
