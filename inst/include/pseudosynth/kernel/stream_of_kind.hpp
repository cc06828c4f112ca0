// The stream of a family that is known by its name: everything that reduces a
// stream takes a ModelKind in the place of a family where this is included.
#ifndef PSEUDOSYNTH_KERNEL_STREAM_OF_KIND_HPP
#define PSEUDOSYNTH_KERNEL_STREAM_OF_KIND_HPP

#include "../family/registry.hpp"
#include "stream_log_lik.hpp"

namespace pseudosynth {

/// @throw std::invalid_argument for a family that is not known.
inline void stream_log_lik(const Records& records, const ModelKind& kind,
                           const DrawMatrix& draws, CellRange cells,
                           const TileVisitor& visit,
                           const ShouldStop& should_stop) {
  visit_family(kind, [&](const auto& family) {
    stream_log_lik(records, family, draws, cells, visit, should_stop);
  });
}

}  // namespace pseudosynth

#endif
