# EU-SILC of package laeken as the benchmarks of households take it, and what
# they measure it by: 6,000 households, 14,827 persons, ages in steps of five.

silc_file <- function() {
  data("eusilc", package = "laeken", envir = environment())
  personal <- rowSums(eusilc[grep("^py[0-9]+n$", names(eusilc))], na.rm = TRUE)
  file <- data.frame(
    home = eusilc$db030, region = eusilc$db040,
    house = round(eusilc$eqIncome),
    age = 5L * (pmin(pmax(eusilc$age, 0L), 85L) %/% 5L),
    sex = eusilc$rb090,
    status = factor(ifelse(
      is.na(eusilc$pl030), "none", as.character(eusilc$pl030)
    ), c("none", 1:7)),
    income = round(pmax(personal, 0))
  )
  # From the oldest, as all makers see a household
  file[order(file$home, -file$age), ]
}

#' The place of each person in the household, and the household's size
place <- function(x) ave(x$home, x$home, FUN = seq_along)
size_of <- function(x) ave(x$home, x$home, FUN = length)

#' Total variation of two samples of labels
distance <- function(a, b) {
  cells <- union(a, b)
  share <- function(x) tabulate(match(x, cells), length(cells)) / length(x)
  sum(abs(share(a) - share(b))) / 2
}
