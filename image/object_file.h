// What the image needs to know of a linked program, a library, an object or an archive of objects: sections by name,
// functions, needed libraries. Read by libelf, which checks what it is given.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace norn::image {

struct Symbol {
  std::string name;
  std::string file;  // of a local one: what the symbol table says of its source; empty for others
};

struct Object {
  std::string name;  // of an archive's member; empty for a file of its own
  std::string_view bytes;
  std::optional<std::string_view> modules;  // the sections of the image
  std::optional<std::string_view> recipe;
  bool is_shared = false;  // or an executable
  bool has_symbols = false;
  std::vector<Symbol> functions;          // that it defines, if they were asked for
  std::vector<std::string> needed;        // shared libraries
  std::vector<std::string> library_path;  // where it looks for them, as it stands there
  bool damaged = false;                   // not all of it is there
};

class ObjectFile final {
 public:
  ObjectFile();
  ~ObjectFile();
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;

  // False if the file cannot be read (`error` is why) or is neither ELF nor an archive (`error` is empty).
  [[nodiscard]] bool read(const std::string& path, bool with_functions, std::string& error);
  // One, or the members of an archive. They are valid as long as this is.
  [[nodiscard]] const std::vector<Object>& objects() const { return objects_; }
  [[nodiscard]] bool is_archive() const { return is_archive_; }

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
  std::vector<Object> objects_;
  bool is_archive_ = false;
};

// The members of a thin archive, which has only their names: where they are. Empty if it is none.
[[nodiscard]] std::vector<std::string> thin_members(const std::string& path);

}  // namespace norn::image
