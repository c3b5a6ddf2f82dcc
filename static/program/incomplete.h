// What the analysis does not see in a program: each by its name, so that who reads the candidates knows what may be
// missing from them.
#pragma once

#include <string>
#include <vector>

#include "image/program_image.h"
#include "llvm/IR/Module.h"
#include "static/points_to/points_to.h"

namespace norn::statics {

struct Incompleteness {
  std::string what;                  // "inline assembly"
  std::vector<std::string> where{};  // functions, or names of what is missing
  bool may_be_anything = false;      // code that is not seen at all
};

[[nodiscard]] std::vector<Incompleteness> find_incomplete(const std::vector<const image::ProgramImage*>& files,
                                                          const llvm::Module& module, const PointsTo& points_to);
[[nodiscard]] std::string words_of(const Incompleteness& cause);

}  // namespace norn::statics
