// Running a program as if norn were not between it and its user: signals reach it, and how it ends can be repeated.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace norn::experiment {

struct ChildEnd {
  bool started = false;
  int start_error = 0;  // errno, if it could not be started
  int exit = 0;
  int signal = 0;          // that killed it, 0 if none
  bool timed_out = false;  // it was ended
  double seconds = 0;      // from its start to its end
};

using Environment = std::vector<std::pair<std::string, std::string>>;  // to be added to norn's own

// Runs `path` with `arguments` (argv[0] first) to its end. SIGINT, SIGTERM, SIGHUP and SIGQUIT sent to norn are sent
// on, except those of the terminal, which the child gets by itself. After so many seconds it is ended; 0: never. With
// `whole` (NAME=VALUE) `environment` is added to that instead.
[[nodiscard]] ChildEnd run_child(const std::string& path, const std::vector<std::string>& arguments,
                                 const Environment& environment, double timeout = 0,
                                 const std::vector<std::string>& whole = {});

// norn itself goes on where a reader went away or a file may not grow. Programs it starts have these signals as norn
// found them: call the second one between fork and exec.
void ignore_failed_writes();
void restore_failed_writes();

// Ends norn as the child ended.
[[noreturn]] void die_by(int signal);

}  // namespace norn::experiment
