# Makes fits.rds: fits of rstan as a user has them, but for what takes room and
# no method reads (the compiled program). Run in this folder:
#
#   Rscript make-fits.R
#
# Of twelve records with one far one: without weights (seed 1), with Lipschitz
# weights made of that fit (seeds 2 and 3), and with weights of 1 for the first
# half of the records and 0 for the others (seed 4).

library(rstan)

# Debian's package BH leaves Boost where the system has it
if (rstan_options("boost_lib") == "") rstan_options(boost_lib = "/usr/include")

x <- round(seq(-1.5, 1.5, length.out = 12), 2)
y <- round(10.5 + 0.6 * x + 0.5 * cos(9 * seq_along(x)), 2)
y[12] <- 13.5
records <- data.frame(income = round(exp(y)), x = x)

model <- stan_model("normal.stan")

fit_at <- function(alpha, seed) {
  made <- sampling(
    model,
    list(N = 12, x = x, y = log(records$income), alpha = alpha),
    chains = 2, iter = 1800, warmup = 200, thin = 4, seed = seed, refresh = 0,
    cores = 1
  )
  # The numbers to five digits, as far as a test looks
  made@sim$samples <- lapply(made@sim$samples, function(chain) {
    kept <- attributes(chain)[c("names", "test_grad")]
    chain <- lapply(chain, function(values) signif(values[51:450], 5))
    attributes(chain) <- kept
    chain
  })
  made@sim$iter <- 400L
  made@sim$thin <- 1L
  made@sim$warmup <- 0L
  made@sim$warmup2 <- c(0L, 0L)
  made@sim$n_save <- c(400L, 400L)
  made@sim$permutation <- lapply(1:2, function(chain) seq_len(400L))
  made@stanmodel <- new("stanmodel", model_name = "normal")
  made@.MISC <- new.env(parent = emptyenv())
  made@inits <- list()
  made
}

unweighted <- fit_at(rep(1, 12), 1)
bounds <- apply(abs(as.array(unweighted, pars = "log_lik")), 3, max)
weights <- unname(1 - (bounds - min(bounds)) / (max(bounds) - min(bounds)))

saveRDS(list(
  records = records, weights = weights, unweighted = unweighted,
  weighted = fit_at(weights, 2), again = fit_at(weights, 3),
  half = fit_at(rep(1:0, each = 6), 4)
), "fits.rds", compress = "xz")
