// What a program's image says of how it was made: of each module the flags that its code depends on, of the link all
// that it takes to do it again (image/recipe.h).
//
// Both are of the command line without what is the machine's or the day's: no output, no include or build directories.
// Paths of libraries are there as they were typed, changed by -ffile-prefix-map like those of the debug information.
#pragma once

#include <string>

#include "compiler/driver/arguments.h"

namespace norn::compiler {

// Those of the arguments that code generation depends on and bitcode does not carry.
[[nodiscard]] Arguments code_flags(const Arguments& arguments);

struct LinkRecipe {
  std::string record;           // files that have no image and are no library of the system's are in it
  std::string dependency_file;  // of the linker, if it writes one
};
[[nodiscard]] LinkRecipe link_recipe(const std::string& driver, const Arguments& arguments);

// A file with the recipe's object that the linker this process becomes can open; empty if there can be none. It is in
// memory, but beside the linker's dependency file if there is one: a build system will look for what is named there.
[[nodiscard]] std::string file_of_recipe(const LinkRecipe& recipe);

}  // namespace norn::compiler
