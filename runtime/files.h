// File descriptors as a way to hand things over: what was written before, happens before what is read after.
#pragma once

namespace norn::rt {

// Before a write to it, and after a read from it.
void giving_to_file(int fd);
void took_from_file(int fd);

}  // namespace norn::rt
