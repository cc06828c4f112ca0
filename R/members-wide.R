# The wide file of households: its columns and its codebook.

# What a column of a member says where there is no such member
no_member <- "no such member"

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
  columns <- lapply(stats::setNames(nm = own$household), function(name) {
    data[[name]][row[, 1]]
  })
  columns[[count_column]] <- pmin(place$size, own$slots)
  for (slot in seq_len(own$slots)) {
    rows <- row[, slot]
    for (name in own$columns) {
      spec <- specs[[name]]
      columns[[slot_name(name, slot)]] <- if (spec$kind$valued) {
        x <- amount_numbers(data[[name]], spec)[rows]
        spec$kind$typed(replace(x, is.na(rows), absent_code(spec)))
      } else {
        levels <- member_levels(spec, slot)
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
member_levels <- function(spec, slot) {
  levels <- stated_levels(spec)
  c(levels, if (slot > 1) absent_level(levels))
}

#' Levels that are all numbers stay so: they can be compared
#' @noRd
absent_level <- function(levels) {
  numbers <- text_number(levels)
  if (anyNA(numbers)) {
    utils::tail(make.unique(c(levels, no_member), " "), 1)
  } else {
    format_exact(floor(min(numbers)) - 1)
  }
}

#' The level of a wide record's column that says that there is no such member
#' @param spec (list) Of the wide codebook.
#' @return (integer) None of columns that every record has.
#' @noRd
absent_place <- function(spec, plan) {
  if (slot_of(spec$column, plan) < 2) {
    return(integer())
  }
  levels <- block_levels(spec)
  if (!spec$kind$valued) {
    return(length(levels) - spec$missing)
  }
  utils::tail(which(amount_parts(spec)$kind == "code"), 1)
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
  count <- codebook(data.frame(
    column = count_column, type = "category", storage = "integer",
    confirmed = TRUE, levels = I(list(as.character(seq_len(own$slots))))
  ))
  rows <- lapply(seq_len(own$slots), function(slot) {
    lapply(own$columns, function(name) slot_row(of(name), specs[[name]], slot))
  })
  codebook(do.call(rbind, c(
    lapply(own$household, of), list(unclass(count)$table),
    unlist(rows, recursive = FALSE)
  )))
}

slot_row <- function(row, spec, slot) {
  row$column <- slot_name(row$column, slot)
  if (spec$kind$valued) {
    if (slot > 1) {
      code <- stats::setNames(spec$kind$text(absent_code(spec)), no_member)
      row$codes <- list(c(row$codes[[1]], code))
    }
    return(row)
  }
  row$levels <- list(member_levels(spec, slot))
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
  names <- outer(own$columns, seq_len(own$slots), slot_name)
  slot <- col(names)[match(columns, names)]
  replace(slot, is.na(slot), 0L)
}

#' The member to whom a plan's column belongs; 0: the household, or the record
#' @noRd
slot_of <- function(column, plan) {
  slot <- plan$members$slot[match(column, names(plan$levels))]
  if (length(slot) == 0 || is.na(slot)) 0L else slot
}
