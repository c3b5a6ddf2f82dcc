// What a program got from outside in one run, in a file: the files that it read, as they were when it opened them, and
// what came through the connections, pipes and terminals that others hold the other end of. With it the program runs
// again where none of this is there. Time and random numbers are not in it: under control they come from the schedule.
//
// The file is an InputsHeader and records, one after the other in the order in which they were noticed: an InputRecord,
// `size` bytes that belong to it, and zeroes up to the next multiple of 8. A record of size kUnfinished, and what
// follows it, does not count: the run was killed while it was written.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn::schedule {

struct InputsHeader {
  static constexpr uint64_t kMagic = 0x3173'746e'6972'6f6e;  // "norints1"
  uint64_t magic = kMagic;
};

enum class InputKind : uint32_t {
  kVariable,    // of the environment: NAME=VALUE
  kDirectory,   // where the program began
  kFile,        // its path from the root, '\0', and its bytes. number: its mode; before: seconds of its last change
  kSeen,        // it was asked for, and not opened until now: its path, '\0', its size in 8 bytes; the rest as of kFile
  kAbsent,      // a path from the root where nothing was
  kInput,       // standard input as a regular file: its bytes from where it stood
  kPipe,        // a pipe or terminal was opened: its path from the root; empty: standard input
  kAccepted,    // somebody connected: their address. number: by which listen(), from 0; before: see below
  kConnected,   // the program connected to somebody: their address
  kData,        // bytes that came
  kEnd,         // no more will come
  kInside,      // the other end of this stream is in the program itself: it is no input
  kSignal,      // from outside. number: which
  kExit,        // the program ended by itself
  kIncomplete,  // something could not be kept; in words
};

struct InputRecord {
  static constexpr uint64_t kUnfinished = ~uint64_t{0};

  InputKind kind{};
  uint32_t stream = 0;  // of kPipe to kInside: numbers from 1, each begun by a kPipe, kAccepted or kConnected
  uint64_t size = 0;
  uint64_t number = 0;
  // Of kData and kEnd: how many bytes the program had written to the stream by then, which is what they answer. Of
  // kAccepted and kSignal: how many it had written to all streams.
  uint64_t before = 0;
};
static_assert(sizeof(InputRecord) == 32 && sizeof(InputsHeader) == 8);

inline constexpr uint64_t input_bytes(const InputRecord& record) { return (record.size + 7) & ~uint64_t{7}; }

// Calls `visit(record, bytes)` for each whole record. False: it is no file of this kind.
template <class Visit>
bool visit_inputs(const char* file, size_t size, Visit visit) {
  const auto* header = reinterpret_cast<const InputsHeader*>(file);
  if (size < sizeof(*header) || header->magic != InputsHeader::kMagic) return false;
  for (size_t at = sizeof(*header); size - at >= sizeof(InputRecord);) {
    const auto& record = *reinterpret_cast<const InputRecord*>(file + at);
    at += sizeof(record);
    if (record.size > size - at || record.kind > InputKind::kIncomplete) break;
    visit(record, file + at);
    if (input_bytes(record) > size - at) break;
    at += input_bytes(record);
  }
  return true;
}

}  // namespace norn::schedule
