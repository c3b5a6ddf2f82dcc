// Which descriptors an epoll instance watches: an event has the word that was given with a descriptor, and not the
// descriptor itself.
#pragma once

#include "runtime/process/state.h"

namespace norn::rt {

// `epoll` and `thing` are what descriptors lead to (files.cc). A descriptor that was closed is watched until its number
// is watched anew: it may have a duplicate.
void watch(uint64_t epoll, int fd, uint64_t word, uint64_t thing);
void unwatch(uint64_t epoll, int fd);
// The instance is gone.
void unwatch_all(uint64_t epoll);

// What is watched under this word, each once; returns how many there are.
constexpr unsigned kMostWatched = 16;  // under one word
unsigned watched(uint64_t epoll, uint64_t word, uint64_t (&things)[kMostWatched]);

}  // namespace norn::rt
