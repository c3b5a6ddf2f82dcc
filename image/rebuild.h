// Builds a program again, of its image and of nothing else: its modules compiled by the driver that made them, linked
// as the recipe says.
#pragma once

#include <string>
#include <vector>

#include "image/program_image.h"

namespace norn::image {

enum class BuildProfile {
  kFull,
  kSampling,
  kProduction,  // plain code with probes that sleep
  kPlain,       // without hooks and runtime
};

struct BuildOptions {
  BuildProfile profile = BuildProfile::kFull;
  std::string output{};
  std::string drivers{};                    // the directory of norn-cc and norn-c++
  std::string probes{};                     // of production: a file with the sites that have one, or "all"
  std::string left_out{};                   // of the full profile: a file with the sites that need no check
  std::vector<std::string> library_path{};  // where libraries are looked for first
  unsigned jobs = 1;
};

// On false, `error` is one line that says what is wrong and what to do.
[[nodiscard]] bool build_again(const ProgramImage& image, const BuildOptions& options, std::string& error);

}  // namespace norn::image
