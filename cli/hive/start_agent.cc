// norn hive agent: between the programs of a machine and its hive.
#include <fmt/format.h>
#include <signal.h>

#include <thread>

#include "casebook/runs.h"
#include "cli/hive/hive_verbs.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "hive/agent/agent.h"

namespace norn::cli {

int start_agent(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  HiveAddress address;
  hive::AgentOptions options;
  options.spool = casebook::home_directory() + "/spool";
  bool no_steer = false;
  size_t megabytes = options.spool_bytes >> 20;
  address.add_options(app);
  app.add_option("--socket", options.socket,
                 "where programs find it (default: NORN_HIVE_SOCKET, $XDG_RUNTIME_DIR/norn/hive.socket, or "
                 "/run/norn/hive.socket)")
      ->type_name("FILE");
  app.add_option("--spool", options.spool, "where results wait for the hive (default: .norn/spool)")
      ->type_name("DIRECTORY");
  app.add_option("--spool-size", megabytes, "how many megabytes may wait (default: 16)")->type_name("N");
  app.add_flag("--all-users", options.all_users, "programs of all users of this machine, not yours alone");
  app.add_flag("--no-steer", no_steer, "no thread of a program is ever held");
  app.add_flag("--ask", options.ask, "who interrupts a program that was steered is asked whether it misbehaved");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (!app.remaining().empty()) {
    complain(
        fmt::format("norn hive agent takes no argument {}; norn hive run -- ./program runs one", app.remaining()[0]));
    return kMisuse;
  }
  if (megabytes == 0 || megabytes > 100'000) {
    complain("--spool-size is from 1 to 100000");
    return kMisuse;
  }
  if (!address.read(options.hive, options.token)) return kMisuse;
  options.authority = address.authority;
  options.steer = !no_steer;
  options.spool_bytes = megabytes << 20;
  if (options.socket.empty()) options.socket = hive::default_socket();

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  hive::Agent agent(options);
  std::string error;
  if (!agent.open(error)) {
    complain(error);
    return kMisuse;
  }
  fmt::print("norn: the agent listens at {} for {}\n", options.socket, options.hive);
  std::fflush(stdout);
  std::thread ends([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    agent.stop();
  });
  agent.serve();
  pthread_kill(ends.native_handle(), SIGTERM);
  ends.join();
  return 0;
}

}  // namespace norn::cli
