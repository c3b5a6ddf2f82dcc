// replay: follows a log. Where the program does not do what the log says, the strategy says so once and goes on with
// the running thread.
#pragma once

#include "schedule/log.h"

namespace norn::schedule {

class Replay final : public Strategy {
 public:
  // The entries must outlive it.
  Replay(const LogEntry* entries, uint64_t count) : Strategy(0), entries_(entries), count_(count) {}

  uint32_t choose(const Enabled& enabled) override;
  uint32_t pick(uint32_t n) override;

  // The number of the first decision that could not be followed; ~0: none yet.
  [[nodiscard]] uint64_t lost_at() const { return lost_at_; }

 private:
  void lose() {
    if (lost_at_ == ~uint64_t{0}) lost_at_ = at_ - 1;
  }

  const LogEntry* entries_;
  uint64_t count_;
  uint64_t at_ = 0;
  uint64_t lost_at_ = ~uint64_t{0};
};

}  // namespace norn::schedule
