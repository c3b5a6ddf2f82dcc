// What if a lock were not taken (the option `what_if`): the operation at a line is not performed, and is no event, so
// that the detector finds what it protected, and both orders of that can be run. What gives the lock up is passed over,
// too. So is waiting at a barrier, and at or for a semaphore. A line is also meant if it calls the program's own
// wrapper of the operation.
//
// Whoever waits on a condition variable has to give up a lock: it is taken then after all.
#pragma once

#include "runtime/intercept/interpose.h"

namespace norn::rt {

extern constinit bool asks_what_if;

void start_what_if();

// Something was, so far.
[[nodiscard]] bool has_left_out();

// Whether the calling thread is to go on as if it had taken the lock, or had performed any other operation.
[[nodiscard]] bool is_left_out(const volatile void* object, const norn_site& site, bool is_lock);
// Whether it only went on as if; it gives it up now.
[[nodiscard]] bool was_left_out(const volatile void* lock);

[[nodiscard]] inline bool leaves_out_lock(const volatile void* lock, const norn_site& site) {
  return asks_what_if && is_left_out(lock, site, true);
}
[[nodiscard]] inline bool leaves_out(const volatile void* object, const norn_site& site) {
  return asks_what_if && is_left_out(object, site, false);
}
[[nodiscard]] inline bool left_out(const volatile void* lock) { return asks_what_if && was_left_out(lock); }

// While one exists the calling thread takes each lock.
class TakesAll {
 public:
  TakesAll();
  ~TakesAll();
  TakesAll(const TakesAll&) = delete;
  TakesAll& operator=(const TakesAll&) = delete;
};

}  // namespace norn::rt
