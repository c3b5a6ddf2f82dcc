// From racing pairs to candidates: which pairs count.
//
// A pair does not, if the front end says so (Listener::counts), or the program (benign ranges). A predicted one does
// not, either, where the earlier access was to memory that was new then (Listener::fresh_until), or to what the thread
// took from under the other before (Relations::is_taken_out()). What is left becomes a candidate, once for each pair of
// sites.
#pragma once

#include "core/candidate.h"
#include "core/order/relations.h"

namespace norn {

struct FoundRaces;

class RaceFilter : public Relations {
 public:
  // Races within the bytes are meant to be.
  void benign_range(Thread& thread, Address address, uint64_t size);
  // The embedding takes such a pair for a race (ShadowStore::find_unordered_writes()). Inside, on the thread that
  // found it.
  void add_race(const RacingPair& pair) { candidates_.found(pair); }
  // Lock-free; the pointers stay good.
  [[nodiscard]] const Candidates& candidates() const { return candidates_; }

 protected:
  [[nodiscard]] bool init_filter() { return candidates_.init(arena_, listener_); }

  // Of the thread's access, which took place. Inside.
  void report_races(const Thread& thread, const FoundRaces& races);
  // Whether anybody wants to hear of a pair, whatever its standing.
  [[nodiscard]] bool is_wanted(const RacingPair& pair) const {
    return (listener_.counts == nullptr || listener_.counts(listener_.context, pair)) && !is_benign(pair);
  }

  // In a collection: calls keep(lockset), which may change it, for all that candidates hold.
  template <class Keep>
  void keep_candidates_locksets(Keep keep) {
    for (auto* c = const_cast<Candidate*>(candidates_.first()); c != nullptr; c = c->next.load()) {
      keep(c->first.earlier.lockset);
      keep(c->first.later.lockset);
    }
  }

 private:
  struct BenignRange {
    Bytes bytes;
    BenignRange* next;
  };
  void report_grown(RacingPair pair);
  void report_harmful(RacingPair pair);
  [[nodiscard]] bool is_benign(const RacingPair& pair) const;

  Candidates candidates_;
  std::atomic<BenignRange*> benign_{nullptr};
};

}  // namespace norn
