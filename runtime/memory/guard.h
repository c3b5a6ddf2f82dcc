// Guarded memory (the option `memory`, of controlled runs): what is freed is never handed out again, and behind each
// block lies a margin that belongs to nobody. So an access to freed memory, one beyond a block's end, and a free of
// what is no block's beginning are known for certain. Such a run ends there, and its outcome says why.
//
// Known are blocks that malloc and its family gave while memory was guarded, and the accesses of instrumented code and
// of interceptors. Not known: stacks, globals, members of a block, what other allocators make of their memory.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

extern constinit bool guards_memory;
[[nodiscard]] inline bool is_guarding() { return guards_memory; }

// What is asked of the host for a block of this size.
inline constexpr size_t kMargin = 64;
[[nodiscard]] inline size_t with_margin(size_t size) {
  return is_guarding() && size + kMargin > size ? size + kMargin : size;
}

// A block with a margin was handed out.
void guard_block(Address block);

// The block is about to be given back: ends the run if it is none. False: the host is not to have it.
[[nodiscard]] bool may_give_back(Address block, const norn_site* site);

// By the thread that has the turn, and is about to access so much.
void check_memory(bool writes, Address address, uint64_t size, const norn_site* site);

}  // namespace norn::rt
