// What the shares of one search found, put together: each made its part of the schedules, on whatever machine
// (`norn confirm --share`), and left its verdicts as JSON.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiment/confirmation.h"

namespace norn::experiment {

struct Verdicts {
  std::vector<Verdict> all;
  std::vector<std::string> command;
  std::set<unsigned> shares;  // that are among them, from 1; empty: it was not divided
  unsigned count = 1;         // so many shares there are

  [[nodiscard]] std::vector<unsigned> missing() const;
};
// As json_of (experiment/verdict_text.h) wrote them.
[[nodiscard]] std::optional<Verdicts> read_verdicts(const std::string& json, std::string& error);
// Adds what another share found. Otherwise why it cannot be: it ran another program, or is there already.
[[nodiscard]] std::string add(Verdicts& sum, const Verdicts& other);

}  // namespace norn::experiment
