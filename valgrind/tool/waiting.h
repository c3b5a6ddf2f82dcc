// SPDX-License-Identifier: GPL-2.0-or-later
// Loops that wait, as the program runs: what the instrumented code says of them, and what becomes of it. The same as
// runtime/hooks/loop_hooks.h: the reads of a condition are kept, by exit, and count when the loop is left.
#pragma once

#include "valgrind/tool/tool_state.h"

namespace norn::vg {

// An exit that spins, or a loop around a wait; kept for ever.
struct WaitingLoop {
  static constexpr uint32_t kSpins = 1;
  static constexpr uint32_t kWaits = 2;  // with kSpins: the exit of a loop that waits on a condition variable too
  static constexpr uint32_t kLocks = 4;  // the loop may take or give up locks as it goes round
  static constexpr unsigned kShown = 4;
  uint32_t kind;
  uint32_t blocks;
  Address at;             // the instruction that decides
  Address shown[kShown];  // what is waited for, as far as it has an address of its own; 0: nothing more
  const char* graph;      // nodes and edges for graphviz, with '%' for the loop's number; null: not asked for
  WaitingLoop* next;
};

// How a value is found again in the state of the processor: what a register holds (none: 0) plus an offset; then, as
// often as it says, what memory holds there plus another.
struct Recipe {
  static constexpr unsigned kMostSteps = 6;
  Int register_offset;  // in the guest's state; negative: none
  unsigned steps;       // 0: it cannot be found
  int64_t offsets[kMostSteps];
};

// Of each thread: what a condition read, or (of no size) a lock that it could not have.
struct SpinRead {
  const WaitingLoop* exit;
  Address ip;
  Address address;
  uint32_t size;
  uint32_t part;   // the call of the condition that read it; 0: the loop itself
  bool outdated;   // read by an evaluation before the last one of that call
  bool emitted;    // the core knows that somebody waits for it
  uint64_t value;  // what was read last, of the first 8 bytes
};

struct LoopState {
  static constexpr unsigned kReads = 32;
  SpinRead reads[kReads];
  uint32_t count;
  const WaitingLoop* spinning;  // the exit whose condition is being evaluated by a call
  uint32_t part;
  Address spinning_sp;         // the stack pointer of that call
  const WaitingLoop* waiting;  // the wait under way
  bool alone;
  const WaitingLoop* waited;  // and the last one, with its condition variable
  Address condition;
};

// A loop was found.
void add_loop(WaitingLoop* loop);
void finish_loops();

// Whether the exit waits by spinning: its reads are no accesses.
bool is_spin(const WaitingLoop& exit);
bool is_ordered_by_reads(const WaitingLoop& exit);

// Of a read, in one word.
struct ReadFlags {
  Address word;
  static constexpr Address make(uint64_t size, bool atomic, bool sweeps) {
    return size << 2 | (atomic ? 2u : 0u) | (sweeps ? 1u : 0u);
  }
  [[nodiscard]] uint64_t size() const { return word >> 2; }
  [[nodiscard]] bool atomic() const { return (word & 2) != 0; }  // the instruction is the C++ library's atomics'
  [[nodiscard]] bool sweeps() const { return (word & 1) != 0; }  // it reads more than one place in one evaluation
};

// Called by the program's code.
void on_spin_read(Address address, ReadFlags flags, Address ip, const WaitingLoop* exit);
void on_spin_begin(const WaitingLoop* exit, Address part, Address sp);
void on_spin_end();
void on_spin_leave(const WaitingLoop* exit);
void on_wait_begin(const WaitingLoop* loop, Address alone);
void on_wait_end();
void on_wait_leave(const WaitingLoop* loop, const Recipe* condition, const uint8_t* guest);
void on_test_and_set(Address address, Address size_and_done, Address ip, const WaitingLoop* exit);

// While a condition is being evaluated: a read, or an atomic, of the functions it calls.
void note_called_read(ThreadState& self, Address address, ReadFlags flags, Address ip);

// The same, of a lock that could not be had.
void note_refusal(ThreadState& self, Address lock);

// Whether the thread's wait stands in a loop whose leaving will be emitted, with nothing but its condition after it.
bool waits_in_loop(ThreadState& self, Address condition);

}  // namespace norn::vg
