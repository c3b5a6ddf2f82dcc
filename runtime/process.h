// How the process ends, forks, and becomes another program.
#pragma once

#include <stddef.h>

namespace norn::rt {

void init_process();
size_t main_stack_size();
// The program calls quick_exit, which does not tell the functions it calls why.
void exits_quickly(int status);

}  // namespace norn::rt
