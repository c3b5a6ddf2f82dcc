// Blocks of the heap: who allocated them, where, and how large they are.
#pragma once

#include "runtime/state.h"

namespace norn::rt {

struct Block {
  Address address;
  uint64_t size;
  ThreadId thread;
  Where where;
  bool freed;
};

bool init_blocks();

// The block the address lies in; false if there is none. What was freed is found until its memory is used again.
bool find_block(Address address, Block& found);

}  // namespace norn::rt
