// What each sampler (samplers.h) would have logged and found in executions of which there is a full trace: the
// measurements of LiteRace §5.3, on happens-before races over the accesses that a sampler logs and all synchronization.
//
// A race is a pair of statements ("static data race" there). It is rare if the full log shows it fewer than 3 times per
// million accesses to memory that is no stack's (table 4), otherwise frequent. A sampler's detection rate is the share
// of the full log's races that its own log shows, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace norn::analyze {

struct SeenRace {
  std::string id;
  std::string place;  // of both statements
  uint64_t count = 0;
};

struct SamplerLog {
  std::string sampler;
  uint64_t logged = 0;             // accesses
  std::vector<std::string> found;  // ids, of the full log's races and of others that it superseded
};

// One execution of a program.
struct Execution {
  std::string program;
  uint64_t accesses = 0;
  uint64_t non_stack = 0;
  std::vector<SeenRace> races{};  // by the full log
  std::vector<SamplerLog> samplers{};
  // With allocation as LiteRace §4.3 has it: races by the full log, and those of `races` that it hides.
  struct Pages {
    uint64_t races = 0;
    uint64_t hidden = 0;
  };
  std::optional<Pages> pages{};
};

[[nodiscard]] bool is_rare(const SeenRace& race, const Execution& execution);

struct ComparisonOptions {
  uint64_t seed = 1;
  bool pages = false;
  unsigned workers = 1;
};
// `traces`: the files of one execution. False and one line in `error` if they cannot be compared.
[[nodiscard]] bool compare_samplers(const std::vector<std::string>& traces, const ComparisonOptions& options,
                                    Execution& execution, std::string& error);

// As JSON, and back.
[[nodiscard]] std::string json_of(const std::vector<Execution>& executions);
[[nodiscard]] bool read_executions(const std::string& text, std::vector<Execution>& executions, std::string& error);

// Shares, 0 to 1. Nothing: there was no race of the kind.
struct Rates {
  double logged = 0;
  std::optional<double> all, rare, frequent;
};
// A program's executions together: means of their rates, medians of how many races there were.
struct ProgramRates {
  std::string program;
  size_t executions = 0;
  uint64_t accesses = 0;  // of all executions
  double races = 0, rare = 0, frequent = 0;
  std::vector<Rates> samplers{};
};
struct Comparison {
  std::vector<std::string> samplers{};
  std::vector<ProgramRates> programs{};
  // Over the programs: plain means, but `weighted` has what was logged of all accesses together.
  std::vector<Rates> means{};
  std::vector<double> weighted{};
};
[[nodiscard]] Comparison summarize(const std::vector<Execution>& executions);

// In the form of tables 3 and 4 (Markdown).
[[nodiscard]] std::string tables_of(const Comparison& comparison, const std::vector<Execution>& executions);
// In the form of figures 4 and 5 (SVG; sampler_picture.cc).
[[nodiscard]] std::string picture_of(const Comparison& comparison);

}  // namespace norn::analyze
