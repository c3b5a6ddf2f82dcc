// Stack ids: a site and the calls that led there, as one number.
//
// A stack id names a node of the calling-context tree: its site, and the node it was called from. Nodes are interned,
// never freed, and found without a lock. A thread remembers the node of each call on its stack that was asked for, so
// that finding a stack id costs as much as was called since.
#pragma once

#include "base/hash.h"
#include "norn/site.h"
#include "runtime/hooks/code_sites.h"
#include "runtime/process/state.h"

namespace norn::rt {

bool init_stack_ids();

// The stack of the calling thread with `site` on top; null: the stack alone.
StackId stack_id(ThreadState& state, const norn_site* site);

inline unsigned stack_key(const norn_site* site, StackId caller) {
  const uint64_t key = hash_word(reinterpret_cast<uintptr_t>(site) / sizeof(norn_site) ^ uint64_t{caller} << 32);
  return static_cast<unsigned>(key >> 48) % ThreadState::kStackIds;
}

extern std::atomic<uint32_t> unloads;  // how many modules are gone

// Whether the newest calls, which are not seen (CallStack), can be by what the thread remembers.
[[gnu::noinline]] inline NORN_SLOW bool see_calls(const ThreadState& state, const CallStack& calls,
                                                  const norn_site* const* top) {
  size_t at = static_cast<size_t>(top - calls.begin);
  const size_t depth = at;
  constexpr size_t kMost = 4;  // that are looked at here
  if (depth > ThreadState::kMostCalls) return false;
  while (at > 0 && !CallStack::is_seen(calls.begin[at - 1])) {
    if (depth - --at > kMost) return false;
  }
  StackId parent = at > 0 ? calls.stack_ids[at - 1] : kNoStack;
  for (; at < depth; ++at) {
    const norn_site* call = CallStack::site_of(calls.begin[at]);
    const ThreadState::Prefix& known = state.called[stack_key(call, parent) % ThreadState::kCalls];
    if (known.site != call || known.parent != parent || call == nullptr) return false;
    calls.stack_ids[at] = parent = known.stack;
    calls.begin[at] = CallStack::seen(calls.begin[at]);
  }
  return true;
}

// Where the calling thread's native stack ends, about.
[[gnu::always_inline]] inline Address stack_pointer() {
  Address pointer = 0;
  asm volatile("mov %%rsp, %0" : "=r"(pointer));
  return pointer;
}

// The same, if it was asked for before from this call. False: it was not.
[[gnu::always_inline]] inline bool find_stack_id(const ThreadState& state, const norn_site* site, StackId& stack) {
  const CallStack& calls = *state.running;
  const norn_site* const* top = __norn_stack;
  const bool called = top > calls.begin;
  if (site == nullptr || top > calls.end || stack_pointer() < state.lowest_frame ||
      state.unloads != unloads.load(std::memory_order_relaxed) ||
      (called && !CallStack::is_seen(top[-1]) && !see_calls(state, calls, top))) {
    return false;
  }
  const StackId caller = called ? calls.stack_ids[top - calls.begin - 1] : kNoStack;
  const ThreadState::Prefix& known = state.stack_ids[stack_key(site, caller)];
  stack = known.stack;
  return known.site == site && known.parent == caller;
}

// The same as stack_id(), quick where it was asked for before.
[[gnu::always_inline]] inline StackId cached_stack_id(ThreadState& state, const norn_site* site) {
  StackId found = kNoStack;
  return find_stack_id(state, site, found) ? found : stack_id(state, site);
}

struct StackNode {
  std::atomic<const norn_site*> site;  // changes when its module is unloaded: the copy says the same
  StackId parent;                      // who called
  StackId next;                        // in the bucket
  std::atomic<StackId> child;          // the newest
  StackId sibling;                     // an older child of the same parent
};
static_assert(sizeof(StackNode) == 24);

// Null for kNoStack.
const StackNode* stack_node(StackId stack);

// Its sites, innermost first, with what was inlined; until `visit` says no.
template <class Visit>
void for_each_site(StackId stack, Visit visit) {
  for (const StackNode* at = stack_node(stack); at != nullptr; at = stack_node(at->parent)) {
    const norn_site* site = named_site(at->site.load(std::memory_order_acquire));
    for (; site != nullptr; site = site->inlined_at) {
      if (!visit(*site)) return;
    }
  }
}

// The identity of a stack's site: of the frames of library code, and of the first that is not.
uint64_t stack_identity(StackId stack);

// The same of the stack of the calling thread, with `site` (may be null) on top, which gets no stack id by that; `own`
// is
//  the site that decided: the first that is not library code, null if there is none.
uint64_t identity_here(const ThreadState& state, const norn_site* site, const norn_site*& own);

// The stack id of a thread that stands still, `top` being its __norn_stack.
StackId stack_id_of(ThreadState& state, const norn_site* const* top, const norn_site* site);

// The module's memory goes away: what the nodes need of it is copied.
void forget_sites(const norn_site* begin, const norn_site* end);

}  // namespace norn::rt
