#include "image/program_image.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "image/object_file.h"

namespace norn::image {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuildAgain = ": build it again with norn-cc or norn-c++";

// What every program has from its C library's and compiler's startup files, which are nobody's code.
constexpr std::array<std::string_view, 12> kStartup = {"_start",
                                                       "_init",
                                                       "_fini",
                                                       "deregister_tm_clones",
                                                       "register_tm_clones",
                                                       "__do_global_dtors_aux",
                                                       "frame_dummy",
                                                       "_dl_relocate_static_pie",
                                                       "atexit",
                                                       "at_quick_exit",
                                                       "__stack_chk_fail_local",
                                                       "__libc_start_call_main"};

class KnownFunctions final {
 public:
  KnownFunctions(const ProgramImage& image, const std::string& runtime) {
    for (const Record& module : image.modules)
      for (const Field& field : module.fields)
        if (field.name == "function") names_.insert(field.value);
    names_.insert(kStartup.begin(), kStartup.end());
    ObjectFile archive;
    std::string error;
    if (!archive.read(runtime, true, error)) return;
    for (const Object& object : archive.objects())
      for (const Symbol& symbol : object.functions) names_.insert(symbol.name);
  }

  // Compilers make `name.llvm.12`, `name.cold` and the like of a function.
  [[nodiscard]] bool has(std::string name) const {
    if (name.starts_with("__norn_")) return true;
    while (true) {
      if (names_.contains(name)) return true;
      const size_t dot = name.rfind('.');
      if (dot == std::string::npos || dot == 0) return false;
      name.resize(dot);
    }
  }

 private:
  std::set<std::string> names_;
};

void find_holes(const Object& object, const KnownFunctions& known, ProgramImage& image) {
  std::map<std::string, std::set<std::string>> holes;
  for (const Symbol& symbol : object.functions)
    if (!known.has(symbol.name)) holes[symbol.file].insert(symbol.name);
  for (const auto& [file, functions] : holes) image.holes.push_back({file, {functions.begin(), functions.end()}});
}

void find_libraries(const Object& object, ProgramImage& image) {
  for (const std::string& name : object.needed) {
    NeededLibrary library{name, find_library(name, image.path, object.library_path)};
    ObjectFile file;
    std::string error;
    if (!library.path.empty() && file.read(library.path, false, error) && !file.objects().empty() &&
        file.objects()[0].modules) {
      const auto records = unpacked(*file.objects()[0].modules, error);
      library.modules = records ? records->size() : 0;
    }
    image.libraries.push_back(std::move(library));
  }
}

bool add_records(const std::string& path, std::string_view section, ProgramImage& image, std::string& error) {
  std::string why;
  std::optional<std::vector<Record>> records = unpacked(section, why);
  if (!records) {
    error = path + ": its image " + why + kBuildAgain;
    return false;
  }
  for (Record& record : *records) {
    if (record.kind == RecordKind::kRecipe) {
      image.recipe = std::move(record);
      continue;
    }
    const std::string_view made_by = record.value("llvm");
    if (record.kind != RecordKind::kModule || !made_by.starts_with(std::string(kLlvm) + ".")) {
      error = path + ": its image is of LLVM " + std::string(made_by) + ", this norn has LLVM " + kLlvm + kBuildAgain;
      return false;
    }
    image.modules.push_back(std::move(record));
  }
  return true;
}

}  // namespace

uint64_t ProgramImage::packed_size() const {
  const auto add = [](uint64_t sum, const Record& record) { return sum + record.packed_size; };
  return std::accumulate(modules.begin(), modules.end(), recipe ? recipe->packed_size : 0, add);
}

uint64_t ProgramImage::unpacked_size() const {
  const auto add = [](uint64_t sum, const Record& record) { return sum + record.unpacked_size; };
  return std::accumulate(modules.begin(), modules.end(), recipe ? recipe->unpacked_size : 0, add);
}

std::string find_library(const std::string& name, const std::string& program, const std::vector<std::string>& from) {
  const std::string origin = fs::absolute(program).parent_path().string();
  std::vector<std::string> directories = from;
  for (std::string& directory : directories) {
    for (const std::string_view word : {"$ORIGIN", "${ORIGIN}"}) {
      if (const size_t at = directory.find(word); at != std::string::npos) directory.replace(at, word.size(), origin);
    }
  }
  for (const char* system : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/local/lib", "/lib64",
                             "/usr/lib64", "/lib", "/usr/lib", "/usr/lib/llvm-19/lib"}) {
    directories.emplace_back(system);
  }
  if (name.find('/') != std::string::npos) directories.insert(directories.begin(), "");
  for (const std::string& directory : directories) {
    std::string path = directory.empty() ? name : directory + "/" + name;
    if (std::error_code code; fs::is_regular_file(path, code)) return path;
  }
  return {};
}

bool read_image(const std::string& path, const std::string& runtime, ProgramImage& image, std::string& error) {
  image = {};
  image.path = path;
  ObjectFile file;
  std::string why;
  if (!file.read(path, true, why)) {
    error = path + (why.empty() ? " is neither a program nor an object: it has no image" : ": " + why);
    return false;
  }
  bool any = false;
  for (const Object& object : file.objects()) {
    if (object.damaged) {
      error = path + " is damaged, not all of it is there" + kBuildAgain;
      return false;
    }
    any |= object.modules.has_value();
    if (object.modules && !add_records(path, *object.modules, image, error)) return false;
    if (object.recipe && !add_records(path, *object.recipe, image, error)) return false;
  }
  if (!any) {
    error = path + " has no image" + kBuildAgain + ", without -fno-norn-image";
    return false;
  }
  const KnownFunctions known(image, runtime);
  image.knows_holes = true;
  for (const Object& object : file.objects()) {
    image.is_linked |= object.is_shared;
    image.knows_holes &= object.has_symbols;
    image.library_path = object.library_path;
    find_holes(object, known, image);
    find_libraries(object, image);
  }
  return true;
}

}  // namespace norn::image
