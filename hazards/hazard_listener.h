// What may go wrong beside races, found from events alone: a listener (core/emitter.h) for all front ends.
//
// It knows threads, locks and stack ids, and nothing of who feeds it. What is wrong goes to callbacks of the front end,
// on the thread whose event showed it, inside.
#pragma once

#include "hazards/atomicity.h"
#include "hazards/lock_order.h"

namespace norn::hazards {

class Hazards {
 public:
  LockOrder lock_order;
  Atomicity atomicity;

  [[gnu::always_inline]] void on_event(Thread& thread, const Event& event) { lock_order.on_event(thread, event); }

  [[nodiscard]] bool wants_everything() const { return atomicity.is_watching(); }
  void on_everything(Thread& thread, const Event& event) { atomicity.on_event(thread, event); }
};

}  // namespace norn::hazards
