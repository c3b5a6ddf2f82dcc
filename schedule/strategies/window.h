// window: between a thread's look at a location and its write there others may write it too, and what the thread writes
// is stale then: a compare-and-swap that succeeds though its world is another one, an update that is lost. So a thread
// that is about to write what it has accessed lately is held back now and then, until others have written there as
// often as was drawn, or have taken so many steps that they may be waiting for it. Apart from that threads are rarely
// preempted, so that each gets far while another one is held. (The windows are those of CTrigger: Park, Lu, Zhou:
// CTrigger: Exposing Atomicity Violation Bugs from Their Hiding Places, ASPLOS 2009.)
//
// Deviations: CTrigger collects the windows in runs before and tries the rarest first; here each run draws how often it
// holds, for how many writes, and how often threads are switched elsewhere.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class Window : public Strategy {
 public:
  explicit Window(uint64_t seed) : Window(seed, Habits::kWindow) {}

  uint32_t choose(const Enabled& enabled) override;
  void ended(uint32_t thread) override { threads_[thread] = {}; }

 protected:
  enum class Habits : uint8_t { kWindow, kFrontier };
  Window(uint64_t seed, Habits habits);
  // The step at this index is taken.
  void perform(const Enabled& enabled, uint32_t chosen);

 private:
  static constexpr uint32_t kRemembered = 4;  // locations of a thread
  struct Thread {
    uint64_t accessed[kRemembered] = {};
    uint32_t next = 0;
    bool is_drawn = false;  // whether its pending step is held
    uint16_t writes = 0;    // by others, that it is held for; 0: it is not held
    uint16_t steps = 0;     // of others, after which it is let go
  };

  void draw(Thread& thread, const Step& step);
  // A random one of those that may be chosen; kNobody if there is none.
  template <class MayBe>
  uint32_t any_of(const Enabled& enabled, const MayBe& may_be);

  uint32_t held_of_256_;
  uint32_t most_writes_;
  uint32_t switched_of_256_;
  uint32_t held_elsewhere_of_256_ = 0;  // at a step that is no write of what the thread has accessed lately
  uint32_t current_ = kNobody;
  Thread threads_[kMaxThreads] = {};
};

}  // namespace norn::schedule
