// What a confirmation showed, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "experiment/confirmation.h"

namespace norn::experiment {

// A paragraph, without colour.
[[nodiscard]] std::string text_of(const Verdict& verdict, const std::vector<std::string>& command);

// What the two of a race did where they met first, in the order in which they went, as far as it is known: "bank.cpp:16
// write: 0 → 5, then bank.cpp:20 read: value 5". Empty if nothing is. `places`: where, in this order.
[[nodiscard]] std::string words_of(const schedule::MetAccess (&met)[2], const std::string (&places)[2]);

// The line to type to see a run again.
[[nodiscard]] std::string replay_line(const std::string& token, const std::vector<std::string>& command);

// A line for each way in which the program failed by itself, or while it was learned what is usual: with a token that
// shows such an end again, its own or a verdict's, or the words that there is none.
[[nodiscard]] std::string text_of_failures(const std::vector<Failure>& failures, const std::vector<Verdict>& verdicts,
                                           const std::vector<std::string>& command);
// A note where what counts as usual may surprise; else nothing.
[[nodiscard]] std::string text_of_usual(const Reference& reference);

// { "norn": 1, "command": [ … ], "confirm": [ … ] }; of a share, also "share": [K, N].
[[nodiscard]] std::string json_of(const std::vector<Verdict>& verdicts, const std::vector<std::string>& command,
                                  const options::Share& share = {});

}  // namespace norn::experiment
