// How the process ends, forks, and becomes another program.
#pragma once

#include <stddef.h>

namespace norn::rt {

void init_process();
size_t main_stack_size();
// The program calls quick_exit, which does not tell the functions it calls why.
void exits_quickly(int status);

// Under control: from now on there are other threads, and who ends the process stops first, so that they may go on.
void expect_exit();

// A system call that makes a child with a copy of the memory: its number and arguments. Returns what the call does.
long fork_by_call(long number, long a, long b, long c, long d, long e);

}  // namespace norn::rt
