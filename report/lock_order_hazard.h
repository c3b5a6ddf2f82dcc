// The words of a lock order that may deadlock, from what a front end knows of its steps.
#pragma once

#include "base/list.h"
#include "base/sink.h"
#include "base/text.h"
#include "report/race.h"

namespace norn::report {

// A thread holds one lock and takes another.
struct LockOrderStep {
  uint32_t thread = 0;
  Text thread_name{};
  Text holds{};     // what people call the lock
  Text holds_at{};  // "bank.c:12"
  Text wants{};
  Text wants_at{};
  uint64_t site = 0;    // the identity of the statement that takes it
  List<Frame> stack{};  // there, of the program's own code
};

// A hazard of these steps, each of which wants what the next one holds. It is good as long as the description is.
class LockOrderDescription {
 public:
  static constexpr size_t kMaxSteps = 8;  // hazards/lock_order.h finds no longer cycle

  [[nodiscard]] const Hazard& describe(List<LockOrderStep> steps);

 private:
  char title_[512] = {};
  char places_[512] = {};
  char words_[1 << 12] = {};
  uint64_t sites_[kMaxSteps] = {};
  HazardStep steps_[kMaxSteps] = {};
  Hazard hazard_{};
};

}  // namespace norn::report
