// norn hive: the table of its verbs, and what they share.
#include "cli/hive/hive_verbs.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "options/options.h"

namespace norn::cli {
namespace {

constexpr Verb kHiveVerbs[] = {
    {"hive run", "[options] -- program [arguments]", "validate a program's candidates on this machine, without set-up",
     "Builds the program again in the production profile (into .norn/production), and runs that with a hive and an "
     "agent\n"
     "of its own: this machine is a site. Its candidates are those of norn static. Each run validates one; what is "
     "known stays in .norn/hive.db, "
     "and\n"
     "is told when the program has ended. The exit status is the program's own.",
     "norn hive run -- ./bank 100\n"
     "norn hive run --runs=20 -- ./bank 100",
     run_watched},
    {"hive simulate", "--sites=N [options] -- program [arguments]", "a fleet on one machine, through the real protocol",
     "As norn hive run, with so many sites, one after the other. Each has a token and an agent of its own, and may "
     "have\n"
     "a workload of its own: the lines of a file, each so many further arguments.",
     "norn hive simulate --sites=20 -- ./bank 100\n"
     "norn hive simulate --sites=20 --runs=5 --workload=inputs.txt -- ./bank\n"
     "norn hive simulate --json --sites=20 -- ./bank | jq '.[] | select(.verdict == \"true-race\")'",
     simulate_fleet},
    {"hive agent", "[options]", "between the programs of this machine and their hive",
     "Programs in the production profile find it by its socket. It asks the hive what they are to validate, and sends\n"
     "what they saw; what it cannot send waits on disk. No program ever waits for it. docs/hive.md lists what leaves\n"
     "the machine. SIGTERM ends it.",
     "norn hive agent --hive=https://hive.example.org --token-file=/etc/norn/token\n"
     "norn hive agent --no-steer            no thread is ever held",
     start_agent},
    {"hive serve", "[options]", "the server: gives tasks, takes results, tells verdicts",
     "Serves the hive's API (docs/hive.md) over one database: a file, or a PostgreSQL server that any number of\n"
     "servers share. Who may ask for what is said by tokens; the first one is made with `norn hive token`. Without "
     "TLS\n"
     "it listens to this machine alone, unless --plain says that something before it speaks TLS. SIGTERM ends it.",
     "norn hive token add --role=admin me      the first token, on the server's machine\n"
     "norn hive serve\n"
     "norn hive serve --listen=0.0.0.0:8430 --tls-cert=hive.pem --tls-key=hive.key\n"
     "norn hive serve --db=postgresql://norn@db/hive",
     serve_hive},
    {"hive token", "add|withdraw|restore|list [NAME|ID]", "who may speak to a hive, and as what",
     "add makes a token and prints it, this once: a site's (for an agent), a developer's (who submits programs and\n"
     "reads what is known), an admin's. withdraw takes one back by its id, and all that its site said; restore puts "
     "it\n"
     "into force again. Without --hive it works on the database of this machine.",
     "norn hive token add --role=site desk-12\n"
     "norn hive token list\n"
     "norn hive token withdraw 3f9c1a02b7d45e66\n"
     "norn hive token add --hive=https://hive.example.org --role=site desk-13",
     hive_tokens},
    {"hive submit", "[options] PROGRAM", "give a hive a program to validate",
     "Analyses the program (see norn static), builds it again in the production profile, and submits both: candidates\n"
     "and file, known by the build's identity, which its processes tell. Who runs that file, with an agent on the\n"
     "machine, validates the candidates. Versions of a program stand side by side.",
     "norn hive submit --hive=https://hive.example.org --label=1.4 ./server -o server.production\n"
     "norn hive submit --as-it-is ./server.production     it was built so already",
     submit_program},
    {"hive status", "[options] [PROGRAM|BUILD] [RACE]", "what a hive knows: programs, verdicts, sites",
     "Without arguments: the programs and their versions. With one: its candidates with their verdicts, true races\n"
     "first. With a race, too: what it rests on, result by result.",
     "norn hive status\n"
     "norn hive status bank\n"
     "norn hive status bank R3f9c1a02b7d4\n"
     "norn hive status --sites\n"
     "norn hive status --json bank | jq '.candidates[] | select(.verdict == \"true-race\")'",
     hive_status},
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::span<const Verb> hive_verbs() { return kHiveVerbs; }

int hive(const Verb& verb, std::vector<std::string> arguments) {
  const bool is_named = !arguments.empty() && !arguments[0].starts_with("-");
  if (!is_named) {
    Arguments app;
    if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
    complain("say what: norn hive run -- ./program is the shortest way (norn hive --help lists all)");
    return kMisuse;
  }
  const std::string name = "hive " + arguments[0];
  std::string names;
  for (const Verb& each : kHiveVerbs) {
    if (name == each.name) return each.main(each, {arguments.begin() + 1, arguments.end()});
    names += (names.empty() ? "" : "|") + std::string(each.name).substr(5);
  }
  const std::string nearest(view(options::nearest_name(text_of(arguments[0]), text_of(names))));
  complain(fmt::format(
      "unknown verb hive {}; {}", arguments[0],
      nearest.empty() ? "norn hive --help lists them" : fmt::format("did you mean norn hive {}?", nearest)));
  return kMisuse;
}

void HiveAddress::add_options(Arguments& app) {
  app.add_option("--hive", url, "the hive's address: https://HOST, or http://127.0.0.1:PORT (default: NORN_HIVE)")
      ->type_name("URL");
  app.add_option("--token-file", token_file, "a file with your token (default: what NORN_HIVE_TOKEN says)")
      ->type_name("FILE");
  app.add_option("--authority", authority, "certificates to trust in place of the system's, PEM")->type_name("FILE");
}

bool HiveAddress::is_named() const { return !url.empty() || !environment("NORN_HIVE").empty(); }

bool HiveAddress::read(std::string& address, std::string& token) const {
  address = url.empty() ? environment("NORN_HIVE") : url;
  if (address.empty()) {
    complain("say which hive: --hive=https://HOST, or NORN_HIVE=… in the environment");
    return false;
  }
  while (address.ends_with('/')) address.pop_back();
  if (const std::string fault = hive::HiveClient::fault_of(address); !fault.empty()) {
    complain(fault);
    return false;
  }
  token = environment("NORN_HIVE_TOKEN");
  if (!token_file.empty()) {
    std::ifstream file(token_file);
    if (!(file >> token)) {
      complain(fmt::format("{}: there is no token in it, or it cannot be read", token_file));
      return false;
    }
  }
  if (token.empty()) {
    complain("no token: say --token-file=FILE, or NORN_HIVE_TOKEN=… in the environment (norn hive token makes one)");
    return false;
  }
  if (!authority.empty() && !std::ifstream(authority)) {
    complain(fmt::format("{}: the certificates to trust cannot be read", authority));
    return false;
  }
  return true;
}

std::unique_ptr<hive::HiveClient> HiveAddress::connect() const {
  std::string address, token;
  if (!read(address, token)) return nullptr;
  return std::make_unique<hive::HiveClient>(address, token, authority);
}

std::string default_database() { return casebook::home_directory() + "/hive.db"; }

}  // namespace norn::cli
