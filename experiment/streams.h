// What a run wrote, to whichever descriptor or file, and whether another run wrote the same. The order between streams
// does not matter, the order within one does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace norn::experiment {

struct WrittenStream {
  std::string name;  // the same in another run: a path, "standard output", "connection 3" (schedule/capture.h)
  uint64_t length = 0;
  uint64_t hash = 0;  // of all of it
  std::string bytes;  // its beginning
};

struct StreamDifference {
  std::string stream;
  uint64_t offset = 0;  // of the first byte that differs
  uint64_t line = 0;    // counted from 1; 0: the difference lies behind what is kept
  std::string before;   // the line there, "" if there is none
  std::string now;

  // One line for people.
  [[nodiscard]] std::string text() const;
};

// The first difference, streams taken by name; nothing if both wrote the same. A stream that one of them did not write
// to is empty there.
[[nodiscard]] std::optional<StreamDifference> first_difference(const std::vector<WrittenStream>& before,
                                                               const std::vector<WrittenStream>& now);

// What a run left in its capture file. Empty if the file is not one, or the program captured nothing.
[[nodiscard]] std::vector<WrittenStream> read_capture(const std::string& path);
// An empty one, for the next run.
[[nodiscard]] bool prepare_capture(const std::string& path);

}  // namespace norn::experiment
