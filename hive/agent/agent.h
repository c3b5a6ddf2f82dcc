// The agent of a machine: programs in the production profile speak to it (runtime/probe/wire.h), it speaks to the hive.
//
// Two threads. One serves the socket and waits for nothing else: a program that does not read, says nonsense or is
// killed in the middle concerns nobody else, and no program waits for the agent. The other waits for the hive: it asks
// for tasks, and sends what lies in the spool, oldest first, until the hive took it.
#pragma once

#include <memory>
#include <string>

namespace norn::hive {

struct AgentOptions {
  std::string hive;  // its address
  std::string token;
  std::string authority{};
  std::string socket;
  std::string spool;  // a directory
  size_t spool_bytes = size_t{16} << 20;
  bool all_users = false;  // programs of other users may connect
  bool steer = true;       // threads may be held
  bool ask = false;        // users may be asked
};

class Agent {
 public:
  explicit Agent(const AgentOptions& options);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // False and one line in `error`: the socket or the spool cannot be used.
  [[nodiscard]] bool open(std::string& error);
  // Serves until stop(), which any thread may call.
  void serve();
  void stop();

  // A program of that build is about to start: its task is asked for. Waits so many milliseconds at most.
  void expect(const std::string& build, int milliseconds);
  // Waits until no program is connected and the hive took all there is, so many milliseconds at most; whether it did.
  bool drain(int milliseconds);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// Where programs look for an agent: NORN_HIVE_SOCKET, or $XDG_RUNTIME_DIR/norn/hive.socket, or /run/norn/hive.socket.
[[nodiscard]] std::string default_socket();

}  // namespace norn::hive
