// The life of a thread, from pthread_create to its end.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

bool init_threads();

// Of the calling thread; returns its size. `given`: what it was created with, as far as that is known. From inside.
size_t find_own_stack(size_t given, Address& begin, Address& end);

// The calling thread begins with this state: its stack is new memory, and its end will be noticed. Inside.
void begin_thread(ThreadState& state);

// Some thread was created and is not known by its state yet.
bool threads_are_beginning();

// After a fork, in the child: of all threads only the caller is left. Inside.
void forget_other_threads(ThreadState& self);

// At the end of the program: threads that ended and that nobody joined or detached.
void note_thread_leaks();

// Which thread's native stack (or static thread-local storage) this is; kNoThread if none's.
ThreadId thread_of_stack(Address address);

// The thread that runs on the native stack that the address lies in, and where that stack ends; null if none does.
const ThreadState* live_owner_of_stack(Address address, Address& end);

}  // namespace norn::rt
