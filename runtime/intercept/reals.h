// The originals of what is interposed, found when the program starts.
#pragma once

#include "runtime/intercept/interpose.h"

namespace norn::rt {

void find_real_functions();

}  // namespace norn::rt
