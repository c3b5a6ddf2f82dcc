#include "image/rebuild.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/temporary_directory.h"
#include "image/recipe.h"

namespace norn::image {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

bool write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

// Runs a command; what it prints goes to `log`. Whether it ended well.
bool run(const Command& command, const std::string& log) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    write_file(log, command[0] + ": " + std::strerror(failed) + "\n");
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The line of a compiler's or linker's output that says what is wrong.
std::string words_of(const std::string& log) {
  std::ifstream file(log);
  std::string first;
  for (std::string line; std::getline(file, line);) {
    if (first.empty()) first = line;
    for (const char* word : {"cannot find", "unable to find", "undefined reference", "undefined symbol", "error:"})
      if (line.find(word) != std::string::npos) return line;
  }
  return first;
}

// "-lfoo" if the line says that a linker did not find it.
std::string missing_library(const std::string& line) {
  for (const std::string_view word : {"cannot find ", "unable to find library "}) {
    const size_t at = line.find(word);
    if (at == std::string::npos) continue;
    const std::string rest = line.substr(at + word.size());
    return rest.substr(0, rest.find_first_of(": \t"));
  }
  return {};
}

class Build final {
 public:
  Build(const ProgramImage& image, const BuildOptions& options) : image_(image), options_(options) {}

  bool run_all(std::string& error) {
    if (directory_.path().empty()) {
      error = std::string("no temporary directory: ") + std::strerror(errno);
      return false;
    }
    return compile(error) && link(error);
  }

 private:
  [[nodiscard]] std::string file(const std::string& name) const { return directory_.path() + "/" + name; }

  void add_profile(Command& command) const {
    if (options_.profile == BuildProfile::kPlain) {
      command.insert(command.end(), {"-fnorn-from=image-plain", "-fno-norn-image"});
    } else if (options_.profile == BuildProfile::kProduction) {
      command.insert(command.end(), {"-fnorn-from=image", "-fno-norn-image", "-fnorn-profile=production"});
      if (!options_.probes.empty()) command.push_back("-fnorn-probes=" + options_.probes);
    } else {
      const char* profile = options_.profile == BuildProfile::kSampling ? "sampling" : "full";
      command.insert(command.end(), {"-fnorn-from=image", "-fnorn-image", std::string("-fnorn-profile=") + profile});
      if (!options_.left_out.empty()) command.push_back("-fnorn-leave-out=" + options_.left_out);
    }
  }

  bool compile(std::string& error) {
    std::vector<Command> commands;
    for (size_t i = 0; i < image_.modules.size(); ++i) {
      const Record& module = image_.modules[i];
      const std::string stem = file("module" + std::to_string(i));
      if (!write_file(stem + ".bc", module.value("bitcode"))) {
        error = stem + ".bc cannot be written: " + std::strerror(errno);
        return false;
      }
      Command command{options_.drivers + "/norn-cc"};
      for (std::string& flag : module.values("flag")) command.push_back(std::move(flag));
      add_profile(command);
      command.insert(command.end(), {"-w", "-x", "ir", stem + ".bc", "-c", "-o", stem + ".o"});
      commands.push_back(std::move(command));
      objects_.push_back(stem + ".o");
    }
    std::atomic<size_t> next{0};
    std::atomic<size_t> failed{commands.size()};
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < std::max(options_.jobs, 1U); ++i) {
        workers.emplace_back([&] {
          for (size_t at = next++; at < commands.size() && failed == commands.size(); at = next++)
            if (!run(commands[at], objects_[at] + ".log")) failed = at;
        });
      }
    }
    if (failed == commands.size()) return true;
    error = image_.path + ": module " + std::string(image_.modules[failed].value("source")) +
            " could not be compiled again: " + words_of(objects_[failed] + ".log");
    return false;
  }

  // A library as the linker is to be told it; empty: it is nowhere.
  [[nodiscard]] std::string library(const std::string& said) const {
    if (said.starts_with("-l")) return library_by_name(said);
    if (std::error_code code; fs::exists(said, code)) return said;
    const std::string name = fs::path(said).filename().string();
    std::vector<std::string> among = options_.library_path;
    among.insert(among.end(), image_.library_path.begin(), image_.library_path.end());
    among.push_back("$ORIGIN");
    if (std::string found = find_library(name, image_.path, among); !found.empty()) return found;
    // The program may know it by its soname, libfoo.so by libfoo.so.1.
    for (const NeededLibrary& needed : image_.libraries)
      if (needed.name.starts_with(name) && !needed.path.empty()) return needed.path;
    return {};
  }

  // The directory that had it may be gone; then the one counts that the program itself uses.
  [[nodiscard]] std::string library_by_name(const std::string& said) const {
    const std::string name = "lib" + said.substr(2);
    std::vector<std::string> among = options_.library_path;
    for (const std::string& argument : image_.recipe->values("argument"))
      if (argument.starts_with("-L")) among.push_back(argument.substr(2));
    for (const char* end : {".so", ".a"})
      if (!find_library(name + end, image_.path, among).empty()) return said;
    for (const NeededLibrary& needed : image_.libraries)
      if (needed.name.starts_with(name + ".so") && !needed.path.empty()) return needed.path;
    return said;
  }

  bool put_member(const AttachedFile& member) {
    const std::string directory = file("members" + std::to_string(members_));
    std::error_code code;
    fs::create_directory(directory, code);
    // Members of one archive may have one name.
    return write_file(directory + "/" + std::to_string(member_count_++) + "-" + member.name, member.bytes);
  }

  // Members so far become an archive.
  bool end_members(Command& command) {
    if (member_count_ == 0) return true;
    const std::string archive = file("members" + std::to_string(members_) + ".a");
    Command make{"ar", "rcs", archive};
    for (const auto& entry : fs::directory_iterator(file("members" + std::to_string(members_))))
      make.push_back(entry.path().string());
    std::sort(make.begin() + 3, make.end());
    command.push_back(archive);
    ++members_;
    member_count_ = 0;
    return run(make, archive + ".log");
  }

  bool link(std::string& error) {
    const Record& recipe = *image_.recipe;
    Command command{options_.drivers + "/" + std::string(recipe.value("driver"))};
    add_profile(command);
    command.insert(command.end(), {"-w", "-o", options_.output});
    for (const std::string& directory : options_.library_path) command.push_back("-L" + directory);
    command.insert(command.end(), objects_.begin(), objects_.end());
    size_t attached = 0;
    bool written = true;
    const auto put = [&](const AttachedFile& attachment) {
      const std::string directory = file("file" + std::to_string(attached++));
      std::error_code code;
      fs::create_directory(directory, code);
      const std::string path = directory + "/" + fs::path(attachment.name).filename().string();
      written &= write_file(path, attachment.bytes);
      return path;
    };
    for (const Field& field : recipe.fields) {
      if (field.name != "member") written &= end_members(command);
      if (field.name == "argument") command.push_back(field.value);
      if (field.name == "input") command.push_back(put(file_of(field.value)));
      if (field.name == "member") written &= put_member(file_of(field.value));
      if (field.name == "option") {
        const size_t end = std::min(field.value.find('\0'), field.value.size());
        const std::string path =
            put(file_of(std::string_view(field.value).substr(std::min(end + 1, field.value.size()))));
        command.insert(command.end(), {"-Xlinker", field.value.substr(0, end) + path});
      }
      if (field.name == "library") {
        command.push_back(library(field.value));
        if (command.back().empty()) {
          error = "library " + field.value + " is missing: say --library-path=DIRECTORY, where it is now";
          return false;
        }
      }
    }
    written &= end_members(command);
    if (!written) {
      error = "the image's files cannot be written to " + directory_.path();
      return false;
    }
    const std::string log = file("link.log");
    if (run(command, log)) return true;
    const std::string words = words_of(log);
    if (words.find("__norn_") != std::string::npos) {
      error = image_.path + ": a library that it is linked with has norn's hooks: build that one in the same profile " +
              "and say --library-path=DIRECTORY";
      return false;
    }
    const std::string missing = missing_library(words);
    error = missing.empty() ? image_.path + " could not be linked again: " + words
                            : "library " + missing + " is missing: install it, or say --library-path=DIRECTORY";
    return false;
  }

  const ProgramImage& image_;
  const BuildOptions& options_;
  TemporaryDirectory directory_{"norn-build"};
  std::vector<std::string> objects_;
  size_t members_ = 0;       // archives of members
  size_t member_count_ = 0;  // in the archive that is being filled
};

}  // namespace

bool build_again(const ProgramImage& image, const BuildOptions& options, std::string& error) {
  if (!image.recipe) {
    error = image.path + (image.is_linked ? " has no recipe: it was not linked by norn-cc or norn-c++; link it so"
                                          : " is not linked: link it with norn-cc or norn-c++ first");
    return false;
  }
  return Build(image, options).run_all(error);
}

}  // namespace norn::image
