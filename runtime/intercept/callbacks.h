// Functions that the C library calls in a thread of its own (SIGEV_THREAD: timers, message queues): what was done
// before it was asked for the call comes before the call.
#pragma once

#include <signal.h>

#include "core/order/release_clock.h"

namespace norn::rt {

// Of a timer it is kept for ever: a call may still come when the timer is gone.
struct Callback {
  void (*function)(sigval) = nullptr;
  sigval value = {};
  ReleaseClock asked;
  int queue = -1;  // a message queue calls once, when a message came
};

// Puts the runtime's function into a copy of the program's event. Null if the event calls none, or if nobody looks.
Callback* wrap_callback(sigevent& event);

// What the calling thread did so far comes before the calls to come.
void release_to(Callback& callback);

}  // namespace norn::rt
