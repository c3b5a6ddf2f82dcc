// What a run that is recorded says to its file (schedule/input_log.h).
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/text.h"

namespace norn::rt::inputs {

// A descriptor, or that there is none (errno); it is the program's.
void record_opened(Text path, int flags, int fd, int error);
void record_looked_at(Text path, bool is_there, int error);

void record_read(int fd, const iovec* buffers, size_t count, ssize_t size, int error);
void record_accepted(int listener, int fd);
void record_connected(int fd, const sockaddr* to, socklen_t size);

}  // namespace norn::rt::inputs
