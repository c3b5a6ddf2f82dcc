// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/lookahead.h"

#include "base/hash.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/lookahead/counting_loads.h"
#include "valgrind/lookahead/flow.h"
#include "valgrind/lookahead/search.h"
#include "valgrind/lookahead/summaries.h"
#include "valgrind/lookahead/targets.h"

namespace norn::vg {
namespace {

using loops::CallKind;

constexpr unsigned kMostBlocks = 400;  // of a function; what is beyond is looked at when it runs

// Blocks of functions that were looked at.
struct Seen {
  Address block;
  bool accessor;
  Seen* next;
};
constexpr unsigned kSeenBuckets = 1u << 16;
constinit Seen* seen[kSeenBuckets] = {};

Seen*& seen_bucket(Address block) { return seen[hash_word(block) >> 48]; }

Seen* find_seen(Address block) {
  for (Seen* entry = seen_bucket(block); entry != nullptr; entry = entry->next) {
    if (entry->block == block) return entry;
  }
  return nullptr;
}

void note_seen(Address block, bool accessor) {
  if (find_seen(block) != nullptr) return;
  auto* entry = memory.create<Seen>();
  if (entry == nullptr) return;
  *entry = {block, accessor, seen_bucket(block)};
  seen_bucket(block) = entry;
}

void look_at_function(GuestCode& code, Address entry) {
  constexpr unsigned kLargestAccessor = 12;
  Flow flow;
  if (!flow.build(code, entry, kMostBlocks)) {
    note_seen(entry, false);
    return;
  }
  find_waiting_loops(code, flow);
  plan_counting(flow);
  const bool accessor = flow.blocks.size() <= kLargestAccessor && summary_of(code, entry).kind == CallKind::kAccessor;
  for (const FlowBlock& block : flow.blocks) note_seen(block.begin, accessor);
}

}  // namespace

void look_ahead(Address block, const VexArchInfo& host) {
  if (find_seen(block) != nullptr) return;
  GuestCode code(host);
  const Address entry = function_begin(block);
  if (entry != 0 && find_seen(entry) == nullptr) look_at_function(code, entry);
  if (find_seen(block) == nullptr) look_at_function(code, block);
}

bool is_of_accessor(Address block) {
  const Seen* entry = find_seen(block);
  return entry != nullptr && entry->accessor;
}

}  // namespace norn::vg
