// Which build of a program ran: known by what the linker wrote into it, or by its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace norn::casebook {

struct Build {
  std::string mark;      // "build-id:3f9c…" (the GNU build id of an ELF file), or "hash:…" of its bytes
  std::string path;      // absolute
  int64_t modified = 0;  // when the file was last changed, seconds since 1970

  [[nodiscard]] int64_t key() const;  // of its mark; never 0
};

// Nothing: there is no such file.
[[nodiscard]] std::optional<Build> build_of(const std::string& path);

// The commit that is checked out in the git work tree around a directory, in hex; empty if there is none. It says
// nothing of changes that are not committed.
[[nodiscard]] std::string commit_of(const std::string& directory);

}  // namespace norn::casebook
