// Signals: handlers run as their thread, never inside the runtime, and a program that a signal ends still reports.
#pragma once

namespace norn::rt {
void init_signals();
}  // namespace norn::rt
