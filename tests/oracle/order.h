// How the page's rules add edges: each is a function of the execution.
#pragma once

#include <set>
#include <vector>

#include "tests/oracle/execution.h"

namespace norn::oracle {

class Edges {
 public:
  explicit Edges(Orders& orders) : orders_(orders) {}
  void both(Index from, Index to) {
    orders_.full.add_edge(from, to);
    orders_.strong.add_edge(from, to);
  }
  void strong_only(Index from, Index to) { orders_.strong.add_edge(from, to); }
  void full_only(Index from, Index to) { orders_.full.add_edge(from, to); }

 private:
  Orders& orders_;
};

// conditions.cc
void order_by_conditions(const Execution& x, Edges& edges);

// reads.cc
// What ends a segment: "between two of its synchronization events".
[[nodiscard]] bool is_synchronization(const Event& e);

// A read that may decide what comes, and a write that it finds there.
struct Handover {
  Index write = 0;
  Index stands_for = 0;  // up to this event of its thread
  Index read = 0;
};

// Gives the slices, which are cut whether or not spins are honoured, and what reads find.
std::vector<unsigned> order_by_spins(const Execution& x, Edges& edges, std::vector<Handover>& found);

// For each event the bytes that are in state spin when it happens.
[[nodiscard]] std::vector<std::set<Address>> spin_states(const Execution& x);

// Where the write's thread gives up locks that protect it from the read, each for the first time.
[[nodiscard]] Indexes ends_of_regions(const Execution& x, const Handover& h);

// All that is ordered before the read otherwise is known.
void hand_over(const Execution& x, const Handover& h, Orders& orders, Edges& edges);

// order.cc
[[nodiscard]] Orders order_execution(const Execution& x);

}  // namespace norn::oracle
