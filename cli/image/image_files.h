// Where norn's own files are that the verbs of the image need, relative to norn itself.
#pragma once

#include <filesystem>
#include <string>

namespace norn::cli {

// Of norn, norn-cc and norn-c++.
[[nodiscard]] inline std::string tool_directory() {
  std::error_code code;
  return std::filesystem::read_symlink("/proc/self/exe", code).parent_path().string();
}

[[nodiscard]] inline std::string runtime_archive() {
  return (std::filesystem::path(tool_directory()).parent_path() / "lib/norn/libnorn-rt.a").string();
}

}  // namespace norn::cli
