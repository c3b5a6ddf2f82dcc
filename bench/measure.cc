// Runs a command and appends one line to a file: seconds of processor time (user and system), seconds of wall time,
// peak resident memory in KiB, and the exit status (128 + signal where one ended it).
//
//     measure FILE SECONDS COMMAND…
//
// After SECONDS of wall time the command is ended; its status is then 137. Why a program of its own: the peak that the
// kernel reports for a child includes the image it had before exec. This one is linked statically and small; a script
// interpreter is larger than some kernels.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

volatile pid_t child = 0;

void end_child(int /*signal*/) { kill(child, SIGKILL); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: measure FILE SECONDS COMMAND...\n", stderr);
    return 2;
  }
  const double began = now();
  child = fork();
  if (child == 0) {
    execvp(argv[3], argv + 3);
    std::perror(argv[3]);
    _exit(127);
  }
  signal(SIGALRM, end_child);
  alarm(static_cast<unsigned>(std::atoi(argv[2])));
  int status = 0;
  rusage usage = {};
  while (wait4(child, &status, 0, &usage) < 0) continue;
  alarm(0);
  const int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  std::FILE* file = std::fopen(argv[1], "a");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  std::fprintf(file, "%.6f %.6f %ld %d\n", seconds(usage.ru_utime) + seconds(usage.ru_stime), now() - began,
               usage.ru_maxrss, ended);
  std::fclose(file);
  return ended;
}
