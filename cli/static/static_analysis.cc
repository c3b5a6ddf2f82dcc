#include "cli/static/static_analysis.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/image/image_files.h"
#include "cli/terminal.h"
#include "report/record_reader.h"

namespace norn::cli {
namespace {

std::string analyser() {
  return (std::filesystem::path(tool_directory()).parent_path() / "lib/norn/norn-static").string();
}

}  // namespace

std::optional<std::string> analyse_image(const std::string& program, const std::vector<std::string>& verbose) {
  std::vector<std::string> command{analyser(), program, runtime_archive()};
  command.insert(command.end(), verbose.begin(), verbose.end());
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

std::optional<report::Findings> find_statically(const std::string& program, const std::vector<std::string>& verbose) {
  const std::optional<std::string> records = analyse_image(program, verbose);
  if (!records) return std::nullopt;
  std::string error;
  auto findings = report::merge_findings({{"the analysis", *records}}, error);
  if (!findings) complain(error);
  return findings;
}

}  // namespace norn::cli
