// A schedule without exec, dynamic linking and the loader's work: the program, started once, stops before its first
// constructor, and makes a copy of itself for each run (as AFL's fork server does: Zalewski, Fuzzing random programs
// without execve, 2014). What is copied is the process as the loader has left it: nothing of the program, of a library
// or of norn's runtime has run, so nothing that one run does can be seen by the next one.
//
// Whoever starts the runs makes a pair of sockets (SOCK_SEQPACKET) and starts the program with NORN_OPTIONS=serve=FD.
// That takes the place of all options: a runtime that comes too late to serve, or is another version, refuses it as an
// unknown option and ends, and so does the server when the other end is closed. Packets:
//
//   server → starter   ForkServerHello, once
//   starter → server   texts, each ended by '\0': NORN_OPTIONS, standard input, output and error (files) of a run
//   server → starter   ForkServerAnswer: the process, or why there is none
//
// The copy is a child of the starter, not of the server (CLONE_PARENT): it is waited for, and its parent looks, as if
// it had been started by exec.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn::schedule {

struct ForkServerHello {
  static constexpr uint64_t kMagic = 0x3172'6573'6e72'6f6e;  // "nornser1"
  uint64_t magic = kMagic;
  uint32_t pid = 0;  // of the server: a script may have started another program first
};

struct ForkServerAnswer {
  int32_t pid = 0;    // of the run
  int32_t error = 0;  // errno, if there is none
};

inline constexpr size_t kForkServerRequest = 32768;  // bytes of a request, at most
inline constexpr size_t kForkServerTexts = 4;

}  // namespace norn::schedule
