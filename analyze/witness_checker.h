// Whether witnesses of races are what they say (witness.h): an independent look at the trace, which knows nothing of
// how they were found. It follows the trace once, keeps the rules of operations.h for each witness, and computes no
// clocks.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/operations.h"
#include "analyze/witness.h"

namespace norn::analyze {

class WitnessChecker {
 public:
  explicit WitnessChecker(std::vector<Witness> witnesses);
  ~WitnessChecker();
  WitnessChecker(const WitnessChecker&) = delete;
  WitnessChecker& operator=(const WitnessChecker&) = delete;

  // All events of the trace in order, as for SyncPreserving::add.
  void add(const Event& event, uint64_t at, bool is_past = false);
  // After the last: one answer for each witness. Empty: it holds; otherwise the rule that it breaks, and where.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  struct Case;
  struct Done {
    ThreadId thread = kNoThread;
    uint64_t at = 0;
  };
  // Of a lock: who has it, how often, and whether exclusively.
  struct Holder {
    ThreadId thread;
    unsigned depth;
    LockMode mode;
  };
  using Page = std::vector<Done>;  // who wrote each byte last

  template <class Visit>
  void for_each_byte(const Operation& operation, bool makes, Visit visit);
  void select(Case& each, const Event& event, uint64_t at, bool is_past);
  void keep(const Event& event, uint64_t at);
  static void take(Case& each, const Event& event, const Operation& operation, uint64_t at);
  static void give_back(Case& each, const Event& event, const Operation& operation);

  std::vector<Case> cases_;
  // What the trace says up to here.
  std::unordered_map<Address, Page> pages_;
  std::unordered_map<Address, Done> chains_;
  std::unordered_map<Address, Done> acquired_;  // locks, last
  std::unordered_map<ThreadId, Done> forks_;
  std::unordered_map<ThreadId, uint64_t> last_;  // each thread's event
};

}  // namespace norn::analyze
