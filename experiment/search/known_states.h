// Where the schedules of a program have been, and from which of these places to go on: what the strategy frontier
// (schedule/strategies/frontier.h) is guided by.
//
// Each place has the shortest beginning of a schedule that came there. The next one to go on from is the one that was
// chosen most rarely, of some that are drawn; each thread that is about to write what others have written since it
// looked there counts fourfold.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/log.h"
#include "schedule/state_mark.h"

namespace norn::experiment {

class KnownStates {
 public:
  explicit KnownStates(uint64_t seed) : random_(seed) {}

  // A run was in these states, one before each decision of its log. How many of them no run before was in.
  unsigned add(const std::vector<schedule::StateMark>& marks, std::vector<schedule::LogEntry> log, bool accesses);

  struct Choice {
    std::string way;        // as the option `guide` has it
    bool accesses = false;  // with switches at each access: the way was found so
  };
  // No way: from the beginning, now and then, and while no state is known.
  [[nodiscard]] Choice next();

  [[nodiscard]] size_t states() const { return places_.size(); }

 private:
  using Log = std::shared_ptr<const std::vector<schedule::LogEntry>>;
  struct Place {
    Log log;
    uint32_t length = 0;  // of the log's beginning
    unsigned stale = 0;
    unsigned chosen = 0;
    bool accesses = false;
  };

  [[nodiscard]] uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }

  std::mt19937_64 random_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by the mark's place
  std::vector<Place> places_;
};

}  // namespace norn::experiment
