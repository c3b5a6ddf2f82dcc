// How a program was linked, as its image has it: what to tell the driver, which libraries to find, and those files of
// the link that carry no image themselves.
//
//   field      value
//   driver     norn-cc or norn-c++
//   argument   of the driver, as it is
//   library    -lNAME, or a file that is not the program's own: it must be found when the program is built again
//   input      a file: an object, or an archive of which nothing has an image
//   member     a file: a member of an archive whose other members have one; linked only if something needs it
//   option     what stands before a file's name, a zero byte, a file: a linker's script or list
//
// A file is its name without directory, a zero byte, its bytes.
#pragma once

#include <string>
#include <string_view>

namespace norn::image {

struct AttachedFile {
  std::string name;
  std::string bytes;
};

[[nodiscard]] std::string field_of(const AttachedFile& file);
[[nodiscard]] AttachedFile file_of(std::string_view field);

// An object that adds the recipe's section to what it is linked into, and nothing else.
[[nodiscard]] std::string recipe_object(std::string_view record);

}  // namespace norn::image
