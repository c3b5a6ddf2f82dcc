// The names of the files that a controlled run writes to, for whoever started it (schedule/capture.h). A file counts if
// it is a regular one that is open to be written when its descriptor is closed, or at the program's end; who opened it,
// and how it is written, does not matter.
#pragma once

#include "base/text.h"

namespace norn::rt::control {

// If the settings name a file for them.
void open_capture();
// The descriptor is about to be closed.
void note_written(int fd);
// To a connection that is replayed: nobody is there to read it.
void note_sent(uint32_t stream, Text bytes);
// The process ends.
void note_all_written();

}  // namespace norn::rt::control
