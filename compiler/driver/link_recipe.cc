#include "compiler/driver/link_recipe.h"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "image/image_record.h"
#include "image/object_file.h"
#include "image/recipe.h"

namespace norn::compiler {
namespace {

namespace fs = std::filesystem;

// Flags with a path are of this machine; these write or read files, or are said anew by who builds from the image.
bool is_code_flag(std::string_view flag) {
  constexpr std::string_view kOthers[] = {
      "-fsyntax-only",   "-fmodules",    "-fdirectives-only",  "-gsplit-dwarf",       "-fnorn-debug-runtime",
      "-fno-norn-image", "-fnorn-image", "-fno-integrated-as", "-fcolor-diagnostics", "-fdiagnostics-color"};
  constexpr std::string_view kOtherBeginnings[] = {"-fnorn-profile=",
                                                   "-fnorn-skip=",
                                                   "-fnorn-from=",
                                                   "-fsave-",
                                                   "-ftime-",
                                                   "-fplugin",
                                                   "-fpass-plugin",
                                                   "-fmodule",
                                                   "-fdiagnostics-",
                                                   "-fdebug-",
                                                   "-ffile-",
                                                   "-fmacro-",
                                                   "-fcoverage-prefix",
                                                   "-fcrash-",
                                                   "-fsanitize-ignorelist",
                                                   "-fsanitize-blacklist",
                                                   "-fprofile-use",
                                                   "-fprofile-instr-use",
                                                   "-fprebuilt",
                                                   "-fintegrated-cc1",
                                                   "-fembed",
                                                   "-fuse-ld="};
  if (flag.find('/') != std::string_view::npos || is_one_of(flag, kOthers)) return false;
  for (const std::string_view beginning : kOtherBeginnings)
    if (flag.starts_with(beginning)) return false;
  for (const std::string_view beginning : {"-O", "-f", "-m", "-g", "--target="})
    if (flag.starts_with(beginning) && flag != "-mllvm") return true;
  return false;
}

// -ffile-prefix-map=OLD=NEW: the last that fits counts, as in clang.
class PathMap final {
 public:
  explicit PathMap(const Arguments& arguments) {
    for (const std::string& argument : arguments) {
      for (const std::string_view option : {"-ffile-prefix-map=", "-fdebug-prefix-map="}) {
        if (!argument.starts_with(option)) continue;
        const std::string map = argument.substr(option.size());
        const size_t middle = map.find('=');
        if (middle != std::string::npos) maps_.emplace_back(map.substr(0, middle), map.substr(middle + 1));
      }
    }
  }
  [[nodiscard]] std::string of(const std::string& path) const {
    for (auto map = maps_.rbegin(); map != maps_.rend(); ++map)
      if (!map->first.empty() && path.starts_with(map->first)) return map->second + path.substr(map->first.size());
    return path;
  }

 private:
  std::vector<std::pair<std::string, std::string>> maps_;
};

std::optional<std::string> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

class Writer final {
 public:
  explicit Writer(const Arguments& arguments) : arguments_(arguments), paths_(arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == "-L" && i + 1 < arguments.size()) {
        directories_.push_back(arguments[i + 1]);
      } else if (arguments[i].starts_with("-L") && arguments[i].size() > 2) {
        directories_.push_back(arguments[i].substr(2));
      }
    }
  }

  std::vector<image::Field> run() {
    bool only_inputs = false;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const std::string& argument = arguments_[i];
      const bool has_next = i + 1 < arguments_.size();
      if (only_inputs || argument.empty() || argument[0] != '-') {
        input(argument);
      } else if (argument == "--") {
        only_inputs = true;
      } else if (argument == "-l" && has_next) {
        library(arguments_[++i]);
      } else if (argument.starts_with("-l") && argument.size() > 2) {
        library(argument.substr(2));
      } else if (argument == "-Xlinker" && has_next) {
        linker_argument(arguments_[++i]);
      } else if (argument == "-z" && has_next) {
        linker_argument("-z");
        linker_argument(arguments_[++i]);
      } else if (argument.starts_with("-Wl,")) {
        split(argument.substr(4));
      } else if (argument == "-T" && has_next) {
        option("-T", arguments_[++i]);
      } else if (is_one_of(argument, kValuesKept) && has_next) {
        say(argument);
        say(arguments_[++i]);
      } else if (takes_value(argument)) {
        ++i;
      } else if (is_kept(argument)) {
        say(argument);
      }
    }
    return std::move(fields_);
  }
  [[nodiscard]] const std::string& dependency_file() const { return dependency_file_; }

 private:
  static constexpr std::string_view kDependencies = "--dependency-file";
  static constexpr std::string_view kValuesKept[] = {"-u", "-e", "-target", "--target", "-mllvm", "-h"};

  static bool is_kept(std::string_view argument) {
    constexpr std::string_view kKept[] = {
        "-shared",       "-static",  "-static-pie", "-pie",        "-no-pie",        "-nopie",
        "-rdynamic",     "-pthread", "-nostdlib",   "-nostdlib++", "-nodefaultlibs", "-nostartfiles",
        "-nolibc",       "-s",       "-p",          "-pg",         "-static-libgcc", "-static-libstdc++",
        "-shared-libgcc"};
    if (is_one_of(argument, kKept)) return true;
    for (const std::string_view beginning : {"-stdlib=", "-rtlib=", "-unwindlib=", "--rtlib=", "--unwindlib=", "-u",
                                             "-fuse-ld=", "--ld-path=", "-fopenmp"}) {
      if (argument.starts_with(beginning)) return true;
    }
    return is_code_flag(argument) && !argument.starts_with("-g");
  }

  void add(const char* name, std::string value) { fields_.push_back({name, std::move(value)}); }
  void say(const std::string& argument) { add("argument", argument); }
  void say_to_linker(const std::string& argument) {
    say("-Xlinker");
    say(argument);
  }
  void attach(const char* field, const std::string& name, std::string bytes) {
    add(field, image::field_of({fs::path(name).filename().string(), std::move(bytes)}));
  }

  void split(std::string_view list) {
    while (true) {
      const size_t comma = list.find(',');
      linker_argument(std::string(list.substr(0, comma)));
      if (comma == std::string_view::npos) return;
      list.remove_prefix(comma + 1);
    }
  }

  // One argument of the linker; those that name a file may have it in the next.
  void linker_argument(const std::string& argument) {
    constexpr std::string_view kFiles[] = {"--version-script", "--dynamic-list",         "--retain-symbols-file", "-T",
                                           "--script",         "--symbol-ordering-file", "-version-script"};
    constexpr std::string_view kWritten[] = {"-Map", "--Map", kDependencies, "--reproduce", "--print-map"};
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (!awaited_.empty()) {
      const std::string awaits = std::exchange(awaited_, "");
      if (is_one_of(awaits, kFiles)) option(awaits == "-T" ? "-T" : awaits + "=", argument);
      if (awaits == kDependencies) dependency_file_ = argument;
      return;
    }
    if (is_one_of(name, kFiles) || is_one_of(name, kWritten)) {
      if (equals == std::string::npos) {
        if (name != "--print-map") awaited_ = name;
      } else if (is_one_of(name, kFiles)) {
        option(name + "=", argument.substr(equals + 1));
      } else if (name == kDependencies) {
        dependency_file_ = argument.substr(equals + 1);
      }
      return;
    }
    if (argument.starts_with("-l") && argument.size() > 2) return library(argument.substr(2));
    if (argument.ends_with(".a") || argument.ends_with(".o")) return input(argument);
    if (name == "-Bstatic" || name == "-dn" || name == "-non_shared") static_ = true;
    if (name == "-Bdynamic" || name == "-dy" || name == "-call_shared") static_ = false;
    say_to_linker(argument);
  }

  void option(const std::string& before, const std::string& path) {
    std::optional<std::string> bytes = contents(path);
    if (!bytes) return say_to_linker(before + path);
    add("option", before + '\0' + image::field_of({fs::path(path).filename().string(), *std::move(bytes)}));
  }

  void library(const std::string& name) {
    for (const std::string& directory : directories_) {
      for (const char* end : {".so", ".a"}) {
        std::string path = directory + "/lib" + name + end;
        if (name.starts_with(':')) path = directory + "/" + name.substr(1);
        if ((static_ && std::string_view(end) == ".so") || access(path.c_str(), R_OK) != 0) continue;
        if (path.ends_with(".a") && !is_of_system(path)) return input(path);
        std::string directory_argument = "-L" + paths_.of(directory);
        for (const image::Field& field : fields_)
          if (field.value == directory_argument) directory_argument.clear();
        if (!directory_argument.empty()) say(directory_argument);
        return add("library", "-l" + name);
      }
    }
    add("library", "-l" + name);
  }

  static bool is_of_system(const std::string& path) { return path.starts_with("/usr/lib") || path.starts_with("/lib"); }

  void input(const std::string& path) {
    constexpr std::string_view kSources[] = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".i",   ".ii",
                                             ".m", ".mm", ".ll",  ".bc",  ".s",   ".S", ".sx", ".cppm"};
    if (path == "-" || is_one_of(fs::path(path).extension().string(), kSources)) return;
    std::string error;
    image::ObjectFile file;
    if (!file.read(path, false, error)) {
      for (const std::string& member : image::thin_members(path)) this->member(member);
      // What is no object is a linker's script, like many a libNAME.so; or bitcode of -flto, whose image is in it.
      if (error.empty() && path.find(".so") != std::string::npos) add("library", paths_.of(path));
      return;
    }
    if (!file.is_archive()) {
      const image::Object& object = file.objects()[0];
      if (object.is_shared) return add("library", paths_.of(path));
      if (!object.modules) attach("input", path, std::string(object.bytes));
      return;
    }
    const auto& members = file.objects();
    const bool any = std::any_of(members.begin(), members.end(), [](const auto& member) { return member.modules; });
    if (!any && is_of_system(path)) return add("library", path);
    if (!any) {
      if (std::optional<std::string> bytes = contents(path)) attach("input", path, *std::move(bytes));
      return;
    }
    for (const image::Object& member : members)
      if (!member.modules) attach("member", member.name, std::string(member.bytes));
  }

  // Of a thin archive.
  void member(const std::string& path) {
    std::string error;
    image::ObjectFile file;
    if (!file.read(path, false, error) || file.objects().empty() || file.objects()[0].modules) return;
    attach("member", path, std::string(file.objects()[0].bytes));
  }

  const Arguments& arguments_;
  PathMap paths_;
  Arguments directories_;
  std::vector<image::Field> fields_;
  std::string awaited_;  // an option of the linker whose file is the next argument
  std::string dependency_file_;
  bool static_ = false;
};

}  // namespace

Arguments code_flags(const Arguments& arguments) {
  constexpr std::string_view kWithNext[] = {"-mllvm", "-target", "--target"};
  Arguments flags;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (is_one_of(arguments[i], kWithNext) && i + 1 < arguments.size()) {
      if (arguments[i + 1].find('/') == std::string::npos) flags.insert(flags.end(), {arguments[i], arguments[i + 1]});
      ++i;
    } else if (takes_value(arguments[i])) {
      ++i;
    } else if (is_code_flag(arguments[i])) {
      flags.push_back(arguments[i]);
    }
  }
  return flags;
}

LinkRecipe link_recipe(const std::string& driver, const Arguments& arguments) {
  std::vector<image::Field> fields{{"driver", driver}};
  Writer writer(arguments);
  for (image::Field& field : writer.run()) fields.push_back(std::move(field));
  return {image::packed(image::RecordKind::kRecipe, fields), writer.dependency_file()};
}

std::string file_of_recipe(const LinkRecipe& recipe) {
  const std::string object = image::recipe_object(recipe.record);
  if (!recipe.dependency_file.empty()) {
    std::string beside = recipe.dependency_file + ".norn.o";
    std::ofstream file(beside, std::ios::binary);
    return file.write(object.data(), static_cast<std::streamsize>(object.size())).flush() ? beside : "";
  }
  const int descriptor = memfd_create("norn-recipe", 0);
  if (descriptor < 0) return {};
  for (size_t written = 0; written < object.size();) {
    const ssize_t now = write(descriptor, object.data() + written, object.size() - written);
    if (now <= 0) return {};
    written += static_cast<size_t>(now);
  }
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace norn::compiler
