// The casebook on the command line: which file it is, what the verbs about it share, and how the others add to it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "casebook/casebook.h"

namespace norn::cli {

class Arguments;

class CasebookFile {
 public:
  // --casebook=FILE
  void add_option(Arguments& app);
  // What it says; else what NORN_CASEBOOK says; else .norn/casebook.db. Empty: "none" was said.
  [[nodiscard]] std::string path() const;
  // Whether the user named it.
  [[nodiscard]] bool is_named() const;
  [[nodiscard]] bool exists() const;
  // path() from anywhere; empty if it is.
  [[nodiscard]] std::string full_path() const;

  // For a verb that is about the casebook: `body` with the file, which must be there, and its exit status; or one line
  // that says what is wrong, and 2.
  [[nodiscard]] int use(casebook::Access access, const std::function<int(casebook::Casebook&)>& body) const;

  // For a verb that has other work: `body` adds to the casebook, which is made if need be. If it cannot be used, one
  // line says so, once, and the verb goes on without: false.
  bool attempt(const std::function<void(casebook::Casebook&)>& body);
  // The same to look something up; there may be none.
  void look(const std::function<void(casebook::Casebook&)>& body) const;

 private:
  // What was found by runs whose norn was killed before it could say so.
  void adopt(casebook::Casebook& casebook) const;
  void adopt_first() const;  // before somebody looks

  std::string named_;
  std::optional<casebook::Casebook> casebook_;
  bool has_failed_ = false;
};

// The acceptances that are in force, by the race's identity.
[[nodiscard]] std::map<std::string, casebook::Acceptance> accepted_today(const casebook::Casebook& casebook);
// Marks the accepted races as suppressed, with the reason; how many they are. Accepted hazards are put aside.
size_t mark_accepted(report::Findings& findings, const casebook::Casebook& casebook);
// "1 accepted race not counted; norn list --accepted says why", of races and hazards; empty if there are none.
[[nodiscard]] std::string accepted_words(size_t races, size_t hazards);

// A command of norn's that begins now, with the build of the program.
[[nodiscard]] casebook::RunFacts facts_of_command(const char* verb, const std::vector<std::string>& command,
                                                  const std::string& program);

// The race that is meant by "R3f9c": its identity or the beginning of it. Nothing, and one line was said.
[[nodiscard]] std::optional<casebook::KnownRace> find_race(const casebook::Casebook& casebook,
                                                           const std::string& asked);
// "3f9c" of "R3f9c".
[[nodiscard]] std::string id_in(const std::string& asked);

// A casebook, or what a findings file would make of one, to look at. Throws casebook::CasebookError.
[[nodiscard]] casebook::Casebook open_other(const std::string& path);

// A line a race: "R3f9c1a02  observed  1,998×  2026-11-17 13:40  account.balance  bank.cpp:14 write / …".
[[nodiscard]] std::string lines_of(const std::vector<const casebook::KnownRace*>& races,
                                   const std::string& before = "");

// Who works here, as the system knows them.
[[nodiscard]] std::string author();

}  // namespace norn::cli
