// Listeners for tests: all pairs that race, in a row, or how many there are, whichever threads report them.
#pragma once

#include <atomic>
#include <vector>

#include "core/candidate.h"
#include "core/engine/engine.h"

namespace norn {

inline Listener listener_into(std::vector<RacingPair>& pairs) {
  Listener listener;
  listener.context = &pairs;
  listener.pair = [](void* context, const RacingPair& pair) {
    static_cast<std::vector<RacingPair>*>(context)->push_back(pair);
  };
  return listener;
}

inline Listener listener_counting(std::atomic<int>& pairs) {
  Listener listener;
  listener.context = &pairs;
  listener.pair = [](void* context, const RacingPair&) { ++*static_cast<std::atomic<int>*>(context); };
  return listener;
}

}  // namespace norn
