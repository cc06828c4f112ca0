#' Fit a model to each column of a file
#'
#' Fits models to the columns of a file one after the other. Each column is
#' modelled given the records' own values of the columns before it.
#' [synthesize()] then draws sets, each column from the synthetic values of the
#' columns before it. [synthesize_file()] does both in one call.
#'
#' By default the models have no privacy weights and no noise, so the label is
#' `"none"`. The papers' mechanisms offer two alternatives: each record has one
#' weight in all columns, or its contribution is censored. For noisy counts and
#' sums, which keep more at the same strict epsilon, see [file_release()].
#'
#' @section Trees:
#' `"tree"` grows a classification or regression tree of package rpart on the
#' columns before it. A synthetic record goes down the tree to a leaf and takes
#' the value of one of the leaf's records, drawn at random. If it has a level
#' that a node has not seen, it stops at that node and takes the value of any of
#' the node's records. An amount has two trees: one for its part (see
#' [file_plan()]) and one for its value, which is split by ranks. Trees find
#' interactions by themselves. But they copy values of single records, including
#' the largest value. In a file with few columns they copy whole records;
#' [replicated_uniques()] counts such copies.
#'
#' The draws of a leaf are spread evenly over its values, from the smallest to
#' the largest. Shares and means are therefore nearer to the file's than those
#' of a fresh sample would be, and intervals are wider than necessary. The
#' file's first column is drawn from all records, so its counts of levels are
#' nearly equal to the file's.
#'
#' @section Regressions:
#' `"regression"` draws each set from a parameter draw of its own, as
#' [fit_synthesizer()] does, with weakly informative priors ([prior_normal()])
#' and short chains. The levels of a category, or the parts of an amount, are
#' modelled one after the other by [bernoulli()]: does the record have this
#' level, if it has none of the levels before? Rare levels come last, as one
#' group, and are drawn with the shares that they have in the file. The values
#' of an amount have the family and the transform of the codebook. Values beyond
#' the bounds are drawn again. The columns before enter as main effects: a
#' column of categories by its levels, with rare levels joined; an amount in
#' eight bins and as a linear term. No value of an amount is copied, unless all
#' its values are equal.
#'
#' @section Mechanisms:
#' Under a mechanism all columns are modelled by regressions, and no part of a
#' model is read off the file. Levels, bins, centres and scales come from the
#' codebook, which must be confirmed. The levels of a category, or the parts of
#' an amount, are split into two halves, each half into two again, and so on. At
#' each split a [bernoulli()] regression asks whether the record is in the
#' second half. The values of an amount have the codebook's family. Values with
#' a log or asinh transform are modelled in units of that scale. Other values
#' are modelled in units of a sixth of their range, except under a family of
#' counts. The columns before enter as main effects: a category by its levels,
#' an amount in eight bins of equal width and as a linear term. Amounts with
#' wide public bounds have coarse bins.
#'
#' What a record adds to the log posterior is a sum over its columns. Each
#' regression has its own parameters and chains, so the largest sum over their
#' draws is the sum of the largest terms. The record's Lipschitz bound is
#' therefore the sum of its bounds in all regressions. The joint bound is the
#' largest of these sums over the records. It is smaller than the sum of the
#' columns' bounds unless one record has the largest bound in every column. Each
#' record has one weight, computed from its sum as [lipschitz_weights()]
#' computes it from the bound of one column. All columns are then fitted again
#' under this weight. `"lw_final"` raises the weights from the sums of the
#' weighted fit, see [reweight()]. With `epsilon`, weights are scaled until the
#' claim is reached, see [mechanisms].
#'
#' `"cw"`, `"cw_final"` and `"risk"` weight records by how isolated they are.
#' Another record is close to a record if it is close in every column that is
#' drawn. An amount is close if it lies within `radius` of the record's value; a
#' level, a missing value or a code is close only if it is the same. Under
#' `"cw"` and `"cw_final"` the weights follow from the share of close records,
#' as in [count_weights()]. Under `"risk"` they follow from sets drawn from the
#' unweighted models, as in [risk_weights()]. `known` names the published
#' columns that the intruder knows. With many drawn columns no record has close
#' ones, and the weights are then near `shift`. Under `"risk"` the label is
#' `"none"`.
#'
#' `"censor_uw"` censors what each record adds in each regression. Columns share
#' the interval's width evenly. For an amount, half of its share goes to the
#' part and half to the value. A category's share is divided by the largest
#' number of questions that a record can be asked. The label is then strict.
#' With several columns little is left for each, so epsilon must be large.
#'
#' The label lists the charges by column, which add up to the epsilon of a set.
#' Under `"lw"`, a column's charge is its part of the largest sum.
#'
#' `update()` fits all columns again under other weights.
#'
#' @section Households:
#' Of a plan with [members()] the columns are those of its wide records, such as
#' `region`, `members`, `age.1`, `age.2`; `order` and `predictors` name these.
#' Where they say nothing, the order is how many members there are, the columns
#' of the household, and each column of all members, first the one by which
#' members stand in order: who lives together before what they do. How many
#' members there are is always drawn before the second one. The
#' models of a member's columns are fitted to the households that have this
#' member, and drawn for these alone. Under a mechanism a household adds the sum
#' over its members: it has one bound, one weight, and one interval, and the
#' label is for whole households. With few households a third or fourth member
#' has few records to learn from: state few `predictors`.
#' @section Rules:
#' Every rule of the plan holds in every row. A value that breaks a rule is
#' drawn again. If that does not help, it is drawn from a larger part of the
#' tree. As a last resort, the whole record is drawn again.
#'
#' @param plan (`file_plan`, or a file: data frame, table of a database or
#'   paths) See [file_plan()]. The codebook may be a draft. For a file,
#'   [draft_codebook()] drafts one. Columns whose values identify records are
#'   then left out, and a message says so. The models hold all records in
#'   memory. Published columns of the plan stay as they are and are predictors
#'   of all others.
#' @param mechanism (string or `privacy_mechanism`) `"unweighted"`, the default,
#'   `"lw"`, `"lw_final"`, `"cw"`, `"cw_final"`, `"risk"` or `"censor_uw"`, or
#'   an object such as `mechanism("cw", radius = 0.2)`. For any other mechanism,
#'   the error names a function that offers it.
#' @param epsilon (positive number or `NULL`) The total of all m sets under
#'   `neighbours`, as in [pseudo_posterior()]. Default `NULL`: the weights stay
#'   as they are. `"censor_uw"` needs a number.
#' @param model (character or `NULL`) The kind of model: `"tree"` or
#'   `"regression"`. Named elements set the kind of single columns:
#'   `c("tree", income = "regression")`. Default `NULL`: trees, or regressions
#'   under a mechanism.
#' @param order (character or `NULL`) Columns in the order in which they are
#'   drawn. Columns that it does not name follow in the file's order, with
#'   survey weights last. Default `NULL`: it names none.
#' @param predictors (named list or `NULL`) For a column, the names of the
#'   columns that it is drawn from, such as `list(income = c("age", "sex"))`.
#'   These are drawn before it. A column that the list does not name is drawn
#'   from the published columns and from all columns drawn before it. Default
#'   `NULL`: it names none.
#' @param leaf (count) The smallest number of records in a leaf. Smaller leaves
#'   keep more relations but copy more from single records. Default 10.
#' @param m (count) The largest number of sets that you will draw. Regressions
#'   keep a parameter draw for each set, and at least 300. [synthesize()]
#'   refuses to draw more sets than there are parameter draws. Default 1.
#' @param seed (whole number from 0 to 2^53 or `NULL`) The seed of the
#'   regressions. With a seed, sets are marked reproducible. Default `NULL`: the
#'   operating system's entropy.
#' @param neighbours (string) The relation of `epsilon`: `"add-remove"`, the
#'   default, or `"replace"`.
#' @param ... Under a mechanism: the mechanism's settings if it is given by
#'   name, see [mechanisms]; `chains` (default 2), `warmup` (500), `draws`
#'   (1,000), `threads` and `control` of each regression, see
#'   [fit_synthesizer()]; and `allow_unconverged`, see [pseudo_posterior()].
#'   Without a mechanism it must be empty.
#' @return A `file_synthesizer`. It is **confidential**: it holds the file.
#'   * `plan`: the plan; `predictors`: the predictors of each column, in the
#'     order of drawing; `kinds`: the kind of model of each column;
#'   * `models`: for each column its `part` and, for an amount, its `value`;
#'   * `leaf`, `id` and `reproducible`.
#'
#'   Under a mechanism it also has `bound` (see [lipschitz()]), the sums over
#'   columns; `privacy_weights` or `censor`; `stages`, as in
#'   [pseudo_posterior()]; `shares`, the columns' parts of epsilon; `converged`
#'   and `problems`. [lipschitz()], [guarantee()], [reweight()], `update()` and
#'   `plot()` accept it as they accept an [external_fit()]; `plot()` shows the
#'   bounds by stage.
#' @section Warning types:
#' `pseudosynth_warning_rare_levels`: some levels occur in a single record.
#' `pseudosynth_warning_convergence`: some regressions have not converged.
#' @section Messages: `pseudosynth_message_left_out`: some columns of the file
#'   are left out.
#' @section Error types: `pseudosynth_error_input`: `order` or `predictors`
#'   names an unknown column, names a column twice, gives a published column as
#'   one to be drawn, or goes in a circle (class `pseudosynth_error_order`); a
#'   mechanism is not offered (class `pseudosynth_error_mechanism`); `model` is
#'   of no known kind; or, under a mechanism, there are trees, units, or values
#'   that are all equal.
#'   `pseudosynth_error_edited`: the plan was edited.
#'   `pseudosynth_error_privacy`: under a mechanism, the codebook is not
#'   confirmed (class `pseudosynth_error_unconfirmed`), regressions have not
#'   converged, or epsilon cannot be reached.
#' @section Privacy: Without a mechanism nothing protects the records. Such sets
#'   are for use inside the agency, and show what a guarantee costs in
#'   comparison. Under Lipschitz and count weights the label is the papers'
#'   asymptotic one, see [guarantee()]. The number of records counts as public.
#' @references Reiter (2005), Using CART to generate partially synthetic public
#'   use microdata. Nowok, Raab and Dibben (2016), synthpop: bespoke creation of
#'   synthetic data in R, for the sequence of columns. Savitsky, Williams and Hu
#'   (2022), Bayesian pseudo posterior mechanism under asymptotic differential
#'   privacy, Journal of Machine Learning Research 23(55), and Savitsky, Hu and
#'   Williams, Re-weighting of vector-weighted mechanisms for utility
#'   maximization under differential privacy, for the mechanisms. Count and risk
#'   weights for one column are from these papers and from Hu and Savitsky. The
#'   extension to records that are close in all columns at once is ours.
#' @seealso [synthesize_file()], [file_release()]
#' @examplesIf requireNamespace("rpart", quietly = TRUE)
#' people <- ce_income[1:1000, c("income", "age", "education", "earner")]
#' fit <- fit_file(people, order = c("age", "education"))
#' fit
#' synthesize(fit, m = 2)
#' # Under the papers' mechanism: the codebook is confirmed as public
#' small <- people[1:300, c("age", "earner")]
#' plan <- file_plan(small, confirm_codebook(draft_codebook(small)))
#' weighted <- fit_file(plan, "lw", draws = 500, seed = 1)
#' weighted
#' guarantee(weighted)
#' @export
fit_file <- function(plan, mechanism = "unweighted", epsilon = NULL,
                     model = NULL, order = NULL, predictors = NULL, leaf = 10,
                     m = 1, seed = NULL,
                     neighbours = c("add-remove", "replace"), ...) {
  plan <- as_file_plan(plan)
  chosen <- choose_file_mechanism(mechanism)
  check_count(leaf, min = 1)
  check_argument(m)
  check_argument(seed)
  if (chosen$name != "unweighted") {
    job <- file_job(
      plan, chosen, epsilon, model, sequence_order(plan, order, predictors), m,
      seed, neighbours, given_dots(...)
    )
    return(run_file_job(job))
  }
  check_no_dots(..., hint = "See {.fn fit_file}.")
  refuse_if(
    !is.null(epsilon), "The mechanism {.val unweighted} claims no epsilon.",
    i = "Leave {.arg epsilon} out, or choose another mechanism.",
    arg = "epsilon"
  )
  predictors <- sequence_order(plan, order, predictors)
  kinds <- model_kinds(model %||% "tree", names(predictors))
  if ("tree" %in% kinds) check_installed("rpart", arg = "model")
  specs <- column_specs(plan$codebook)[names(plan$schema)]
  file <- records_of_plan(plan)
  warn_rare_levels(plan, specs)
  work <- as.double(plan$n_records) * length(predictors)^2
  models <- lapply(stats::setNames(nm = names(predictors)), function(name) {
    tell_long_step(paste("Fitting", name), work)
    fit_column(
      kinds[[name]], records_with_member(file, name, plan), name, specs,
      predictors[[name]], list(
        leaf = leaf, m = m,
        seed = stage_seed(seed, "column", match(name, names(kinds)))
      )
    )
  })
  warn_unconverged(models)
  seal(new_result(
    "file_synthesizer",
    plan = plan, models = models, kinds = kinds, predictors = predictors,
    leaf = leaf, id = new_charge_id(seed), reproducible = is_seeded(seed)
  ))
}

#' A plan, or one of a draft of the file's codebook
#' @noRd
as_file_plan <- function(plan) {
  check_present(plan)
  if (is.data.frame(plan) || has_engine(plan)) {
    return(in_memory(drafted_plan(plan), "fit_file()"))
  }
  check_argument(
    plan, how = "Make one with {.fn file_plan}, or give the file."
  )
  check_sealed(plan)
  in_memory(plan, "fit_file()")
}

drafted_plan <- function(data) {
  with_file(data, function(file) {
    plan_of_file(file, draft_of_file(file, largest_levels))
  }, arg = "plan")
}

#' The kind of model of each column
#' @param model (character) One for all, or some by the name of their column.
#' @return (named character)
#' @noRd
model_kinds <- function(model, columns) {
  check_that(
    is.character(model) && length(model) > 0 && !anyNA(model), model,
    "{.arg model} must be {.or {.val {column_models}}}."
  )
  names <- rlang::names2(model)
  wrong <- setdiff(model, column_models)
  refuse_if(
    length(wrong) > 0, "{.arg model} must be {.or {.val {column_models}}}.",
    x = "{.val {wrong}} {?is/are} not known.", arg = "model"
  )
  named <- model[nzchar(names)]
  others <- model[!nzchar(names)]
  strange <- setdiff(names(named), columns)
  refuse_if(
    length(others) > 1 || length(strange) > 0 || anyDuplicated(names(named)),
    "{.arg model} must be one model for all columns, or models named by
     columns that are drawn.",
    x = if (length(strange) > 0) "{.val {strange}} {?is/are} not drawn.",
    arg = "model"
  )
  kinds <- rep(c(others, column_models)[[1]], length(columns))
  names(kinds) <- columns
  kinds[names(named)] <- named
  kinds
}

column_models <- c("tree", "regression")

fit_column <- function(kind, file, name, specs, predictors, settings) {
  # No household of the file has so many members, and none of a set will
  if (nrow(file$codes) == 0) {
    return(NULL)
  }
  if (kind == "tree") {
    fit_trees(file, name, specs, predictors, settings$leaf)
  } else {
    fit_regressions(file, name, specs, predictors, settings$m, settings$seed)
  }
}

# Printing ---------------------------------------------------------------------

print_lines.file_synthesizer <- function(x) {
  draft <- drafted_columns(x$plan$codebook)
  if (is_joint(x)) {
    return(joint_lines(x))
  }
  c(
    sprintf(
      "Models of a file: %s from %s",
      counted(length(x$models), "column"), records_text(x$plan)
    ),
    field_lines(c(
      order = toString(names(x$models)),
      models = paste(
        vapply(split(names(x$kinds), x$kinds), toString, ""), "by",
        names(split(x$kinds, x$kinds)), collapse = "; "
      ),
      published = if (length(x$plan$published) > 0) toString(x$plan$published),
      codebook = if (length(draft) > 0) {
        paste("draft, read from the file:", toString(draft))
      } else {
        "confirmed"
      },
      label = "none: synthesize(x) draws sets without a guarantee"
    )),
    confidential_line("Holds the file")
  )
}
