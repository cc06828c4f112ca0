# A file and two "sets" whose measures other packages were asked for: records of
# the public file ce_income, without any random number. The figures in the tests
# were computed once by peer_script(), with synthpop 1.9-3 and sdcMicro 5.8.2;
# where the packages are there, they are computed anew.

peer_columns <- c("sex", "age", "marital", "earner", "region")

peer_keys <- c("sex", "age", "marital", "region")

peer_file <- function(rows = 1:400) {
  file <- as.data.frame(ce_income)[rows, peer_columns]
  row.names(file) <- NULL
  # Few levels, so that glm() does not diverge, as it does where a cell is empty
  # in one of the two: synthpop's propensity error is then 0.25
  levels(file$age) <- c("to 40", "to 40", "to 60", "over 60", "over 60")
  levels(file$marital)[-1] <- "other"
  # Missing values, by a rule
  file$marital[seq(7, nrow(file), 13)] <- NA
  file
}

peer_frames <- function() list(peer_file(401:800), peer_file(801:1200))

# As sets of a whole file
peer_sets <- function() {
  remember("peer sets", {
    file <- peer_file()
    book <- confirm_codebook(draft_codebook(file))
    sets <- synthesize(file_release(file_plan(file, book), 1, seed = 1), 2)
    sets$sets <- peer_frames()
    sets
  })
}

# As synthpop's functions take them
peer_synds <- function() {
  file <- peer_file()
  structure(
    list(
      syn = peer_frames(), m = 2, k = 400, n = 400,
      method = stats::setNames(rep("cart", 5), peer_columns),
      cont.na = lapply(file, function(x) NA)
    ),
    class = "synds"
  )
}

# What the peers say, in their own words
peer_script <- function() {
  file <- peer_file()
  synds <- peer_synds()
  synthpop <- asNamespace("synthpop")
  quiet <- function(code) suppressWarnings(utils::capture.output(code))
  quiet({
    logit <- synthpop$utility.gen(
      synds, file, method = "logit", maxorder = 1, print.flag = FALSE
    )
    cart <- synthpop$utility.gen(
      synds, file, method = "cart", resamp.method = "none", print.flag = FALSE
    )
    tables <- lapply(c("oneway", "twoway"), function(order) {
      synthpop$utility.tables(
        synds, file, order, tab.stats = "all", plot = FALSE, print.flag = FALSE
      )$tabs
    })
    uniques <- synthpop$replicated.uniques(synds, file, peer_keys)
    disclosed <- synthpop$disclosure(
      synds, file, peer_keys, "earner", print.flag = FALSE
    )
    fit <- synthpop$glm.synds(
      earner ~ sex + age + marital, family = "binomial", data = synds
    )
    # It looks for the data by their name, in its own frame
    data <- file
    compared <- synthpop$compare.fit.synds(fit, data, return.plot = FALSE)
  })
  list(
    logit = cbind(pmse = logit$pMSE, pmse_ratio = logit$S_pMSE),
    cart = cart$pMSE,
    tables = do.call(rbind, tables)[
      , c("SPECKS", "MabsDD", "VW", "pMSE", "S_pMSE")
    ],
    uniques = vapply(uniques$res_tab, function(x) x[, 1], double(4)),
    ident = disclosed$ident, attrib = disclosed$attrib,
    caps = disclosed$allCAPs, std_difference = compared$coef.diff[, 4]
  )
}

# The figures of peer_script()
peer_figures <- function() {
  tables <- utils::read.table(text = "
    first second SPECKS pMSE S_pMSE
    sex - 0.015 0.000113418691400343 0.725879624962194
    age - 0.06375 0.00115722113347922 3.70310762715
    marital - 0.0225 0.000153341264250401 0.490692045601
    earner - 0.06375 0.00135351319875776 8.66248447204969
    region - 0.03125 0.000400379990017698 0.640607984028317
    sex age 0.08125 0.00244149978819 3.12511972888
    sex marital 0.04875 0.000985242355797 1.26111021542
    sex earner 0.08625 0.00247425963920349 5.27842056363412
    sex region 0.0575 0.00141676559969486 1.00747775978301
    age marital 0.09875 0.00349919787111 2.79935829689
    age earner 0.09125 0.00268146244515 3.43227192980
    age region 0.09 0.00329524316077 1.62227355607
    marital earner 0.0825 0.00291609482933 3.73260138154
    marital region 0.06 0.00244573573835 1.20405451733
    earner region 0.08 0.00255859278036591 2.04687422429273
  ", header = TRUE)
  list(
    logit = cbind(
      pmse = c(0.01352727475, 0.01367155580),
      pmse_ratio = c(2.013361824, 1.988589934)
    ),
    cart = c(0.01703298071, 0.01526301178), tables = tables,
    uniques = cbind(c(13, 9, 3, 2), c(13, 11, 4, 3)),
    ident = data.frame(
      UiO = 3.25, UiOiS = c(2, 1.75), repU = c(0.5, 0.75)
    ),
    attrib = data.frame(
      Dorig = 37, iS = c(96.5, 97.5), DiS = c(37.5, 39.75),
      DiSCO = c(33.75, 36.75), DCAPd = c(69.83638965, 72.06498016),
      DiSDiO = c(19, 22.75)
    ),
    caps = data.frame(
      baseCAPd = 56.30125, CAPd = 77.57435412, TCAP = c(90, 92.45283019)
    ),
    std_difference = c(
      "(Intercept)" = 0.4121030929, "sexfemale" = 1.0204781584,
      "ageto 60" = -0.3795100204, "ageover 60" = -0.6453935042,
      "maritalother" = 1.1810521827
    )
  )
}
