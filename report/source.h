// Source lines for reports, read from the files as they are now.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/race_fwd.h"

namespace norn::report {

// Keeps what it has read: a report shows the same few files many times.
class SourceFiles {
 public:
  // The text of that line, empty if the file cannot be read or is shorter.
  [[nodiscard]] std::string line(const Frame& frame, uint32_t number);

  // For TextOptions: `context` is a SourceFiles.
  static size_t read_line(void* context, const Frame& frame, char* buffer, size_t capacity);

  // Where a frame's file should lie: absolute as far as that is known.
  [[nodiscard]] static std::string path(const Frame& frame);

 private:
  std::map<std::string, std::vector<std::string>> files_;  // by path
};

}  // namespace norn::report
