// What the hive keeps: tokens, versions of programs with their candidates, tasks and results, in the casebook's
// database (casebook/schema.h). Any number of servers work on one database: nothing that counts is kept here. Each
// function is all done or not at all; results are taken once however often they are sent.
//
// One thread at a time uses a Store. Everything throws casebook::CasebookError if the database fails.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "casebook/database.h"
#include "hive/assignment.h"
#include "hive/tokens.h"
#include "hive/verdict.h"

namespace norn::hive {

struct Token {
  std::string id;
  Role role = Role::kSite;
  std::string name;
  int64_t created = 0;
  int64_t withdrawn = 0;  // 0: in force
  int64_t seen = 0;       // within a minute
};

struct Version {
  std::string build;  // what its processes say they are
  std::string program;
  std::string label;
  int64_t submitted = 0;
  int64_t size = 0;  // of its file; 0: none was stored
};

struct Candidate {
  std::string race;
  std::string sites[2];  // hexadecimal
  int64_t weight = 1;
  bool is_flag = false;
  std::string source{};  // JSON; the fleet is without it
};

struct Result {
  std::string id;  // the site's own number for it
  std::string build;
  std::string race;
  std::string execution;
  ResultKind kind = ResultKind::kNotSeen;
  Order order = Order::kNone;
  int64_t tau = 0;     // microseconds
  int64_t spent = 0;   // microseconds that validation took, since the result before
  int64_t lived = 0;   // microseconds that the program ran, likewise
  std::string detail;  // JSON
};

// A result as it is shown.
struct StoredResult : Result {
  std::string site;
  std::string site_name;
  int64_t received = 0;
  bool withdrawn = false;  // the site is; it counts no longer
};

struct Task {
  std::string build;
  std::string race;
  std::string sites[2];
  Order order = Order::kPrimary;
  int64_t tau = 0;
  bool detect = false;  // else context inference alone
  bool steer = false;
};

// All candidates of a version, and what the fleet knows of them: the three stand beside each other.
struct Fleet {
  std::vector<Candidate> candidates;
  std::vector<CandidateLoad> loads;
  std::vector<Evidence> evidence;
  Burden burden;  // of all sites together
};

struct SiteRow {
  Token token;
  std::string build;  // of its latest task
  std::string race;   // which it has now; may be empty
  Burden burden;
  uint64_t results = 0;
};

struct Added {
  size_t taken = 0;
  size_t known = 0;    // were there already
  size_t refused = 0;  // of candidates that the site was never asked about
};

class Store {
 public:
  Store(const std::string& database, const Policy& policy);

  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] const std::string& path() const { return database_.path(); }

  // ---- tokens ----
  // The token itself, which is told this once; `id` becomes its name for others.
  std::string add_token(Role role, const std::string& name, int64_t now, std::string& id);
  // Nothing: there is no such token, or it was withdrawn.
  [[nodiscard]] std::optional<Token> find_token(const std::string& token, int64_t now);
  [[nodiscard]] std::vector<Token> tokens();
  // What it said counts no longer, and its tasks are others'. False: there is none. Of a time 0: it is in force again.
  bool withdraw(const std::string& id, int64_t time);

  // ---- versions ----
  void add_version(const Version& version, int64_t run, const std::vector<Candidate>& candidates);
  [[nodiscard]] std::vector<Version> versions();
  [[nodiscard]] std::optional<Version> version(const std::string& build);
  // The file in parts, each of which the caller has made text of.
  void set_file(const std::string& build, int64_t size, const std::vector<std::string>& parts);
  [[nodiscard]] std::vector<std::string> file(const std::string& build);
  // What each candidate was submitted with (Candidate::source), by race.
  [[nodiscard]] std::map<std::string, std::string> sources(const std::string& build);
  [[nodiscard]] std::string record(const std::string& race);  // as report/record.h has it; empty: none

  // ---- tasks and results ----
  [[nodiscard]] Fleet fleet(const std::string& build, int64_t now);
  // What the site is to validate in this version, which is what it had if that is as good as any. `fleet` may be a
  // second old; its loads are kept up to date.
  [[nodiscard]] std::optional<Task> next_task(const std::string& site, const std::string& build, Fleet& fleet,
                                              int64_t now);
  Added add_results(const std::string& site, const std::vector<Result>& results, int64_t now);

  // ---- what is shown ----
  // The latest first, `limit` at most. Of one candidate, or, if `race` is empty, of those kinds alone.
  [[nodiscard]] std::vector<StoredResult> results(const std::string& build, const std::string& race,
                                                  const std::vector<ResultKind>& kinds, int64_t limit);
  [[nodiscard]] std::vector<SiteRow> sites();

 private:
  void count_result(const std::string& site, const Result& result);

  casebook::Database database_;
  Policy policy_;
};

}  // namespace norn::hive
