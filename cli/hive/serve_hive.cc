// norn hive serve: the server of a fleet.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "casebook/runs.h"
#include "casebook/times.h"
#include "cli/hive/hive_verbs.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "hive/api/http_service.h"

namespace norn::cli {
namespace {

bool is_readable(const std::string& path) {
  if (std::ifstream(path)) return true;
  complain(fmt::format("{} cannot be read", path));
  return false;
}

}  // namespace

int serve_hive(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  std::string database, listen = "127.0.0.1:8430", steps = "linear";
  hive::ListenOptions options;
  hive::Policy policy;
  hive::Limits limits;
  bool plain = false;
  unsigned connections = 8, executions = static_cast<unsigned>(policy.executions), longest = policy.highest_tau / 1000;
  unsigned poll = static_cast<unsigned>(limits.poll);
  app.add_option("--db", database, "a file, or postgresql://… (default: .norn/hive.db)")->type_name("DATABASE");
  app.add_option("--listen", listen, "where (default: 127.0.0.1:8430; port 0: any that is free)")
      ->type_name("ADDRESS:PORT");
  app.add_option("--tls-cert", options.certificate, "the certificate, PEM")->type_name("FILE");
  app.add_option("--tls-key", options.key, "its key, PEM")->type_name("FILE");
  app.add_flag("--plain", plain, "listen to other machines without TLS: a proxy before it has that");
  app.add_option("--threads", options.threads, "connections served at once (default: 32)")->type_name("N");
  app.add_option("--db-connections", connections, "to a PostgreSQL server (default: 8)")->type_name("N");
  app.add_option("--rate", limits.per_second, "requests a second of one token; ten times as many at once (default: 20)")
      ->type_name("N");
  app.add_option("--poll", poll, "seconds after which an agent asks again (default: 5)")->type_name("N");
  app.add_option("--executions", executions,
                 "how many must have run both statements, before their not meeting says anything (default: 20)")
      ->type_name("N");
  app.add_option("--longest-tau", longest, "milliseconds that steering may hold a thread (default: 200)")
      ->type_name("MS");
  app.add_option("--tau-steps", steps, "how tau grows from 1 ms: linear (by 50 ms, default) or double")
      ->type_name("linear|double");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (!app.remaining().empty()) {
    complain(fmt::format("norn hive serve takes no argument {}", app.remaining()[0]));
    return kMisuse;
  }
  if (!hive::read_address(listen, options.host, options.port)) {
    complain(fmt::format("--listen={} is no address; say --listen=127.0.0.1:8430", listen));
    return kMisuse;
  }
  if (options.certificate.empty() != options.key.empty()) {
    complain("--tls-cert and --tls-key belong together");
    return kMisuse;
  }
  if (!options.certificate.empty() && (!is_readable(options.certificate) || !is_readable(options.key))) return kMisuse;
  if (options.certificate.empty() && !plain && !hive::is_loopback(options.host)) {
    complain(fmt::format("{} can be reached by others: say --tls-cert and --tls-key, or --plain if a proxy has TLS",
                         options.host));
    return kMisuse;
  }
  if (steps != "linear" && steps != "double") {
    complain(fmt::format("--tau-steps={} is not linear or double", steps));
    return kMisuse;
  }
  if (longest == 0 || longest > 10'000 || options.threads == 0 || connections == 0 || limits.per_second <= 0) {
    complain("--longest-tau is from 1 to 10000; --threads, --db-connections and --rate are at least 1");
    return kMisuse;
  }
  policy.executions = executions;
  policy.highest_tau = longest * 1000;
  policy.steps = steps == "double" ? hive::TauSteps::kDouble : hive::TauSteps::kLinear;
  limits.burst = 10 * limits.per_second;
  limits.poll = poll;
  if (database.empty()) {
    database = default_database();
    std::error_code code;
    std::filesystem::create_directories(casebook::home_directory(), code);
  }

  // Signals end it in order: what was begun is answered.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    const bool has_tokens = !hive::Store(database, policy).tokens().empty();
    hive::HiveApi api(database, policy, limits, connections, casebook::now);
    hive::HttpService service(api, options);
    std::string error;
    if (!service.bind(error)) {
      complain(error);
      return kMisuse;
    }
    fmt::print("norn: the hive listens on {}\n", service.url());
    if (!has_tokens) fmt::print("norn: nobody may speak to it yet; type: norn hive token add --role=admin NAME\n");
    std::fflush(stdout);
    std::thread ends([&] {
      int signal = 0;
      sigwait(&signals, &signal);
      service.stop();
    });
    service.serve();
    // It ended by itself: the thread is woken.
    pthread_kill(ends.native_handle(), SIGTERM);
    ends.join();
  } catch (const casebook::CasebookError& error) {
    complain(error.what());
    return kMisuse;
  }
  return 0;
}

}  // namespace norn::cli
