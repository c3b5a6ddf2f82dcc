// SPDX-License-Identifier: GPL-2.0-or-later
// What comes from the program: code to instrument, events of the wrappers, blocks of the heap, system calls, requests.
#pragma once

#include "valgrind/tool/tool_state.h"

namespace norn::vg {

// Of a large block that is given back, the beginning: whoever uses freed memory mostly does so there, and the rest is
// looked at when it is handed out again.
inline constexpr uint64_t kFreedBytes = 4096;

IRSB* instrument(VgCallbackClosure* closure, IRSB* block, const VexGuestLayout* layout, const VexGuestExtents* extents,
                 const VexArchInfo* host, IRType guest_word, IRType host_word);

// events.h says what the codes mean.
Address on_event(Address code, Address a, Address b, Address c);

// Whether a function was called by OpenMP's library on its own account; `inner` calls have been made since.
bool is_called_by_openmp(const ThreadState& self, unsigned inner);

// An atomic operation shows that here is an atomic: whatever was done here before by plain instructions was done to it.
void become_atomic(ThreadState& self, Address address, uint64_t size);

void register_heap();
struct Block {
  Address address;
  uint64_t size;
  ::norn::ThreadId thread;
  StackId where;
  Epoch birth;
};
bool find_block(Address address, Block& found);
// The end of the block that was born at this moment and has the byte; 0: there is none.
Address fresh_until(Address byte, Epoch birth);

void register_files();
bool init_files();
// Whether an address stands for a descriptor, and which.
bool is_file(Address address, uint64_t& fd);

Bool on_request(HostThread host, UWord* words, UWord* result);

}  // namespace norn::vg
