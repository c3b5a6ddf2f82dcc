// The starter's side of schedule/serving.h: one program, started once, that makes a copy of itself for each run.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace norn::experiment {

struct RunFiles {
  std::string input, output, errors;
};

class ForkServer {
 public:
  // Starts the program, in this environment (empty: this process's own). If it does not come to serve, start() never
  // starts a run.
  ForkServer(const std::string& path, const std::vector<std::string>& command,
             const std::vector<std::string>& environment);
  // The server ends. Its runs do not.
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // A run with these options (NORN_OPTIONS): a child of this process, in a process group of its own. 0: there is none,
  // and there will be none from now on.
  [[nodiscard]] pid_t start(const std::string& options, const RunFiles& files);

 private:
  // The next packet, if it comes soon and is one of these.
  template <class Packet>
  [[nodiscard]] bool receive(Packet& packet);
  void end();

  int socket_ = -1;  // -1: it does not serve
  pid_t pid_ = 0;
};

// An environment (empty: this process's own) with other options for norn.
[[nodiscard]] std::vector<std::string> environment_with(const std::string& options,
                                                        const std::vector<std::string>& environment);
// As exec wants them: they point into `words`, and end with a null.
[[nodiscard]] std::vector<char*> pointers(const std::vector<std::string>& words);

}  // namespace norn::experiment
