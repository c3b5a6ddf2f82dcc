// Which loops wait for other threads, and by which of their exits (thesis §7.2, algorithm 3; docs/design/loops.md).
//
// A loop is given in a neutral form, whoever sees it (the compiler in LLVM's IR, the Valgrind front end in VEX): its
// blocks, and its values in static single assignment. What is computed outside the loop does not appear at all. Each
// exit is judged by itself. It *spins* if
//
//   - its condition depends on shared memory, through at least one read;
//   - none of what it reads is written in the loop;
//   - nothing else that it depends on, the addresses read included, is carried from one iteration to the next;
//   - what it reads decides, and no more: a value that is used for something else as well is data, and so is what a
//     condition reads plainly beside an atomic.
//
// So `while (!flag) work();` spins however much it works, and a list walk, a search or a count never does.
//
// Deviations from the thesis: it judges a loop as a whole; here an exit by the flag is told from an exit by a counter.
// It gives up where the condition is a copy (figure 7.10); here copies are followed, and what chooses among them.
//
// Freestanding; memory comes from the caller.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <span>

namespace norn::loops {

using Index = uint32_t;
inline constexpr Index kNone = ~Index{0};

enum class Kind : uint8_t {
  kCompute,     // follows from its operands
  kSelect,      // a copy of one of its operands but the first, which decides
  kMerge,       // a copy of one of its operands, decided by the way that control came (a phi)
  kRead,        // of shared memory; operands: what its address follows from
  kTestAndSet,  // an atomic that reads `location` and stores there what does not change; operands as of a read
  kAccessor,    // a call that only reads memory; operands: its arguments
  kUnresolved,  // a call of something that is known at run time only; operands: its arguments
  kTryLock,     // whether a lock could be taken; operands: what its address follows from
  kWait,        // what a wait for a condition variable said
  kChange,      // anything that may be another one each time: private memory, a call with effects
};

struct Value {
  Kind kind = Kind::kCompute;
  Index block = 0;
  Index first_operand = 0;  // in Loop::operands
  Index operand_count = 0;
  Index location =
      kNone;  // of a read, a test-and-set or a call: where. Equal places have equal numbers; kNone is like no other
  // Of a read or a call, as far as the front end can tell.
  bool reads_plainly = false;   // memory that is neither volatile nor atomic
  bool reads_atomics = false;   // by their loads
  bool used_otherwise = false;  // what was read plainly goes elsewhere, too, and not into decisions only
};

struct Block {
  Index first_successor = 0;  // in Loop::successors
  Index successor_count = 0;
  Index guard =
      kNone;  // the value that decides among them; kNone: it is not of the loop, or there is nothing to decide
};

// Block 0 is the header: the only one that is entered from outside.
struct Loop {
  std::span<const Value> values;
  std::span<const Index> operands;  // numbers of values
  std::span<const Block> blocks;
  std::span<const Index> successors;  // numbers of blocks; kNone: outside
  std::span<const Index> written;     // locations that the loop writes
};

// One reason to leave: where `condition`, evaluated in `block`, says so.
struct Exit {
  Index block = 0;
  Index condition = kNone;
};

enum class Verdict : uint8_t {
  kSpins,
  kReadsNothing,  // a constant, a counter that never moves, a loop without a condition
  kChanges,       // depends on what the loop itself changes
  kWritten,       // depends on memory that the loop writes
  kTimesOut,      // depends on what a wait said
  kData,          // depends on data: on more than whether it has changed
  kFails,         // leads to a failure: nobody waits for that
};

struct Judgement {
  Verdict verdict = Verdict::kReadsNothing;
  Index because = kNone;      // the value that spoiled it
  uint32_t blocks = 0;        // how many blocks the condition is spread over
  bool reads_memory = false;  // at all, whatever the verdict
  bool resolved = true;       // false: what it reads is known only when a call was made
};

// How many words of scratch memory judge() needs.
[[nodiscard]] size_t scratch_words(const Loop& loop);

// `in_condition` has a place for each value; those that the condition depends on are set there.
[[nodiscard]] Judgement judge(const Loop& loop, const Exit& exit, std::span<uint32_t> scratch,
                              std::span<bool> in_condition);

// The verdict in words, to follow "exit at file:line".
[[nodiscard]] const char* words(Verdict verdict);

}  // namespace norn::loops
