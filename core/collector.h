// Collections, and what happens when memory runs out.
//
// Histories, locksets and thread sets grow as the program runs. When a table has grown enough, one thread stops the
// others at the door of the core (core/safepoint.h), walks all cells, finds or copies what they still refer to, and
// lets go of the rest. On the way it learns which slots and locks are still mentioned.
//
// Histories have a bound. If more is in use, the oldest are made anew without what only finds races: that can miss one,
// cannot make one, and is said. The last writes of all bytes stay as long as that is enough, since what waits for them
// in a loop, or reads them under a lock, is ordered after them; those of what somebody waits for, or is atomic, always.
#pragma once

#include "core/shadow/shadow_store.h"

namespace norn {

class Collector : public ShadowStore {
 protected:
  // Before the first collection: how much may be in use.
  void init_collector() {
    histories_.set_bound(history_bound());
    init_safepoint([](Safepoint& self, bool requested) { static_cast<Collector&>(self).collect(requested); });
  }
  void add_statistics(Statistics& statistics);

 private:
  // What goes with the oldest histories.
  enum class Forgotten : uint8_t {
    kNothing,    // they are made anew as they are
    kButWrites,  // all but what orders: the last writes, and what is waited for or atomic
    kAll,        // the last writes, too
  };

  // All the others are outside.
  void collect(bool requested);
  [[nodiscard]] size_t history_bound() const;
  void make_room(bool failed);
  void empty_areas(size_t staying, Forgotten what);
  HistoryId list_anew(HistoryRoom& room, Granule& granule, HistoryId id, Forgotten what);
  HistoryId history_anew(HistoryRoom& room, HistoryId id, Forgotten what);
  unsigned keep_what_orders(AccessHistory& history, uint32_t flags);
  [[nodiscard]] bool is_present(const PastAccess& past);

  void mark_histories(bool full);
  void rewrite_history(uint32_t* words, unsigned count);
  void keep_lockset(LocksetId& id);
  void mark_words(const Granule& granule);
  void mark_read_table();
  void forget_ended();
  void forget_ended_in_list(Granule& granule);
  void forget_ended_in_table();
  [[nodiscard]] unsigned history_cells() const;
  template <class Visit>
  void for_each_cell(Visit visit);
  template <class Visit>
  void for_each_history(const Granule& granule, Visit visit) const;

  bool moving_locksets_ = false;  // in a collection
  bool moving_threadsets_ = false;
  uint64_t full_collections_ = 0;
  uint64_t histories_forgotten_ = 0;
  std::atomic<bool> said_history_{false};
  std::atomic<bool> said_writes_{false};
};

}  // namespace norn
