// norn static: what may race, from the program's image; nothing is run.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/analyser.h"
#include "cli/image_files.h"
#include "cli/renderings.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {
namespace {

// The analyses have LLVM in them, which only they need: they are a program of their own.
std::string analyser() {
  return (std::filesystem::path(tool_directory()).parent_path() / "lib/norn/norn-static").string();
}

// What it writes; nothing if it failed, and said so itself.
std::optional<std::string> analyse(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    complain(fmt::format("{} cannot be started: {}; install norn again", command[0], std::strerror(failed)));
    return std::nullopt;
  }
  std::string output;
  char bytes[1 << 16];
  for (;;) {
    const ssize_t count = read(ends[0], bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    output.append(bytes, static_cast<size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  if (WIFSIGNALED(status))
    complain(fmt::format("the analysis of {} was ended by signal {}", command[1], WTERMSIG(status)));
  return std::nullopt;
}

}  // namespace

std::optional<report::Findings> find_statically(const std::string& program, const std::vector<std::string>& verbose) {
  std::vector<std::string> command{analyser(), program, runtime_archive()};
  command.insert(command.end(), verbose.begin(), verbose.end());
  const std::optional<std::string> records = analyse(command);
  if (!records) return std::nullopt;
  std::string error;
  auto findings = report::merge_findings({{"the analysis", *records}}, error);
  if (!findings) complain(error);
  return findings;
}

int static_races(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  RenderingFiles files;
  std::vector<std::string> verbose;
  files.add_options(app, true);
  app.add_option("--verbose", verbose, "tell what the analyses found: points-to, threads or locks; may be said again")
      ->type_name("WHAT");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (app.remaining().size() != 1) {
    complain("say which program: norn static ./program");
    return kMisuse;
  }
  for (const std::string& what : verbose) {
    if (what == "points-to" || what == "threads" || what == "locks") continue;
    complain(fmt::format("--verbose={} is not one of points-to, threads or locks", what));
    return kMisuse;
  }
  const std::optional<report::Findings> findings = find_statically(app.remaining()[0], verbose);
  if (!findings) return kMisuse;
  if (!files.any()) {
    const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto), .width = terminal_width(1)};
    fmt::print("{}{}", text_of_races(*findings, rendering), text_of_summary(*findings, rendering));
  }
  return write_files(files, *findings, {}) ? 0 : kMisuse;
}

}  // namespace norn::cli
