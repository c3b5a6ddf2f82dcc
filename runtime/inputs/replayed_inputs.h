// What a replay reads from the file of a recorded run (schedule/input_log.h).
#pragma once

#include <stddef.h>
#include <sys/socket.h>

#include "base/text.h"
#include "schedule/input_log.h"

namespace norn::rt::inputs {

// Where the recorded run was where this one is `here`.
[[nodiscard]] Text directory_of_recorded_run(Text here);

// Where to look for the path: at `given`, or at what is recorded, whose name is put into `own`.
[[nodiscard]] const char* replayed_path(Text path, const char* given, int flags, char* own, size_t room);
// It is open now; `is_recorded`: by what is recorded.
void note_opened(Text path, int flags, bool is_recorded);

// --- between the files of this folder --------------------------------------------------------------------------------

// Room for so many. False: there is none.
[[nodiscard]] bool make_files(uint32_t most);
// A file as it was; nothing: it was not there.
void add_file(const schedule::InputRecord& record, const char* bytes);
// What comes through a pipe or from a terminal is as a file that has it all. Empty path: standard input.
void add_pipe(uint32_t stream, Text path);
void add_to_pipe(uint32_t stream, Text bytes);
void open_standard_input();
void replay_accepted(int listener, int fd, sockaddr* from, socklen_t room, socklen_t* size);
// Out of the program's way.
[[nodiscard]] int moved_up(int fd);

}  // namespace norn::rt::inputs
