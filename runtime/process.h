// How the process ends, forks, and becomes another program.
#pragma once

#include <stddef.h>

namespace norn::rt {

void init_process();
size_t main_stack_size();

}  // namespace norn::rt
