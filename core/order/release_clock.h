// A release clock that the embedding keeps itself (OpenMP's release clocks, exit handlers, …): all that was given to it
// happens before what takes it later, in both relations and whatever the option `library` says.
#pragma once

#include "base/spin_mutex.h"
#include "core/order/clock.h"

namespace norn {

struct ReleaseClock {
  SpinMutex mutex;
  VectorClocks clocks;
};

}  // namespace norn
