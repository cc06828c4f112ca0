# The wide file of households: its columns and its codebook.

#' What a column of a member says where there is no such member, or no such wave
#' @noRd
no_member <- function(own) paste("no such", part_words(own)[["part"]])

#' May a member not exist, or a wave?
#' @noRd
may_lack <- function(slot, own) {
  if (is.null(own$waves)) slot > 1 else rep(!own$waves$complete, length(slot))
}

#' A household as one record
#' @param plan (`file_plan`) Of persons.
#' @return (data frame)
#' @noRd
wide_columns <- function(plan, place, own) {
  specs <- column_specs(plan$codebook)
  data <- decode_records(plan, plan$codes, plan$amounts)
  row <- matrix(NA_integer_, length(place$size), own$slots)
  kept <- which(place$slot <= own$slots)
  row[cbind(place$home, place$slot)[kept, , drop = FALSE]] <- kept
  first <- max.col(!is.na(row), "first")
  head <- row[cbind(seq_along(first), first)]
  columns <- lapply(stats::setNames(nm = own$household), function(name) {
    data[[name]][head]
  })
  columns[[first_column(own)]] <- if (is.null(own$waves)) {
    pmin(place$size, own$slots)
  } else {
    factor(own$waves$codes[first], first_waves(own))
  }
  for (slot in seq_len(own$slots)) {
    rows <- row[, slot]
    for (name in own$columns) {
      spec <- specs[[name]]
      columns[[slot_name(name, slot, own)]] <- if (spec$kind$valued) {
        x <- amount_numbers(data[[name]], spec)[rows]
        spec$kind$typed(replace(x, is.na(rows), absent_code(spec)))
      } else {
        levels <- member_levels(spec, slot, own)
        # A missing one is none of them, as its code is beyond the stated ones
        code <- code_of(plan$codes, name)
        code[code > length(stated_levels(spec))] <- NA
        code <- replace(code[rows], is.na(rows), length(levels))
        factor(levels[code], levels)
      }
    }
  }
  list2DF(columns)
}

#' Levels without the one of missing values
#' @noRd
stated_levels <- function(spec) {
  levels <- block_levels(spec)
  if (spec$missing) levels[-length(levels)] else levels
}

#' @return (character) The last one says that there is no such member.
#' @noRd
member_levels <- function(spec, slot, own) {
  levels <- stated_levels(spec)
  c(levels, if (may_lack(slot, own)) absent_level(levels, own))
}

#' Levels that are all numbers stay so: they can be compared
#' @noRd
absent_level <- function(levels, own) {
  numbers <- text_number(levels)
  if (anyNA(numbers)) {
    utils::tail(make.unique(c(levels, no_member(own)), " "), 1)
  } else {
    format_exact(floor(min(numbers)) - 1)
  }
}

#' The level of a wide record's column that says that there is no such member
#' @param spec (list) Of the wide codebook.
#' @return (integer) None of columns that every record has.
#' @noRd
absent_place <- function(spec, plan) {
  none <- plan$members$none[match(spec$column, names(plan$levels))]
  none[!is.na(none)]
}

#' Levels as people read them: without a member there is no number
#' @param levels (named list of character) Of the wide record's columns.
#' @param members (list or `NULL`) Of the plan.
#' @noRd
levels_of_members <- function(levels, members) {
  at <- which(!is.na(members$none))
  levels[at] <- Map(replace, levels[at], members$none[at], no_member(members))
  levels
}

#' A number that the amount has not, and that reads as it is written
#' @return (double or `NULL`) `NULL`: dates of all years have none.
#' @noRd
absent_code <- function(spec) {
  of <- spec$kind
  all <- c(0, spec$lower, spec$upper, spec$codes)
  Find(function(x) {
    !x %in% spec$codes && identical(as.double(of$number(of$text(x))), x)
  }, c(
    floor(min(all)) - 1, ceiling(max(all)) + 1,
    # No bound is beyond
    if (!of$calendar) -seq(2, 9) * largest_bound
  ))
}

#' The codebook of the wide file
#' @noRd
wide_codebook <- function(book, own) {
  specs <- column_specs(book)
  table <- unclass(book)$table
  of <- function(name) table[table$column == name, ]
  count <- codebook(if (is.null(own$waves)) {
    data.frame(
      column = first_column(own), type = "category", storage = "integer",
      confirmed = TRUE, levels = I(list(as.character(seq_len(own$slots))))
    )
  } else {
    data.frame(
      column = first_column(own), type = "ordered", storage = "factor",
      confirmed = TRUE, levels = I(list(first_waves(own)))
    )
  })
  rows <- lapply(seq_len(own$slots), function(slot) {
    lapply(own$columns, function(name) {
      slot_row(of(name), specs[[name]], slot, own)
    })
  })
  codebook(do.call(rbind, c(
    lapply(own$household, of), list(unclass(count)$table),
    unlist(rows, recursive = FALSE)
  )))
}

slot_row <- function(row, spec, slot, own) {
  row$column <- slot_name(row$column, slot, own)
  if (spec$kind$valued) {
    if (may_lack(slot, own)) {
      code <- spec$kind$text(absent_code(spec))
      code <- stats::setNames(code, no_member(own))
      row$codes <- list(c(row$codes[[1]], code))
    }
    return(row)
  }
  row$levels <- list(member_levels(spec, slot, own))
  row$type <- paste0(
    if (spec$kind$ordered) "ordered" else "category",
    if (!row$confirmed) draft_mark
  )
  row$storage <- "factor"
  row$outside <- NA_character_
  row
}

#' The member to whom each column of the wide file belongs; 0: the household
#' @noRd
slots_of_columns <- function(columns, own) {
  names <- outer(own$columns, seq_len(own$slots), slot_name, own)
  slot <- col(names)[match(columns, names)]
  replace(slot, is.na(slot), 0L)
}

#' The member to whom a plan's column belongs; 0: the household, or the record
#' @noRd
slot_of <- function(column, plan) {
  slot <- plan$members$slot[match(column, names(plan$levels))]
  if (length(slot) == 0 || is.na(slot)) 0L else slot
}

#' The column of the file that each column of the wide file is; `NA`: none
#' @noRd
variables_of_columns <- function(columns, own) {
  names <- outer(own$columns, seq_len(own$slots), slot_name, own)
  found <- own$columns[row(names)[match(columns, names)]]
  ifelse(columns %in% own$household, columns, found)
}

#' The level of each column of the wide file that says that there is no such
#' member, or wave; `NA`: it has none
#' @param levels (named list) Of the block's columns.
#' @noRd
none_of_columns <- function(levels, own, specs) {
  variable <- variables_of_columns(names(levels), own)
  vapply(seq_along(levels), function(j) {
    own <- if (!is.na(variable[j])) block_levels(specs[[variable[j]]])
    # Of columns that have all levels of the file's one more
    match(FALSE, levels[[j]] %in% (own %||% levels[[j]]))
  }, 1L)
}

#' Waves that can be somebody's first
#' @noRd
first_waves <- function(own) {
  if (own$waves$complete) own$waves$codes[1] else own$waves$codes
}
