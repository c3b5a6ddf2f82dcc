// Streams of the C library.
#pragma once

namespace norn::rt {

// Writes out what they hold, as exit() would.
void flush_streams();

}  // namespace norn::rt
