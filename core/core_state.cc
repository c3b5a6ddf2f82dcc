#include "core/core_state.h"

namespace norn {

void CoreState::note_once(std::atomic<bool>& said, const char* text) {
  if (!said.exchange(true, std::memory_order_relaxed) && listener_.note != nullptr) {
    listener_.note(listener_.context, text);
  }
}

void CoreState::no_memory_for_shadow() {
  note_once(said_shadow_, "out of memory: some accesses are not checked from here on");
}

void CoreState::no_memory_for_clocks() {
  blind_.store(true, std::memory_order_relaxed);
  note_once(said_clocks_, "out of memory: synchronization cannot be recorded, so no more races are reported");
}

}  // namespace norn
