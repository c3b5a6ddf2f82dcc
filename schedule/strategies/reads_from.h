// reads-from: schedules chosen by which write each access reads from, after Wolff, Shi, Duck, Mathur, Roychoudhury:
// Greybox Fuzzing for Concurrency Testing (ASPLOS 2024, "RFF").
//
// A run is described by its reads-from pairs: the statement that wrote a location last, and the statement that accesses
// it next. The runtime reports the pairs of each run (ReadsFromPairs, in the outcome). Whoever starts the runs asks for
// pairs that were not seen yet: a Constraint says that the reader is to read from the writer once, or is not to. The
// strategy keeps to the constraints as far as that is possible, and is pos (schedule/strategies/pos.h) for the rest.
//
// Deviations: statements stand for events, since an event has no name that another schedule knows; a wanted pair is
// satisfied by its first instance. A lock's acquisition and an atomic operation count as accesses that write, so that
// orders of critical sections are pairs, too.
#pragma once

#include "base/text.h"
#include "schedule/strategies/pos.h"

namespace norn::schedule {

// Statements by the low halves of their identities. 0: the beginning of the program wrote it.
struct ReadsFromPair {
  uint32_t write = 0;
  uint32_t read = 0;

  [[nodiscard]] constexpr bool is_none() const { return write == 0 && read == 0; }
  [[nodiscard]] constexpr uint64_t bits() const { return uint64_t{write} << 32 | read; }
  friend constexpr bool operator==(const ReadsFromPair&, const ReadsFromPair&) = default;
};

struct Constraint {
  ReadsFromPair pair;
  bool wanted = true;
};
inline constexpr uint32_t kMaxConstraints = 32;

// Reads "a1>b2,!c3>d4" (hex; `!`: not wanted). How many; what does not fit or is no constraint ends it.
uint32_t read_constraints(Text list, Constraint (&constraints)[kMaxConstraints]);

// Who wrote each location last: as many as there is room for, the newer instead of the older.
class LastWrites {
 public:
  [[nodiscard]] uint32_t site_of(uint64_t address) const {
    const Entry& entry = entries_[index_of(address)];
    return entry.address == address ? entry.site : 0;
  }
  void note(const Step& step) {
    if (step.writes && step.address != 0) entries_[index_of(step.address)] = {step.address, step.site};
  }
  [[nodiscard]] ReadsFromPair pair_of(const Step& step) const { return {site_of(step.address), step.site}; }

 private:
  struct Entry {
    uint64_t address = 0;
    uint32_t site = 0;
  };
  static constexpr uint32_t kBits = 12;
  static uint32_t index_of(uint64_t address);

  Entry entries_[1u << kBits] = {};
};

// The pairs of a run, each once, as far as there is room.
class ReadsFromPairs {
 public:
  static constexpr uint32_t kRoom = 4096;

  void add(ReadsFromPair pair);
  [[nodiscard]] const ReadsFromPair* begin() const { return pairs_; }
  [[nodiscard]] const ReadsFromPair* end() const { return pairs_ + kRoom; }

 private:
  static constexpr uint32_t kTries = 16;
  ReadsFromPair pairs_[kRoom] = {};  // some are none
};

class ReadsFrom final : public Pos {
 public:
  ReadsFrom(uint64_t seed, const Constraint* constraints, uint32_t count);

  uint32_t choose(const Enabled& enabled) override;

 private:
  enum Rank : uint8_t { kHeldBack, kNeutral, kPreferred };
  [[nodiscard]] Rank rank_of(const Enabled& enabled, const Step& step) const;
  [[nodiscard]] static bool is_pending(const Enabled& enabled, uint32_t site, uint64_t address, uint32_t besides);

  Constraint constraints_[kMaxConstraints];
  uint32_t count_ = 0;
  LastWrites writes_;
};

}  // namespace norn::schedule
