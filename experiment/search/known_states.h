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

  // As the option `guide` has it.
  using Way = std::string;
  // Of those that were found with switches at each access, or of the others: there are many more of the former, and
  // they would leave little for those. No way: from the beginning, now and then, and while no state is known.
  [[nodiscard]] Way next(bool accesses);

  [[nodiscard]] size_t states() const { return places_[0].size() + places_[1].size(); }

 private:
  using Log = std::shared_ptr<const std::vector<schedule::LogEntry>>;
  struct Place {
    Log log;
    uint32_t length = 0;  // of the log's beginning
    unsigned stale = 0;
    unsigned chosen = 0;
  };
  // Where threads are switched is part of what a place is: elsewhere the same way leads to another. First those without
  // switches at each access.
  static constexpr size_t kKinds = 2;

  [[nodiscard]] uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }

  std::mt19937_64 random_;
  std::unordered_map<uint64_t, uint32_t> numbers_[kKinds];  // by the mark's place
  std::vector<Place> places_[kKinds];
};

}  // namespace norn::experiment
