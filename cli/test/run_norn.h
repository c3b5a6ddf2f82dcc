// Drives the real norn, in a directory of its own, with a program that plays an instrumented one (fake_program.cc).
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace norn::cli::tests {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline std::string read_file(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline size_t lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Result {
  int exit = -1;
  int signal = 0;
  std::string out;
  std::string err;
};

// Each test has a directory of its own, where norn runs.
class Cli : public testing::Test {
 protected:
  Cli() {
    std::string name = (fs::temp_directory_path() / "norn-cli-test-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~Cli() override { fs::remove_all(directory_); }

  pid_t start(const Words& words) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    for (const int number : {SIGINT, SIGQUIT, SIGTERM}) signal(number, SIG_DFL);  // as from a terminal
    if (chdir(directory_.c_str()) != 0) _exit(125);
    for (const auto& [name, number] : {std::pair("stdout", 1), std::pair("stderr", 2)}) {
      const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (file < 0 || dup2(file, number) < 0) _exit(125);
    }
    for (const char* name : {"NORN_OPTIONS", "NORN_DIR", "NORN_CASEBOOK", "TSAN_OPTIONS"}) unsetenv(name);
    for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(126);
  }
  Result finish(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    Result result{.out = read_file(directory_ / "stdout"), .err = read_file(directory_ / "stderr")};
    if (WIFEXITED(status)) result.exit = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
  }
  Result norn(Words words) {
    words.insert(words.begin(), NORN_PROGRAM);
    return finish(start(words));
  }
  // norn run [options] -- fake actions
  Result run(const Words& options, const Words& actions) {
    Words words = {"run"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", FAKE_PROGRAM});
    words.insert(words.end(), actions.begin(), actions.end());
    return norn(words);
  }
  // One line on stderr, that one, and status 2.
  void expect_misuse(const Words& words, const std::string& line) {
    const Result result = norn(words);
    EXPECT_EQ(result.exit, 2);
    EXPECT_EQ(result.err, "norn: " + line + "\n");
    EXPECT_EQ(result.out, "");
  }
  void write(const std::string& name, const std::string& contents) { std::ofstream(directory_ / name) << contents; }

  fs::path directory_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

}  // namespace norn::cli::tests
