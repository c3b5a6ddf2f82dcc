// What a thread knows to change nothing, laid out for the check that the compiler puts before an access.
//
// The check (docs/design/fastpath.md) loads the cell of the access and looks its history up in a small table of the
// thread: an entry is a generation in the upper half and a history in the lower one, so that a new generation of the
// thread empties all tables at once. The tables of words, half words and bytes differ: an access of some bytes may
// change nothing where one of the whole word does.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace norn {

struct FastTable {
  static constexpr unsigned kEntries = 128;
  // Of reads: a byte at offset 0..3 of its word, two bytes at offset 0..3, a word. Then the same of writes.
  static constexpr unsigned kHalves = 4;
  static constexpr unsigned kWord = 8;
  static constexpr unsigned kWrites = 9;
  static constexpr unsigned kTables = 18;

  // The cell of an access is at (address & mask) ^ base. With a mask of 0 it is at `base`, whatever the address.
  uint64_t mask;
  const void* base;
  uint32_t zero;
  // Changes whenever the outcome of an access may: at every change of time, lockset or clocks. Never 0. Written by
  // the thread while inside the core, by collections, and by whoever wants the thread to look again.
  std::atomic<uint32_t> generation;
  std::atomic<uint64_t> known[kTables][kEntries];

  // Bit 0 is left out: a history takes two units of its store at least.
  static constexpr unsigned entry(uint32_t history) { return history / 2 % kEntries; }
  void know(unsigned table, uint32_t in_generation, uint32_t history) {
    known[table][entry(history)].store(uint64_t{in_generation} << 32 | history, std::memory_order_relaxed);
  }
  [[nodiscard]] bool knows(unsigned table, uint32_t history) const {
    const uint64_t found = known[table][entry(history)].load(std::memory_order_relaxed);
    return (found ^ history) == uint64_t{generation.load(std::memory_order_relaxed)} << 32;
  }
  // The table of accesses to these bytes of a word; negative: such accesses have none.
  static constexpr int table_of(bool write, unsigned mask) {
    constexpr int8_t kTable[16] = {-1, 0,  1,  kHalves + 0, 2,           -1, kHalves + 1, -1,
                                   3,  -1, -1, -1,          kHalves + 2, -1, -1,          8};
    return kTable[mask] < 0 ? -1 : kTable[mask] + (write ? static_cast<int>(kWrites) : 0);
  }
};
static_assert(offsetof(FastTable, generation) == 20 && offsetof(FastTable, known) == 24);

}  // namespace norn
