// A program's image: what its file says of the modules it was made of and of its link, and where it says nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/image_record.h"

namespace norn::image {

// Code in the file that no module of the image has: of a foreign object, of assembly, of a library linked statically.
struct Hole {
  std::string file;  // its source, if the symbol table says so
  std::vector<std::string> functions{};
};

struct NeededLibrary {
  std::string name;
  std::string path{};    // empty: not found
  uint64_t modules = 0;  // in its own image; none: a hole
};

struct ProgramImage {
  std::string path{};
  std::vector<Record> modules{};
  std::optional<Record> recipe{};
  bool is_linked = false;    // a program or a shared library
  bool knows_holes = false;  // there is a symbol table
  std::vector<Hole> holes{};
  std::vector<NeededLibrary> libraries{};
  std::vector<std::string> library_path{};

  [[nodiscard]] uint64_t packed_size() const;  // of all records, in the file
  [[nodiscard]] uint64_t unpacked_size() const;
};

// Reads it whole, and checks it. On false, `error` is one line: what is wrong with which file, and what to type.
// `runtime`: the archive of norn's runtime, whose functions are no hole.
[[nodiscard]] bool read_image(const std::string& path, const std::string& runtime, ProgramImage& image,
                              std::string& error);

// Where a shared library is that a program needs; empty: nowhere. `from`: the program's own directories for them.
[[nodiscard]] std::string find_library(const std::string& name, const std::string& program,
                                       const std::vector<std::string>& from);

}  // namespace norn::image
