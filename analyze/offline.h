// A detector over a trace: what a run would have reported with these options, from its event log.
//
// The items of a trace are applied to the core's detector in the order in which the program's own heard of them, so
// that the same engine finds the same. A forked process goes on where its parent's trace was when it was forked: that
// part is applied first. What is found goes into a findings file, as from a running program, with the same identities.
//
// One process has one detector: each trace, or part of one, is analysed in a process of its own (parallel.h).
#pragma once

#include <string>

#include "analyze/offline_engines.h"
#include "analyze/witness.h"
#include "options/run_settings.h"

namespace norn::analyze {

class WaitedFor;

struct Job {
  std::string trace;        // a file
  std::string findings;     // records are appended here
  std::string options;      // key=value:…, over what the trace says
  OfflineEngine engine{};   // kNone: one of the core's, which the options name
  std::string witnesses{};  // a file that witnesses are appended to; empty: none
  // Which part of the accesses it judges (skeleton.h). Divided: `findings` gets what merge_parts() reads.
  unsigned part = 0;
  unsigned parts = 1;
  bool divided = false;
  // For the comparison of samplers. `sampler` has a name: accesses that it would not have logged are left out, but for
  // those to what is waited for (samplers.h). `counts` has one: how many accesses there are goes into that file
  // (AccessCounts).
  std::string sampler{};
  uint64_t seed = 0;
  const WaitedFor* waited_for = nullptr;
  std::string counts{};
  // Allocation and freeing are synchronization on the pages of the block, and nothing else (LiteRace §4.3).
  bool pages = false;
};

struct AccessCounts {
  uint64_t accesses = 0;   // reads and writes
  uint64_t non_stack = 0;  // of these
  uint64_t logged = 0;     // of all, by the sampler
};
[[nodiscard]] bool read_counts(const std::string& file, AccessCounts& counts);

enum class Outcome : uint8_t {
  kDone,
  kCut,      // up to where the trace is cut: that was said among the findings
  kRefused,  // there is one line in `error`
};
[[nodiscard]] Outcome analyze(const Job& job, std::string& error);

// Why a witness of a race in the trace does not hold; empty: it does. If the trace cannot be read, `error` is one line.
[[nodiscard]] std::string check_witness(const std::string& trace, const Witness& witness, std::string& error);

}  // namespace norn::analyze
