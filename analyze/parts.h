// What the workers of one trace found, each of its part, and the findings that one worker would have written.
//
// A worker writes lines to a file of its own: a letter, and
//   S, E, H   a record that says how the program began or ended, or a hazard: those of the first part count
//   N         a note
//   R         position, address, standing (0, 1), identity, a race's record. Position counts the items up to the access
//             that showed it
//   C         identity, standing, how often the race was seen
#pragma once

#include <string>
#include <vector>

namespace norn::analyze {

// Appends to `findings` what the parts found. `lacking`: what is not among them, as a note; then the findings do not
// say that the program was checked to its end. On false `error` is one line.
[[nodiscard]] bool merge_parts(const std::vector<std::string>& parts, const std::string& findings, uint32_t pid,
                               const std::string& lacking, std::string& error);

}  // namespace norn::analyze
