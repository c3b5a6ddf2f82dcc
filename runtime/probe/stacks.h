// Return addresses of the calling thread, for results. C++ programs have an unwinder; in others only the innermost
// frame is known, because the library depends on libc alone.
#pragma once

#include <stdint.h>

#include "runtime/probe/wire.h"

namespace norn::probe {

struct Addresses {
  uintptr_t frames[wire::kFrames] = {};
  uint8_t count = 0;
};

// From the frame on that `innermost` returns to. If that is not found, or is null (a signal's handler asks), all
// frames.
[[nodiscard]] Addresses stack_from(const void* innermost);
// With one more before all others: of a signal, where it came.
void put_first(Addresses& stack, uintptr_t address);

// As a result has them: by module.
void put_stack(wire::Result& result, unsigned side, const Addresses& stack);

// The name of a file without its directories, cut to what has room.
void put_name(const char* path, char* to, size_t room);
// What the program was started as.
[[nodiscard]] const char* program_name();

}  // namespace norn::probe
