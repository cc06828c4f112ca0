# Households: a unit's records as the members of one wide record. A record of
# the plan is then a household, and its columns are those of the household, how
# many members it has, and each member's own. A wide file is a file like any
# other to everything else; members-rules.R has its rules, and unfolded() goes
# the way back.

#' Say how the records of a unit become its members, or its waves
#'
#' For [file_plan()]: `file_plan(persons, book, unit = "household",
#' members = members(~ -age, slots = 6))`. The records of a unit, such as the
#' persons of a household, become one wide record: the columns of the household,
#' how many members it has, and the columns of its first, second, ... member.
#' A household then moves every table by one record, whatever its size, and a
#' set has households: their sizes, who lives with whom, what members have in
#' common.
#'
#' `members = waves("year", constant = "sex")` does the same for a panel: the
#' records of a person, or of a firm, are its waves. A set has persons over
#' time: who enters, leaves and returns, what changes and what stays.
#'
#' @section Sets:
#' [synthesize()] returns persons, in the columns of the file. Its `n` counts
#' households. The column `unit` has new numbers from 1, which have nothing to
#' do with those of the file; members of a household stand together, in their
#' order. A member exists only if the one before does, and as a whole: no set
#' has half a person, and `size` is the number of members in every household.
#' [utility()] compares households, too. The wide columns have names such as
#' `age.1` and `age.2`, and the number of members is the column `members`: these
#' are the names in the print of a plan and in [tables()], which then counts
#' households.
#' @section Waves:
#' The waves and their order are public: the levels of `column` in the codebook,
#' or `codes`. A person has one record in each of them, or none, and one in all
#' at least. Sets have these codes, and persons with new numbers. The wide
#' columns are called by wave, such as `status.2001`; where a person is not in
#' the wave they say so. The column `entry` is the first wave of a person.
#'
#' Measured are the tables of each wave, of `constant` columns, of the same
#' column in any two waves (of neighbouring ones most precisely) and, with less
#' of the budget, of different columns in two waves. Noise is the less, the more
#' waves are alike: tables of the same columns in different waves are drawn
#' together as far as they differ by no more than noise. This costs nothing.
#'
#' An amount depends on constant columns and on those of its own wave and of the
#' two beside it. For an amount in two waves the release also measures how near
#' a person's normal scores are, so that sets have its correlations over waves.
#' What it has to do with other amounts in other waves is not measured.
#'
#' Rules hold in every wave, and may name the column of waves.
#' `wave(2001)$status` is the status in that wave; if the person is not in it,
#' the rule counts as met. `n_waves()`, `n_waves(status == "working")` and
#' `any_wave(status == "working")` are as for members.
#' @section Order of members:
#' The order is public and comes from the members' own columns alone. `~ -age`
#' is from the oldest to the youngest, `~ relation - age` by the codebook's
#' order of `relation` and then from the oldest. Missing values come last. Ties
#' are resolved by the other columns, in the codebook's order; members who are
#' equal in all of them may change places without any difference. The order of
#' the file's rows has no influence. In every set, members are in the order of
#' the first column of `order`.
#' @section Rules across members:
#' A rule of [file_plan()] holds for every member. A rule can also name members:
#' `member(2)$age` is the second member's age; if there is none, the rule counts
#' as met. `n_members()` is the number of members, `n_members(status ==
#' "working")` of those for whom a condition holds, `any_member(status ==
#' "working")` whether there is one. Conditions ask categories, flags and the
#' parts of amounts, such as `any_member(income == 0)`. About values, ask one
#' member: in the order `~ -age`, `member(1)$age >= 18` says that there is one
#' of 18 or more. The columns of such a rule may have at most a million
#' combinations of levels.
#' @section Two linked tables:
#' Where households have a table of their own, give both:
#' `file_plan(list(households = h, persons = p), book, unit = "household",
#' members = members(~ -age, slots = 6))`. The tables may have other names; the
#' first is that of households. They have one column in common, `unit`. All
#' other columns of the first table are those of the household, and `household`
#' need not name them. [draft_codebook()] takes the list, too, and drafts one
#' codebook for both. A set is then two tables: `sets[[1]]` is a list of them,
#' `with(sets, lm(income ~ age, persons))` models one, and
#' `as.data.frame(sets, table = "households")` is one for release. Without
#' `table` persons come with the columns of their household. [release()] and
#' `synthesize(into = )` write a file and a codebook of each table. [utility()],
#' [risk()] and [release()] take the list as `data`. Tables of a database are
#' read into memory one after the other, each as it is at a moment of its own.
#' @section What is measured:
#' All tables of one and of two wide columns are measured: of the household and
#' a member, of one member, of two members. Those of the first two members have
#' less noise than those of others. Beside them there are tables of all members
#' together: of each column of members, of two of them, and of one with a column
#' of the household or the number of members. A household is in such a table
#' once for each member, so tables of persons have the noise of one table, not
#' of one for each slot. How far a household moves them is bounded: as far as
#' `slots + 2` members would who differ from each other. A household with many
#' members who are alike would move them farther, and counts for less than one;
#' what is cut is added again as far as tables of slots tell, so that at small
#' epsilon what large households share is somewhat too rare.
#' All this follows from public numbers; [file_plan()] prints it.
#'
#' An amount of members is measured once, for all members together: its margin,
#' what it depends on, its tables. A household adds the mean of what its members
#' with a value would add alone, so it moves these sums no farther than one
#' member can, whatever its size. An amount depends on the columns of the
#' household and of the member, on the member's place, and on how many members
#' have a value. It is called by its name in the file, as in
#' `coef(release, amount = "income")`. How near members are to each other is
#' measured, too, as normal scores: in sets their errors go together, or apart,
#' as far as is needed to have the same. An amount that a rule or the order
#' compares between members, be it by way of another amount, is measured slot
#' by slot and called `income.1`, `income.2` and so on; so is that of the only
#' slot.
#' @section What does not apply:
#' [risk()] and [identification_risk()] look at persons one by one: what an
#' intruder finds who knows a whole household is not in them.
#' [replicated_uniques()] counts unique households. `publish` of
#' [file_plan()], [cleared_tables()] and [rake_weights()] are refused for plans
#' or sets with members. A survey weight must be a column of the household.
#' Relations of three columns that no two of them show are lost, as in every
#' [file_release()]: a child's age given both parents' ages, say.
#'
#' @param order (formula) Columns by which members are put in order, see below.
#' @param slots (count) The largest number of members, at least 1 and at most
#'   20. It is public. Further members are left out: a message counts them for
#'   the agency, and nothing is published of them. More slots make more noise,
#'   so state what nearly all households have: of six slots or five the noise is
#'   about the same.
#' @param household (character or `NULL`) Columns that all members of a
#'   household share, such as its region. Default `NULL`: none.
#' @param size (string or `NULL`) The column that says how many members the
#'   household has, if the file has one. Sets count it; it is at most `slots`.
#'   Default `NULL`.
#' @param person (string or `NULL`) An identifier of the codebook that numbers
#'   persons: a file that has a person twice is refused. Default `NULL`: nobody
#'   looks, as equal members of a household may be twins.
#' @return A `household_members`, for `file_plan()`.
#' @section Error types: `pseudosynth_error_input`: arguments that are not as
#'   described. [file_plan()] refuses with class `pseudosynth_error_members`, a
#'   `pseudosynth_error_input`: members without a household, a person twice,
#'   columns of a household that differ between its members, and a `size` that
#'   is not the number of members; of two tables a household that is there
#'   twice, has no members, or is not there; of panels, waves without a person,
#'   a person twice in a wave, waves that are not stated, persons who lack a
#'   wave of a `complete` panel, and `constant` columns that change. The field
#'   `rows` has their records, and `table` the table where these are, if they
#'   are not those of persons.
#' @section Messages: `pseudosynth_message_members`, for the agency alone: how
#'   many members beyond `slots` are left out.
#' @section Privacy: The guarantee is for a whole household, or person with all
#'   waves, added or removed, or exchanged for any other: the plan has one
#'   record for each. Members
#'   beyond `slots` are not in the plan. A file is refused for what a household
#'   by itself shows, which one household more or less does not change for
#'   others; for a `person` of two households; and, as any file, for stated
#'   numbers that are its own. A refusal is for the agency alone.
#' @seealso [file_plan()], [file_release()], and [fit_file()] for households
#'   by models, without a guarantee or under the papers' mechanisms
#' @examples
#' persons <- data.frame(
#'   home = rep(1:150, each = 2), region = rep(c("north", "south"), each = 150),
#'   age = rep(c("adult", "adult", "adult", "child"), 75)
#' )
#' book <- edit_codebook(draft_codebook(persons), home = "id")
#' plan <- file_plan(persons, confirm_codebook(book), unit = "home",
#'   members = members(~age, slots = 2, household = "region")
#' )
#' release <- file_release(plan, epsilon = 1)
#' head(as.data.frame(synthesize(release)))
#'
#' panel <- data.frame(
#'   id = rep(1:150, each = 2), year = rep(2001:2002, 150),
#'   work = c("yes", "yes", "no", "no", "no", "yes")
#' )
#' book <- edit_codebook(draft_codebook(panel), id = "id")
#' plan <- file_plan(panel, confirm_codebook(book), unit = "id",
#'   members = waves("year")
#' )
#' head(as.data.frame(synthesize(file_release(plan, epsilon = 1))))
#' @export
members <- function(order, slots, household = NULL, size = NULL,
                    person = NULL) {
  check_present(order)
  order <- or_else(order)
  check_that(
    inherits(order, "formula") && length(order) == 2, order,
    "{.arg order} must be a one-sided formula.",
    i = "From the oldest: {.code ~ -age}.", arg = "order"
  )
  order <- order_signs(order[[2]])
  check_present(slots)
  slots <- check_count(slots, min = 1, max = 20)
  check_that(
    is.null(household) || is.character(household) && length(household) > 0 &&
      !anyNA(household), household,
    "{.arg household} must be names of columns.",
    i = "{.code NULL} means none.", arg = "household"
  )
  check_string(size, null = TRUE)
  check_string(person, null = TRUE)
  seal(new_result(
    "household_members",
    order = order[!duplicated(names(order))], slots = slots,
    household = unique(as.vector(household)), size = size, person = person
  ))
}

#' Columns of a formula of sums, with the sign of each
#' @return (named numbers) 1 or -1.
#' @noRd
order_signs <- function(x, sign = 1) {
  if (is.name(x)) {
    return(stats::setNames(sign, as.character(x)))
  }
  fn <- if (is.call(x)) called(x) else ""
  if (fn == "(") {
    return(order_signs(x[[2]], sign))
  }
  refuse_if(
    !fn %in% c("+", "-"),
    "{.arg order} must name columns, with {.code +} or {.code -}.",
    i = "From the oldest: {.code ~ -age}. By two: {.code ~ relation - age}.",
    arg = "order"
  )
  last <- order_signs(x[[length(x)]], if (fn == "-") -sign else sign)
  if (length(x) == 2) last else c(order_signs(x[[2]], sign), last)
}

#' @export
format.household_members <- function(x, ...) {
  if (is.null(x$waves)) {
    one_line(x, "by ", order_text(x), ", ", counted(x$slots, "slot"))
  } else {
    one_line(x, "waves by ", x$waves$column)
  }
}

print_lines.household_members <- function(x) {
  shared <- if (length(x$household) > 0) toString(x$household)
  c(
    if (is.null(x$waves)) "Members of a household" else "Waves of a person",
    field_lines(if (is.null(x$waves)) {
      c(
        order = order_text(x), slots = as.character(x$slots),
        household = shared, size = x$size, person = x$person
      )
    } else {
      c(
        waves = x$waves$column,
        codes = toString(x$waves$codes %||% "those of the codebook"),
        constant = shared,
        complete = if (x$waves$complete) "every person is in every wave"
      )
    }),
    "  file_plan(persons, codebook, unit = , members = x) makes the plan"
  )
}

order_text <- function(own) {
  toString(paste0(
    names(own$order), ifelse(own$order < 0, ", descending", "")
  ))
}

# The plan ---------------------------------------------------------------------

#' The plan of a file of members
#' @param plan_of (function) plan_of_file(), whose arguments the others are.
#' @param members (`household_members`)
#' @return (`file_plan`) Of households, with `members`: what the members are
#'   like, and how their columns lie in the wide record.
#' @noRd
plan_of_members <- function(plan_of, file, book, publish, unit, rules,
                            survey_weights, confirmed, members) {
  specs <- column_specs(book)
  own <- check_members(
    members, publish, unit, survey_weights, specs, file$tables
  )
  for (rule in rules) check_member_calls(rule, deparse1(rule), own)
  across <- vapply(rules, names_members, NA, own)
  file <- read_once(file, c(
    names(Filter(function(spec) spec$kind$released, specs)), unit, own$person
  ))
  # Members as records: all that is refused of a record is refused here. Numbers
  # across members are compared with everybody's, those beyond the slots, too
  persons <- plan_of(
    file, book, NULL, NULL, if (any(!across)) rules[!across], survey_weights,
    confirmed, rules
  )
  home <- home_numbers(file, own)
  place <- if (is.null(own$waves)) {
    member_places(persons, home, own)
  } else {
    wave_places(persons, home, own)
  }
  check_most(place, own)
  check_shared(persons, place, own)
  tell_beyond(place, own)
  # What there is to tell was told of persons
  wide <- suppressMessages(
    plan_of_wide(plan_of, persons, place, own, rules, survey_weights)
  )
  wide$rules <- lapply(wide$rules, function(rule) c(rule, implied = TRUE))
  wide[c("confirmed", "outside", "rounded", "left_out")] <-
    persons[c("confirmed", "outside", "rounded", "left_out")]
  wide$unit <- list(
    column = unit, records = 1L, index = seq_len(wide$n_records)
  )
  wide$members <- c(own, list(
    slot = slots_of_columns(names(wide$levels), own),
    variable = variables_of_columns(names(wide$levels), own),
    none = none_of_columns(wide$levels, own, column_specs(book)),
    persons = c(
      persons[c("codebook", "schema", "tibble")],
      list(rules = vapply(rules, deparse1, ""))
    ),
    # What is confidential of them; a ledger marks the file's own columns
    beyond = sum(place$slot > own$slots), file = persons[c("codes", "amounts")],
    home = place$home
  ))
  seal(wide)
}

#' A member, or a wave, as rules ask it
#' @noRd
asked_slot <- function(slot, own) {
  if (is.null(own$waves)) {
    return(sprintf("member(%d)", slot))
  }
  code <- own$waves$codes[slot]
  sprintf(if (is.na(text_number(code))) "wave(\"%s\")" else "wave(%s)", code)
}

#' Wide columns in the words of rules, such as `member(2)$income`
#' @noRd
spoken_members <- function(text, own) {
  for (slot in seq_len(own$slots)) {
    for (name in own$columns) {
      wide <- sprintf("\"?(?<![\\w.])\\Q%s\\E(?!\\w|[.]\\w)\"?", slot_name(
        name, slot, own
      ))
      spoken <- paste0(asked_slot(slot, own), "$", name)
      text[] <- gsub(wide, gsub("\\", "\\\\", spoken, fixed = TRUE), text,
        perl = TRUE
      )
    }
  }
  text
}

#' The plan of the wide file. Its records are households: of errors, too
#' @noRd
plan_of_wide <- function(plan_of, persons, place, own, rules, survey_weights) {
  specs <- column_specs(persons$codebook)
  book <- wide_codebook(persons$codebook, own)
  # What the codebook states was looked at with all persons together. Short
  # numbers always pass, and 1 would confirm that weights were scaled
  confirmed <- persons$confirmed
  stated <- lapply(Filter(is_amount, column_specs(book)), function(spec) {
    x <- as.double(c(spec$lower, spec$upper, spec$codes, spec$heaps))
    x <- x[is_long(spec$kind$typed(x))]
    if (is.character(confirmed)) spec$kind$text(x) else x
  })
  tryCatch(
    with_file(wide_columns(persons, place, own), function(file) {
      plan_of(
        file, book, NULL, NULL, wide_rules(rules, own, specs), survey_weights,
        c(confirmed, unlist(stated, use.names = FALSE))
      )
    }),
    pseudosynth_error_input = function(error) {
      error$rows <- which(place$home %in% error$rows)
      for (part in c("message", "body")) {
        error[[part]] <- spoken_members(error[[part]], own)
      }
      stop(error)
    }
  )
}

#' @return (list) `members` with `columns`, those of each member, and the `unit`
#'   with its `records`: the most that a household has, `NA` where the codebook
#'   does not say.
#' @noRd
check_members <- function(members, publish, unit, survey_weights, specs,
                          tables = NULL) {
  check_class(members, "household_members")
  check_sealed(members)
  own <- unclass(members)
  attributes(own) <- list(names = names(own))
  refuse_if(
    is.null(unit), "{.arg members} needs {.arg unit}.",
    i = if (is.null(own$waves)) {
      "The column that says which records are members of one household."
    } else {
      "The column that says which records are waves of one person."
    },
    arg = "unit"
  )
  check_string(unit)
  for (name in c(unit, own$person)) {
    arg <- if (name == unit) "unit" else "person"
    check_names(name, names(specs), arg = arg)
    refuse_if(
      specs[[name]]$kind$released,
      "{.val {name}} must be an identifier in the codebook.",
      i = "{.code edit_codebook(book, {name} = \"id\")}.", arg = arg
    )
  }
  refuse_if(
    length(publish) > 0, "{.arg publish} does not apply with {.arg members}.",
    x = "A set has households of its own, in which published columns of the
         file have no place.", i = "Leave it out.", arg = "publish"
  )
  kept <- names(Filter(function(spec) spec$kind$released, specs))
  if (!is.null(tables)) {
    refuse_if(
      !all(vapply(tables, is.element, NA, el = unit)),
      "{.arg unit} must be the column that links the tables.",
      i = "It is {.val {intersect(tables[[1]], tables[[2]])}}.", arg = "unit"
    )
    own$tables <- lapply(tables, intersect, c(unit, kept))
    own$household <- union(
      own$household, setdiff(own$tables[[1]], c(unit, own$size))
    )
  }
  shares <- if (is.null(own$waves)) "household" else "constant"
  check_names(names(own$order), kept, arg = "order")
  refuse_if(
    unit %in% own$household, "{.arg {shares}} must be columns of a set.",
    x = "{.val {unit}} is the unit itself: a set has numbers of its own.",
    i = "Leave it out.", arg = shares
  )
  check_names(own$household, kept, arg = shares)
  check_names(own$size, kept, arg = "size")
  own$household <- setdiff(own$household, own$size)
  own[c("unit", "records")] <- list(unit, specs[[unit]]$records)
  own$columns <- setdiff(kept, c(own$household, own$size, own$waves$column))
  if (!is.null(own$waves)) own <- with_waves(own, specs, kept)
  shared <- setdiff(names(own$order), own$columns)
  refuse_if(
    length(shared) > 0, "{.arg order} must name columns of members.",
    x = "{.val {shared}} {?is/are} the household's.", arg = "order"
  )
  refuse_if(
    !is.null(survey_weights) && !survey_weights %in% own$household,
    "{.arg survey_weights} must be a column of the {part_words(own)[['one']]}.",
    i = "Name it in {.arg {shares}}.", arg = "survey_weights"
  )
  if (!is.null(own$size)) check_size_levels(own, specs[[own$size]])
  full <- Filter(function(name) {
    specs[[name]]$kind$valued && is.null(absent_code(specs[[name]]))
  }, own$columns)
  refuse_if(
    length(full) > 0 && any(may_lack(seq_len(own$slots), own)),
    "Bounds of {part_words(own)[['parts']]}' columns must leave a value out.",
    x = "Those of {.val {full}} are the first and the last that there are.",
    i = "State closer ones in the codebook.", arg = "codebook"
  )
  slots <- seq_len(own$slots)
  taken <- c(first_column(own), outer(own$columns, slots, slot_name, own))
  taken <- intersect(taken, names(specs))
  refuse_if(
    length(taken) > 0,
    "Columns must not have the names of {part_words(own)[['parts']]}' columns.",
    x = "{.val {taken}} {?is/are} such a name.",
    i = "Rename {cli::qty(length(taken))}{?it/them}.", arg = "data"
  )
  own
}

#' What members can be, `size` must be able to say
#' @noRd
check_size_levels <- function(own, spec) {
  lacks <- which(is.na(member_counts(seq_len(own$slots), spec)))
  refuse_if(
    length(lacks) > 0, "{.val {own$size}} must count members.",
    x = "The codebook does not have {.val {lacks}} for it, but a household may
         have from 1 to {own$slots} members.",
    i = "State the levels or bounds in the codebook.", arg = "size"
  )
}

#' The number of each record's household
#' @noRd
home_numbers <- function(file, own) {
  unit <- own$unit
  read <- function(name) {
    x <- whole_column(file, name)
    refuse_bad_text(bad_text(x), name, length(x))
    x <- column_values(x)
    refuse_long_numbers(x, name)
    x
  }
  values <- read(unit)
  rows <- unnamed_rows(values)
  refuse_members(
    rows, "Every {part_words(own)[['part']]} must belong to a
           {part_words(own)[['one']]}.",
    x = "{.val {unit}} is missing for {length(rows)} record{?s}."
  )
  person <- own$person
  if (!is.null(person)) {
    numbers <- read(person)
    rows <- unnamed_rows(numbers)
    refuse_members(
      rows, "Every member must have a number.",
      x = "{.val {person}} is missing for {length(rows)} record{?s}."
    )
    rows <- which(numbers %in% numbers[duplicated(numbers)])
    refuse_members(
      rows, "No person may be in the file twice.",
      x = "{length(rows)} records have a {.val {person}} that others have,
           too.",
      i = "If numbers start anew in every household, leave {.arg person} out."
    )
  }
  match(values, unique(values))
}

#' Where each record stands in its household
#'
#' By public columns alone: members that tie in all of them are equal.
#' @param home (integer) See home_numbers().
#' @return (list of integer) `home`, `slot`, `size` (by home).
#' @noRd
member_places <- function(plan, home, own) {
  specs <- column_specs(plan$codebook)
  keys <- lapply(union(names(own$order), own$columns), function(name) {
    spec <- specs[[name]]
    number <- if (spec$kind$valued) {
      record_numbers(plan, spec)
    } else {
      code <- code_of(plan$codes, name)
      replace(code, code > length(stated_levels(spec)), NA)
    }
    sign <- own$order[name]
    list(is.na(number), number * if (is.na(sign)) 1 else sign)
  })
  sorted <- do.call(order, c(list(home), unlist(keys, recursive = FALSE)))
  size <- tabulate(home)
  slot <- integer(length(home))
  slot[sorted] <- sequence(size)
  list(home = home, slot = slot, size = size)
}

#' @noRd
check_most <- function(place, own) {
  large <- which(place$size > own$records)
  refuse_members(
    which(place$home %in% large),
    "A {part_words(own)[['one']]} of {.val {own$unit}} must have at most
     {own$records} record{?s}: the codebook says so.",
    x = "{counted(length(large), part_words(own)[['one']])}
         {cli::qty(length(large))}{?has/have} more.",
    i = "State more {.field records} in the codebook, or correct the file."
  )
}

#' Refuse columns of a household that its members do not share
#' @noRd
check_shared <- function(plan, place, own) {
  first <- which(place$slot == 1)
  head <- first[match(place$home, place$home[first])]
  words <- part_words(own)
  homes <- function(rows) counted(length(unique(place$home[rows])), words$one)
  shares <- if (is.null(own$waves)) "household" else "constant"
  for (name in c(own$household, own$size)) {
    code <- code_of(plan$codes, name)
    value <- whole_values(plan$amounts[[name]], code)
    rows <- which(code != code[head] | (value != value[head]) %in% TRUE)
    refuse_members(
      rows, "All {words$parts} of a {words$one} must have the same
             {.val {name}}.",
      x = "In {homes(rows)} they have not.",
      i = "Leave it out of {.arg {shares}}: {words$parts} may then differ."
    )
  }
  if (!is.null(own$size)) {
    spec <- column_specs(plan$codebook)[[own$size]]
    stated <- if (spec$kind$valued) {
      record_numbers(plan, spec)
    } else {
      text_number(block_levels(spec))[code_of(plan$codes, own$size)]
    }
    rows <- which(!(stated == place$size[place$home]) %in% TRUE)
    refuse_members(
      rows, "{.val {own$size}} must be the number of members.",
      x = "It is another number for {homes(rows)}.",
      i = "If it counts something else, name it in {.arg household}."
    )
  }
}

#' The number of each record, `NA` where an amount has none
#' @noRd
record_numbers <- function(plan, spec) {
  amount <- plan$amounts[[spec$column]]
  code <- code_of(plan$codes, spec$column)
  replace(amount_parts(spec)$value[code], amount$records, amount$values)
}

#' Say how many members are left out: to the agency alone
#' @noRd
tell_beyond <- function(place, own) {
  beyond <- sum(place$slot > own$slots)
  if (beyond > 0) {
    large <- sum(place$size > own$slots)
    tell_of(
      "members",
      "{counted(beyond, 'member')} of {counted(large, 'household')} beyond the
       first {own$slots} {cli::qty(beyond)}{?is/are} left out.",
      i = "Nothing is published of {cli::qty(beyond)}{?this one/them}. More
           {.arg slots} keep them, and make more noise."
    )
  }
}

# What others ask --------------------------------------------------------------

#' Whom a ledger counts costs for: a release for records costs a household as
#' often as it has records
#' @param x (list) `members`, of a plan or a release.
#' @noRd
unit_of_ledger <- function(x, ledger) {
  own <- x$members
  refuse_if(
    !is.null(ledger) && is.na(own$records),
    "For a ledger, the codebook must state how many records a household has at
     most.",
    x = "What releases for records cost a household is not known otherwise.",
    i = "Write the largest number that is possible, then make the plan again:
         {.code edit_codebook(book, {own$unit} = list(records = 12))}.",
    arg = "ledger"
  )
  list(column = own$unit, records = own$records)
}

#' The members of what sets are drawn from, or of its plan
#' @noRd
members_of <- function(x) {
  x <- unclass(x)
  if (inherits(x$plan, "file_plan")) x$plan$members else x$members
}

#' @param why (string) What is wrong with its households.
#' @noRd
refuse_households <- function(plan, why) {
  refuse_if(
    !is.null(plan$members), "{.arg plan} must be a plan of records.",
    x = paste0("It has households with {.fn members}, ", why, "."),
    i = "Make it without {.arg members}.", arg = "plan"
  )
}

#' What a release knows of members: nothing that is the file's
#' @noRd
released_members <- function(own) {
  own[setdiff(names(own), c("beyond", "file", "home"))]
}

#' The members as the file has them, all and in its order
#' @noRd
members_of_file <- function(own) {
  decode_records(own$persons, own$file$codes, own$file$amounts)
}

#' What labels say of members, or of waves
#' @return (named string)
#' @noRd
members_text <- function(own) {
  if (!is.null(own$waves)) {
    return(c(waves = paste0(
      toString(own$waves$codes), " of ", own$waves$column, "; ",
      if (own$waves$complete) {
        "every person is in all of them"
      } else {
        "a person is in one or more of them"
      }, "; persons have new numbers"
    )))
  }
  c(members = paste0(
    "in the order of ", order_text(own), ", ties by the other columns; the ",
    "first ", own$slots, " count, others are left out; households have new ",
    "numbers"
  ))
}

#' As how many members who differ a household counts in a pooled table, at most
#'
#' The noise of tables grows with its square root. With two more than there are
#' slots, about one percent of EU-SILC's persons is not counted: of those whose
#' household has many who are alike.
#' @noRd
pooled_room <- function(own) own$slots + 2

pooled_text <- function(own) {
  if (own$slots > 1 && is.null(own$waves)) {
    paste0(
      "tables of all members together, in which a household counts as at most ",
      pooled_room(own), " members who differ"
    )
  }
}
