// How the process ends, forks, and becomes another program.
#pragma once

#include <stddef.h>

namespace norn::rt {

void init_process();
extern constinit int quick_status;  // what quick_exit was called with
size_t main_stack_size();

// A system call that makes a child with a copy of the memory: its number and arguments. Returns what the call does.
long fork_by_call(long number, long a, long b, long c, long d, long e);

}  // namespace norn::rt
