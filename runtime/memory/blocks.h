// Blocks of the heap: who allocated them, where and when, and how large they are.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

struct Block {
  Address address = 0;
  uint64_t size = 0;
  ThreadId thread = 0;
  StackId where = kNoStack;
  Epoch birth;
  bool freed = false;
  bool quiet = false;  // the loader's: giving it back is no access
};

void add_block(const Block& block);

// False: the block is not known (from before the runtime, or of another allocator).
bool end_block(Address address, Block& ended);

// 0: not known.
uint64_t size_of_block(Address address);

// The block the address lies in; false if there is none. What was freed is found until its memory is used again.
// Looks at all there are: for reports.
bool find_block(Address address, Block& found);

// The end of the block that was born at this moment and has the byte; 0: there is none. What was freed may be
// forgotten.
Address fresh_until(Address byte, Epoch birth);

// The block that has the byte, or had it until it was freed; what lives there now rather than what was freed. The same
// as find_block(), but it looks only where one can be; of a larger one only address, size and whether it was freed are
// filled in.
bool look_up_block(Address byte, Block& found);

// Where the block begins and ends that has the byte, or had it until it was freed; false if there is none. The same as
// find_block(), but it looks only where one can be.
bool block_around(Address byte, Address& begin, Address& end);

}  // namespace norn::rt
