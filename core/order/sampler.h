// Which executions of a piece of code are looked at: the thread-local adaptive bursty sampler of LiteRace (Marino,
// Musuvathi and Narayanasamy, PLDI 2009, §3.4 and table 3).
//
// A thread has one of these for each region of code. It looks at the first ten executions, then at ten of a hundred, of
// a thousand, and of each ten thousand from there on, always ten in a row: races are where a thread has seldom been,
// and two accesses that belong together are seen together.
#pragma once

#include <stdint.h>

namespace norn {

struct Sampler {
  static constexpr unsigned kBurst = 10;
  static constexpr int32_t kPauses[] = {90, 990, 9990};  // rates of 10 %, 1 % and 0.1 %

  int32_t left = 0;    // executions that nobody looks at, still to come
  uint16_t burst = 0;  // how many were looked at in a row
  uint16_t level = 0;  // which pause is the next

  // Whether the execution that begins is looked at. To be asked of each; a caller that counts `left` down itself asks
  // only once that is below zero.
  bool next() { return --left < 0 && ask(); }

  bool ask() {
    left = 0;
    if (burst < kBurst) {
      ++burst;
      return true;
    }
    burst = 0;
    left = kPauses[level] - 1;
    if (level + 1u < sizeof(kPauses) / sizeof(kPauses[0])) ++level;
    return false;
  }
};
static_assert(sizeof(Sampler) == 8);

}  // namespace norn
