// What a program does after its threads were held: it crashes, hangs, or its user ends it and says why. Handlers are
// installed for signals that the program leaves to their default, when the first thread is held and not before.
#pragma once

namespace norn::probe {

// Fatal signals are reported and then end the program as ever.
void expect_crash();
// An interrupt asks, where there is a terminal, whether the program misbehaved.
void expect_interrupt();

// Whether some thread was held: a wait for a lock that takes this long is then a hang.
[[nodiscard]] bool has_steered();
inline constexpr long kHangSeconds = 10;

}  // namespace norn::probe
