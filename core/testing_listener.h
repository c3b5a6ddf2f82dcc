// A listener for tests: all pairs that race, in a row.
#pragma once

#include <vector>

#include "core/candidate.h"
#include "core/engine.h"

namespace norn {

inline Listener listener_into(std::vector<RacingPair>& pairs) {
  Listener listener;
  listener.context = &pairs;
  listener.pair = [](void* context, const RacingPair& pair) {
    static_cast<std::vector<RacingPair>*>(context)->push_back(pair);
  };
  return listener;
}

}  // namespace norn
