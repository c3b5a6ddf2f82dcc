#include "experiment/fork_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "experiment/child.h"
#include "schedule/serving.h"

extern char** environ;

namespace norn::experiment {
namespace {

// Loading a program, or copying it, takes less, on a very busy machine, too. Who takes longer does not serve.
constexpr int kPatience = 20'000;  // milliseconds

}  // namespace

std::vector<std::string> environment_with(const std::string& options, const std::vector<std::string>& environment) {
  std::vector<std::string> variables = environment;
  for (char** entry = environ; environment.empty() && *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "NORN_OPTIONS=", 13) != 0) variables.emplace_back(*entry);
  variables.push_back("NORN_OPTIONS=" + options);
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

ForkServer::ForkServer(const std::string& path, const std::vector<std::string>& command,
                       const std::vector<std::string>& given) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  const std::vector<std::string> variables = environment_with(fmt::format("serve={}", ends[1]), given);
  const std::vector<char*> environment = pointers(variables);
  const std::vector<char*> arguments = pointers(command);
  pid_ = fork();
  if (pid_ == 0) {
    // Only what is allowed after a fork of a program with threads. What it says is of no use: it is no run. Its input
    // stays what it is here: a run may be told to open that once more.
    restore_failed_writes();
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2) {
      if (nowhere > 2) close(nowhere);
      fcntl(ends[1], F_SETFD, 0);
      execve(path.c_str(), arguments.data(), environment.data());
    }
    _exit(127);
  }
  close(ends[1]);
  socket_ = ends[0];
  schedule::ForkServerHello hello;
  const bool serves = pid_ > 0 && receive(hello) && hello.magic == schedule::ForkServerHello::kMagic &&
                      hello.pid == static_cast<uint32_t>(pid_);
  if (!serves) end();
}

ForkServer::~ForkServer() { end(); }

void ForkServer::end() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
}

template <class Packet>
bool ForkServer::receive(Packet& packet) {
  pollfd ready = {socket_, POLLIN, 0};
  int count = 0;
  do count = poll(&ready, 1, kPatience);
  while (count < 0 && errno == EINTR);
  return count == 1 && recv(socket_, &packet, sizeof(packet), 0) == static_cast<ssize_t>(sizeof(packet));
}

pid_t ForkServer::start(const std::string& options, const RunFiles& files) {
  if (socket_ < 0) return 0;
  std::string request;
  for (const std::string& text : {"NORN_OPTIONS=" + options, files.input, files.output, files.errors})
    request.append(text).push_back('\0');
  schedule::ForkServerAnswer answer;
  const bool started = request.size() <= schedule::kForkServerRequest &&
                       send(socket_, request.data(), request.size(), MSG_NOSIGNAL) >= 0 && receive(answer) &&
                       answer.error == 0;
  if (!started) return end(), 0;
  // It does so itself; but it has to be so before anybody here signals the group.
  setpgid(answer.pid, answer.pid);
  return answer.pid;
}

}  // namespace norn::experiment
