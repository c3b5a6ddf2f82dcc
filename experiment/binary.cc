#include "experiment/binary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace norn::experiment {
namespace {

namespace fs = std::filesystem;

fs::path tool_directory() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "lib" / "norn" / "valgrind";
}

// A line of Valgrind's log without "==123== " or "--123-- ".
std::string without_number(const std::string& line) {
  const auto end = line.find_first_not_of("0123456789", 2);
  const bool numbered = line.size() > 2 && (line.starts_with("==") || line.starts_with("--")) && end != 2 &&
                        end != std::string::npos && line.compare(end, 2, line, 0, 2) == 0;
  std::string rest = numbered ? line.substr(end + 2) : line;
  rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

fs::path tool() { return tool_directory() / "norn-amd64-linux"; }

}  // namespace

bool has_binary_front_end() { return access(tool().c_str(), X_OK) == 0; }

bool can_run_binary(const Program& program, const std::string& name, std::string& error) {
  const std::string subject =
      program.interpreter.empty() ? name : fmt::format("{}, which runs {},", program.interpreter[0], name);
  const char* rebuild = "rebuild it with CC=norn-cc CXX=norn-c++";
  switch (program.linkage) {
    case Linkage::kDynamic:
      break;
    case Linkage::kStatic:
      error = fmt::format(
          "{} is statically linked: norn cannot see the threads of an unmodified static program; link it dynamically, "
          "or {}",
          subject, rebuild);
      return false;
    case Linkage::kForeign:
      error = fmt::format("{} is not a 64-bit x86 program; build it for x86-64 and run it again", subject);
      return false;
    case Linkage::kDamaged:
      error = fmt::format("{} is damaged: it ends before its segments do", subject);
      return false;
    case Linkage::kNone:
      error = fmt::format("{} is neither an ELF program nor a script with a first line like #!/bin/sh", subject);
      return false;
  }
  if (!has_binary_front_end()) {
    error = fmt::format(
        "{} was not built with norn-cc/norn-c++, and this norn has no front end for unmodified programs (valgrind 3.19 "
        "was not there when it was built); {}",
        subject, rebuild);
    return false;
  }
  return true;
}

Launch binary_launch(const Program& program, const std::vector<std::string>& command, bool follow,
                     const std::string& log) {
  Launch launch;
  launch.path = tool().string();
  launch.environment = {{"VALGRIND_LIB", tool_directory().string()},
                        {"VALGRIND_LAUNCHER", (tool_directory() / "launcher").string()}};
  launch.arguments = {"norn",
                      "--tool=norn",
                      "--command-line-only=yes",
                      "-q",
                      "--log-file=" + log,
                      "--vgdb=no",
                      "--fair-sched=try",
                      "--max-threads=4000",
                      "--read-inline-info=yes",
                      "--keep-debuginfo=yes",
                      "--show-below-main=yes",
                      "--fullpath-after=",
                      "--sigill-diagnostics=no"};
  if (follow) launch.arguments.emplace_back("--trace-children=yes");
  if (program.interpreter.empty()) {
    launch.arguments.push_back(program.path);
  } else {
    launch.arguments.insert(launch.arguments.end(), program.interpreter.begin(), program.interpreter.end());
    launch.arguments.push_back(program.script);
  }
  launch.arguments.insert(launch.arguments.end(), command.begin() + 1, command.end());
  return launch;
}

std::string valgrind_words(const std::string& log) {
  constexpr size_t kMostLines = 5;
  std::ifstream file(log);
  std::string words;
  size_t lines = 0;
  for (std::string line; lines < kMostLines && std::getline(file, line);) {
    line = without_number(line);
    const bool begins =
        line.starts_with("valgrind: ") || line.starts_with("Valgrind: ") || line.starts_with("VALGRIND INTERNAL ERROR");
    if (lines == 0 && !begins) continue;
    if (line.empty()) break;
    words += fmt::format("\n  {}", line);
    ++lines;
  }
  return words;
}

}  // namespace norn::experiment
