// Threads that wait for each other.
#pragma once

#include "runtime/control/slots.h"

namespace norn::rt::control {

// The thread waits for a lock whose owner waits for a lock, … whose owner is the thread: how many they are, or 0.
[[nodiscard]] uint32_t length_of_cycle(const Slot* slots, uint32_t count, const Slot& slot);

// Reports who waits for what, with stacks and locks held, and ends the process: it would stand still for ever. So many
// threads wait by looking (standstill.h).
[[noreturn]] void end_by_deadlock(Slot* slots, uint32_t count, uint32_t pollers);

}  // namespace norn::rt::control
