// norn hive run and norn hive simulate: a hive, its sites and the program on one machine, through the real protocol.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/temporary_directory.h"
#include "casebook/runs.h"
#include "casebook/times.h"
#include "cli/hive/hive_verbs.h"
#include "cli/static/static_analysis.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "experiment/child.h"
#include "hive/agent/agent.h"
#include "hive/api/api_json.h"
#include "hive/api/fleet_view.h"
#include "hive/api/submission.h"
#include "hive/local_hive.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kPatience = 10'000;  // milliseconds that the hive may take to answer on this machine

// Milliseconds that a program waits for its task when it starts; the agent has it by then.
constexpr const char* kFirstTask = "1000";

// A hive on this machine, with one program.
class OneProgram {
 public:
  OneProgram(const std::string& database, const hive::Policy& policy, std::vector<std::string> command)
      : database_(database),
        policy_(policy),
        command_(std::move(command)),
        run_(command_[0]),
        local_(database, policy) {}

  // False, and a complaint: the program cannot be validated.
  [[nodiscard]] bool begin() {
    const auto build = hive::build_name(command_[0]);
    std::string error;
    if (!build) {
      error = fmt::format("{} cannot be read; say the program with its path: ./program", command_[0]);
    } else if (build->starts_with("hash:")) {
      error = fmt::format("{} has no build id; link it with -Wl,--build-id", command_[0]);
    } else {
      build_ = program_build_ = *build;
      const bool is_there = is_submitted() || find_shipped() || submit(error);
      if (is_there && local_.start(error)) return true;
      if (error.empty()) return false;  // it was said
    }
    complain(error);
    return false;
  }

  // Runs it once as a site. Nothing, and a complaint: it cannot be started.
  [[nodiscard]] std::optional<experiment::ChildEnd> run(const std::string& token, const std::string& directory,
                                                        const std::vector<std::string>& more) {
    hive::Agent agent({.hive = local_.url(), .token = token, .socket = directory + "/socket", .spool = directory});
    std::string error;
    if (!agent.open(error)) {
      complain(error);
      return std::nullopt;
    }
    std::thread serves([&] { agent.serve(); });
    agent.expect(build_, kPatience);
    std::vector<std::string> arguments = command_;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const experiment::ChildEnd end = experiment::run_child(
        run_, arguments, {{"NORN_HIVE_SOCKET", directory + "/socket"}, {"NORN_HIVE_WAIT", kFirstTask}});
    if (!agent.drain(kPatience)) complain("what the last run showed did not reach the hive in time");
    agent.stop();
    serves.join();
    if (end.started) return end;
    complain(fmt::format("{} cannot be started: {}", command_[0], std::strerror(end.start_error)));
    return std::nullopt;
  }

  [[nodiscard]] hive::Store store() const { return {database_, policy_}; }
  [[nodiscard]] const std::string& build() const { return build_; }

 private:
  [[nodiscard]] bool is_submitted() const { return store().version(build_).has_value(); }
  // The production build that an earlier run made of this program.
  bool find_shipped() {
    const auto build = hive::build_name(shipped());
    if (!build || !store().version(*build)) return false;
    use_shipped(*build);
    return true;
  }
  // The program has an image: its production build is what is run.
  bool submit(std::string& error) {
    const std::optional<std::string> records = analyse_image(command_[0]);
    std::error_code code;
    fs::create_directories(fs::path(shipped()).parent_path(), code);
    if (!records || !build_for_production(command_[0], shipped())) return false;
    const auto build = hive::build_name(shipped());
    if (!build || build->starts_with("hash:")) {
      error = fmt::format("the production build of {} has no build id; link it with -Wl,--build-id", command_[0]);
      return false;
    }
    const auto body = hive::submission_of(
        {.build = *build, .program = fs::path(command_[0]).filename().string(), .label = ""}, *records, error);
    if (!body) return false;
    hive::Store hive = store();
    hive::store_submission(database_, hive, hive::submission_in(*body), casebook::now());
    use_shipped(*build);
    return true;
  }
  void use_shipped(const std::string& build) {
    run_ = shipped();
    build_ = build;
  }
  [[nodiscard]] std::string shipped() const {
    return fmt::format("{}/production/{}/{}", casebook::home_directory(), program_build_,
                       fs::path(command_[0]).filename().string());
  }

  const std::string database_;
  const hive::Policy policy_;
  const std::vector<std::string> command_;
  std::string program_build_{};  // of the program that was named
  std::string build_{};          // of what is run
  std::string run_{};            // its file
  hive::LocalHive local_;
};

// A token that stays: this machine is one site, however often something is run.
std::string own_token(hive::Store& store, const std::string& file) {
  std::string token;
  std::ifstream(file) >> token;
  if (!token.empty() && store.find_token(token, casebook::now())) return token;
  std::string id;
  token = store.add_token(hive::Role::kSite, "this machine", casebook::now(), id);
  std::ofstream(file) << token << "\n";
  std::error_code code;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, code);
  return token;
}

// What is known after the runs: a line, and each candidate about which something is known.
void print_fleet(FILE* where, hive::Store& store, const std::string& build) {
  const json all = hive::candidates_of(store, build, casebook::now());
  std::map<std::string, size_t> counts;
  for (const json& candidate : all) {
    const std::string verdict = candidate["flag"] ? "flag" : candidate["verdict"].get<std::string>();
    ++counts[verdict];
    if (verdict != "true-race" && verdict != "likely-false-positive") continue;
    const json accesses = candidate.value("accesses", json::array({"", ""}));
    fmt::print(where, "norn: {} ({}): {}  {} / {}  R{}\n", verdict, candidate["reason"].get<std::string>(),
               candidate.value("variable", ""), accesses[0].get<std::string>(), accesses[1].get<std::string>(),
               candidate["race"].get<std::string>());
  }
  fmt::print(where, "norn: {} candidate{}: {} true, {} likely false, {} unknown, {} flag{}\n", all.size(),
             all.size() == 1 ? "" : "s", counts["true-race"], counts["likely-false-positive"], counts["unknown"],
             counts["flag"], counts["flag"] == 1 ? "" : "s");
}

// Takes what stands behind -- out of the arguments: it is the program's.
std::vector<std::string> take_command(std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> command(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return command;
}

int complained(const std::string& words) {
  complain(words);
  return kMisuse;
}

}  // namespace

int run_watched(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  unsigned runs = 1;
  std::string database;
  app.add_option("--runs", runs, "run it so often, one after the other (default: 1)")->type_name("N");
  app.add_option("--db", database, "where results are kept (default: .norn/hive.db)")->type_name("DATABASE");
  app.prefix_command();
  const std::vector<std::string> behind = take_command(arguments);
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  std::vector<std::string> command = app.remaining();
  command.insert(command.end(), behind.begin(), behind.end());
  if (command.empty()) return complained("say which program: norn hive run -- ./program");
  if (runs == 0) return complained("--runs is at least 1");
  std::error_code code;
  fs::create_directories(casebook::home_directory(), code);
  if (database.empty()) database = default_database();
  try {
    // There is nobody else whose inference could promote a candidate.
    OneProgram program(database, {.steer_at_once = true}, command);
    if (!program.begin()) return kMisuse;
    hive::Store store = program.store();
    const std::string token = own_token(store, casebook::home_directory() + "/hive.token");
    const TemporaryDirectory scratch("norn-hive");
    if (scratch.path().empty()) throw casebook::CasebookError("no temporary directory can be made");
    experiment::ChildEnd end;
    for (unsigned i = 0; i < runs; ++i) {
      const auto ended = program.run(token, scratch.path(), {});
      if (!ended) return kMisuse;
      end = *ended;
    }
    print_fleet(stderr, store, program.build());
    if (end.signal != 0) experiment::die_by(end.signal);
    return end.exit;
  } catch (const casebook::CasebookError& error) {
    return complained(error.what());
  }
}

int simulate_fleet(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  unsigned sites = 20, runs = 1;
  std::string workload, database;
  bool as_json = false;
  app.add_option("--sites", sites, "how many sites (default: 20)")->type_name("N");
  app.add_option("--runs", runs, "how often each runs the program (default: 1)")->type_name("N");
  app.add_option("--workload", workload, "a line of further arguments for each site, in turn")->type_name("FILE");
  app.add_option("--db", database, "keep what the fleet found there (default: nowhere)")->type_name("DATABASE");
  app.add_flag("--json", as_json, "the candidates, as the API tells them");
  app.prefix_command();
  const std::vector<std::string> behind = take_command(arguments);
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  std::vector<std::string> command = app.remaining();
  command.insert(command.end(), behind.begin(), behind.end());
  if (command.empty()) return complained("say which program: norn hive simulate --sites=20 -- ./program");
  if (sites == 0 || runs == 0 || sites > 100'000) return complained("--sites is from 1 to 100000, --runs at least 1");
  std::vector<std::vector<std::string>> lines;
  if (!workload.empty()) {
    std::ifstream file(workload);
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string>& words = lines.emplace_back();
      std::istringstream stream(line);
      for (std::string word; stream >> word;) words.push_back(word);
    }
    if (lines.empty()) return complained(fmt::format("{}: no line can be read of it", workload));
  }
  try {
    const TemporaryDirectory scratch("norn-hive");
    if (scratch.path().empty()) throw casebook::CasebookError("no temporary directory can be made");
    OneProgram program(database.empty() ? scratch.path() + "/hive.db" : database, {}, command);
    if (!program.begin()) return kMisuse;
    hive::Store store = program.store();
    std::vector<std::string> tokens(sites);
    if (lines.empty()) lines.emplace_back();
    for (unsigned run = 0; run < runs; ++run) {
      for (unsigned site = 0; site < sites; ++site) {
        std::string id;
        if (run == 0)
          tokens[site] = store.add_token(hive::Role::kSite, fmt::format("site {}", site + 1), casebook::now(), id);
        const std::string directory = fmt::format("{}/{}", scratch.path(), site);
        if (!program.run(tokens[site], directory, lines[site % lines.size()])) return kMisuse;
      }
    }
    if (as_json) {
      fmt::print("{}\n", hive::write_json(hive::candidates_of(store, program.build(), casebook::now())));
    } else {
      print_fleet(stdout, store, program.build());
    }
    return 0;
  } catch (const casebook::CasebookError& error) {
    return complained(error.what());
  }
}

}  // namespace norn::cli
