// rr: the threads in turn, each for as many steps as the quantum says or until it has to wait or yields. A large
// quantum makes runs that are easy to read: without end for seed 0. Other seeds draw a short one for each turn: one
// that is always the same can meet a loop that tries for a lock always at the same point.
#pragma once

#include "schedule/strategy.h"

namespace norn::schedule {

class RoundRobin final : public Strategy {
 public:
  explicit RoundRobin(uint64_t seed) : Strategy(seed), endless_(seed == 0), quantum_(draw()) {}

  uint32_t choose(const Enabled& enabled) override;
  uint32_t pick(uint32_t /*n*/) override { return 0; }
  void yielded(uint32_t /*thread*/) override { used_ = quantum_; }

 private:
  uint64_t draw() { return endless_ ? ~uint64_t{0} : 1 + random_.below(64); }

  bool endless_;
  uint64_t quantum_;
  uint64_t used_ = 0;
  uint32_t current_ = 0;
};

}  // namespace norn::schedule
