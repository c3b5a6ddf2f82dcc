// What the shares of one search found, put together: each made its part of the schedules, on whatever machine
// (`norn confirm --share`), and left its verdicts as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/confirmation.h"

namespace norn::experiment {

// "3/8": the third of eight. "env": as whoever starts many copies of a program tells each which one it is (Open MPI,
// MPICH, Slurm's arrays). Nothing and one line in `error` if it is none.
[[nodiscard]] std::optional<Share> share_of(const std::string& text, std::string& error);

struct Verdicts {
  std::vector<Verdict> all;
  std::vector<std::string> command;
};
// As json_of (experiment/verdict_text.h) wrote them.
[[nodiscard]] std::optional<Verdicts> read_verdicts(const std::string& json, std::string& error);
// Adds what another share found. False: it ran another program.
[[nodiscard]] bool add(Verdicts& sum, const Verdicts& other);

}  // namespace norn::experiment
