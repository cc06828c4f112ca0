// What the blocks of a sweep that are drawn given the indicators work on.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_BLOCK_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_BLOCK_HPP

#include "mixture_indicators.hpp"

namespace pseudosynth {

class MixtureBlock {
 protected:
  /// @param given must outlive this object.
  explicit MixtureBlock(MixtureIndicators& given)
      : chain_(&given.chain()),
        given_(&given),
        K_(chain_->state.K),
        P_(chain_->state.P),
        n_(chain_->n_records()),
        Np_(chain_->n_padded()) {}

  MixtureChain* chain_;
  MixtureIndicators* given_;
  int K_, P_, n_, Np_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_MIXTURE_BLOCK_HPP
