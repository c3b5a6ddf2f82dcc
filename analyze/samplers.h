// What samplers would have logged of a full trace (docs/design/trace.md): those that LiteRace was compared with
// (Marino, Musuvathi and Narayanasamy, PLDI 2009, table 3), and norn's own sampling profile (docs/design/sampling.md).
//
// A full trace says which functions are entered and which loops go on. A replay asks every sampler the questions that
// it would have been asked (§5.3 there: the dispatch check of each is executed), and says of each access which of them
// would have logged it. Synchronization is logged by all of them (§3.2).
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/order/sampler.h"
#include "trace/trace_format.h"

namespace norn::analyze {

// What a sampler decides about. A function is asked for at each call; only norn's own sampling asks for loops.
struct Activation {
  struct Loop {
    uint32_t region;
    bool home;        // whether it was entered from the checked copy
    uint32_t stride;  // iterations until the unchecked copy asks
  };
  uint64_t depth = 0;
  bool sampled = false;
  std::vector<Loop> loops{};  // that went on, the innermost last
};

class SampleRule {
 public:
  virtual ~SampleRule() = default;
  SampleRule() = default;
  SampleRule(const SampleRule&) = delete;
  SampleRule& operator=(const SampleRule&) = delete;

  // Whether this call of the function is logged.
  virtual bool enters(ThreadId thread, uint32_t function) = 0;
  // A loop of a function that runs goes on, or is left.
  virtual void loop_step(ThreadId /*thread*/, uint32_t /*region*/, trace::RegionStep /*step*/, Activation& /*of*/) {}
  // A function of which the sampling profile has one copy.
  virtual bool enters_always(ThreadId thread, uint32_t function) { return enters(thread, function); }
  // Accesses of no function that is known.
  [[nodiscard]] virtual bool samples_unknown() const { return false; }
  virtual void first_fork(ThreadId /*thread*/) {}
};

struct SamplerInfo {
  std::string_view name;     // as in table 3
  std::string_view meaning;  // its description there
  std::unique_ptr<SampleRule> (*make)(uint64_t seed);
};
// Those of table 3 in its order, then norn's.
[[nodiscard]] std::span<const SamplerInfo> samplers();

// Memory that loops wait for orders threads, so that what is done to it is synchronization.
class WaitedFor {
 public:
  // All items of an execution, in any order.
  void look_at(const trace::Item& item);
  [[nodiscard]] bool contains(Address address, uint64_t size) const;

 private:
  static constexpr unsigned kGranule = 8;
  std::unordered_set<uint64_t> granules_;
};

// One sampler over one trace.
class SamplerReplay {
 public:
  SamplerReplay(const SamplerInfo& sampler, uint64_t seed, const WaitedFor& waited_for)
      : rule_(sampler.make(seed)), waited_for_(waited_for) {}

  // Whether the sampler's log has it. To be asked of each item, in order.
  [[nodiscard]] bool logs(const trace::Item& item);

  // Of the reads and writes.
  [[nodiscard]] uint64_t logged() const { return logged_; }
  [[nodiscard]] uint64_t accesses() const { return accesses_; }

 private:
  void step(const trace::Item& item);

  std::unique_ptr<SampleRule> rule_;
  const WaitedFor& waited_for_;
  std::unordered_map<ThreadId, std::vector<Activation>> stacks_;
  bool forked_ = false;
  uint64_t logged_ = 0;
  uint64_t accesses_ = 0;
};

}  // namespace norn::analyze
