// Places: a site and the calls that led there, as one number.
//
// A place is a node of a tree: its site, and the place it was called from. Nodes are interned, never freed, and found
// without a lock. A thread remembers the node of each call on its stack that was asked for, so that finding a place
// costs as much as was called since.
#pragma once

#include "runtime/state.h"

namespace norn::rt {

bool init_places();

// The stack of the calling thread with `site` on top; null: the stack alone.
Where place(ThreadState& state, const norn_site* site);

inline unsigned place_key(const norn_site* site, Where caller) {
  const uintptr_t key = reinterpret_cast<uintptr_t>(site) / sizeof(norn_site) * 0x9e3779b1u ^ caller * 0x85ebca6bu;
  return (key >> 12) % ThreadState::kPlaces;
}

extern std::atomic<uint32_t> unloads;  // how many modules are gone

// Whether the newest call is seen (CallStack), or can be by a look at what the thread remembers.
[[gnu::always_inline]] inline bool see_call(const ThreadState& state, const CallStack& calls,
                                            const norn_site* const* top) {
  if (CallStack::is_seen(top[-1])) return true;
  const auto depth = static_cast<size_t>(top - calls.begin);
  if (depth > ThreadState::kMostCalls || (depth > 1 && !CallStack::is_seen(top[-2]))) return false;
  const Where parent = depth > 1 ? calls.places[depth - 2] : kNowhere;
  const ThreadState::Prefix& known = state.called[place_key(top[-1], parent) % ThreadState::kCalls];
  if (known.site != top[-1] || known.parent != parent || known.site == nullptr) return false;
  calls.places[depth - 1] = known.where;
  calls.begin[depth - 1] = CallStack::seen(top[-1]);
  return true;
}

// The same, if it was asked for before from this call.
[[gnu::always_inline]] inline bool find_place(const ThreadState& state, const norn_site* site, Where& where) {
  const CallStack& calls = *state.running;
  const norn_site* const* top = __norn_stack;
  const Address frame = address_of(__builtin_frame_address(0));
  const bool called = top > calls.begin;
  if (site == nullptr || top > calls.end || frame < state.lowest_frame ||
      state.unloads != unloads.load(std::memory_order_relaxed) || (called && !see_call(state, calls, top))) {
    return false;
  }
  const Where caller = called ? calls.places[top - calls.begin - 1] : kNowhere;
  const ThreadState::Prefix& known = state.places[place_key(site, caller)];
  where = known.where;
  return known.site == site && known.parent == caller;
}

[[gnu::always_inline]] inline Where place_again(ThreadState& state, const norn_site* site) {
  Where found = kNowhere;
  return find_place(state, site, found) ? found : place(state, site);
}

struct PlaceNode {
  std::atomic<const norn_site*> site;  // changes when its module is unloaded: the copy says the same
  Where parent;                        // who called
  Where next;                          // in the bucket
  std::atomic<Where> child;            // the newest
  Where sibling;                       // an older child of the same parent
};
static_assert(sizeof(PlaceNode) == 24);

// Null for kNowhere.
const PlaceNode* place_node(Where where);

// The identity of a place's site: of the frames of library code, and of the first that is not.
uint64_t place_identity(Where where);

// The same of the place where the calling thread is, with `site` (may be null) on top, without making it a place;
// `own` is the site that decided: the first that is not library code, null if there is none.
uint64_t identity_here(const ThreadState& state, const norn_site* site, const norn_site*& own);

// The place of a thread that stands still, `top` being its __norn_stack.
Where place_of(ThreadState& state, const norn_site* const* top, const norn_site* site);

// The module's memory goes away: what places need of it is copied.
void forget_sites(const norn_site* begin, const norn_site* end);

}  // namespace norn::rt
