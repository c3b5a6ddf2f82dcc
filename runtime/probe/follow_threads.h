// How the library knows that threads end.
#pragma once

namespace norn::probe {

// False: it will not.
bool prepare_threads();

}  // namespace norn::probe
