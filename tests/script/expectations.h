// Does what was found agree with what a script expects?
//
// A script's expectations are complete: a race on a location no expectation names is a failure, and so is a stronger
// standing than the one named. With sites, the pair must be among those found, with that standing. A location with an
// offset or a size stands for exactly its bytes. Without an engine's name, `observed` speaks of hb and hybrid,
// `predicted` of hybrid (hb must then say nothing), `race` of the state machines, and `none` of all.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tests/oracle/oracle.h"
#include "tests/script/runner.h"
#include "tests/script/script.h"

namespace norn::script {

struct Finding {
  StackId a = kNoStack;
  StackId b = kNoStack;
  Standing standing{};
  std::vector<Address> bytes;
};

struct Findings {
  std::map<Address, Standing> bytes;
  std::vector<Finding> pairs;
};

// What the oracle finds, as the given engine would tell it: hb knows only observed races.
[[nodiscard]] Findings findings_of(const oracle::Verdict& verdict, std::span<const Event> events, EngineKind engine);
[[nodiscard]] Findings findings_of(const RunResult& result);

// One line per disagreement.
[[nodiscard]] std::vector<std::string> disagreements(const Script& script, EngineKind engine, const Findings& found);

}  // namespace norn::script
