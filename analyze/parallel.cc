#include "analyze/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

namespace norn::analyze {
namespace {

struct Worker {
  size_t job;
  int errors;  // what it says goes through here
};

// In the worker. The outcome is its exit status.
[[noreturn]] void work(const Job& job, int errors) {
  std::string error;
  const Outcome outcome = analyze(job, error);
  [[maybe_unused]] const ssize_t written = write(errors, error.data(), error.size());
  _exit(static_cast<int>(outcome));
}

std::string read_all(int fd) {
  std::string text;
  char bytes[512];
  for (;;) {
    const ssize_t got = read(fd, bytes, sizeof(bytes));
    if (got <= 0) return text;
    text.append(bytes, static_cast<size_t>(got));
  }
}

Result result_of(const Job& job, int status, std::string error) {
  if (WIFEXITED(status) && WEXITSTATUS(status) <= static_cast<int>(Outcome::kRefused)) {
    return {static_cast<Outcome>(WEXITSTATUS(status)), std::move(error)};
  }
  const char* name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : nullptr;
  return {Outcome::kRefused, job.trace + " could not be analysed: its process ended by " +
                                 (name != nullptr ? std::string("SIG") + name : std::string("itself"))};
}

}  // namespace

std::vector<Result> analyze_all(const std::vector<Job>& jobs, unsigned workers,
                                const std::function<void(size_t done)>& progress) {
  std::vector<Result> results(jobs.size());
  std::map<pid_t, Worker> running;
  size_t next = 0;
  size_t done = 0;
  while (done < jobs.size()) {
    while (next < jobs.size() && running.size() < (workers == 0 ? 1 : workers)) {
      int ends[2] = {-1, -1};
      const pid_t pid = pipe(ends) == 0 ? fork() : -1;
      if (pid == 0) {
        close(ends[0]);
        work(jobs[next], ends[1]);
      }
      close(ends[1]);
      if (pid < 0) {
        close(ends[0]);
        results[next++] = {Outcome::kRefused, std::string("no process could be started: ") + std::strerror(errno)};
        ++done;
        continue;
      }
      running[pid] = {next++, ends[0]};
    }
    if (running.empty()) continue;
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    const auto found = running.find(ended);
    if (found == running.end()) {
      if (ended < 0 && errno != EINTR) break;
      continue;
    }
    const Worker worker = found->second;
    running.erase(found);
    results[worker.job] = result_of(jobs[worker.job], status, read_all(worker.errors));
    close(worker.errors);
    progress(++done);
  }
  return results;
}

}  // namespace norn::analyze
