// Every execution of a small program.
//
// A program gives each thread a list of steps. A step is a statement of a script without its thread, or one of
//
//   set FLAG                 writes FLAG, which from now on counts as set
//   until FLAG cv m          while (!FLAG) wait(cv, m);
//   wait cv m                a single wait that stands in no loop
//   spin-until FLAG          while (!FLAG) {}
//   if FLAG STATEMENT        reads FLAG and does the statement if it is set
//
// Locks exclude, waits block until they are signalled, a signal wakes any one of those who wait.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/script/script.h"

namespace norn::oracle {

using Program = std::vector<std::vector<std::string>>;  // steps by thread; thread i is t(i+1), all are roots

enum class Switching {
  kAnywhere,
  kOutsideLocks,  // a thread that holds a lock runs on until it releases it or waits: what a lock protects cannot
                  // tell the difference, and programs of four threads become small enough
};

struct InterleavingOptions {
  Switching switching = Switching::kAnywhere;
  int spurious = 0;  // wake-ups without a signal, over the whole execution
};

struct Interleaving {
  script::Script script;
  bool waited = false;  // somebody entered a wait
};

struct InterleavingCount {
  size_t complete = 0;
  size_t stuck = 0;  // everybody left waits for somebody: a deadlock or a lost wake-up of the program
};

InterleavingCount for_each_interleaving(const Program& program, const InterleavingOptions& options,
                                        const std::function<void(const Interleaving&)>& visit);

// The source documents' programs.
[[nodiscard]] Program figure_6_1();        // a lost signal; also figure 1.7
[[nodiscard]] Program figure_6_3();        // two conditions on one condition variable
[[nodiscard]] Program figure_6_7();        // a wait that stands in no loop
[[nodiscard]] Program figure_7_2();        // a flag; also figure 1.8
[[nodiscard]] Program racefuzzer_fig_1();  // one real and one apparent race

}  // namespace norn::oracle
