// What a run wrote, to whichever descriptor or file, and whether another run wrote the same. The order between streams
// does not matter, the order within one does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace norn::experiment {

struct WrittenStream {
  std::string name;  // the same in another run: a path, "standard output"
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

// A stream of so many bytes that are all there.
[[nodiscard]] WrittenStream stream_of(std::string name, std::string bytes);
// What stands in the files that a run wrote to, but for those below `own`. Empty if the capture file is none, or the
// program wrote to none.
[[nodiscard]] std::vector<WrittenStream> read_capture(const std::string& path, const std::string& own);
// An empty one, for the next run.
[[nodiscard]] bool prepare_capture(const std::string& path);

}  // namespace norn::experiment
