#include "schedule/strategies/reads_from.h"

#include "base/hash.h"

namespace norn::schedule {
namespace {

// The hex number at the list's beginning, which is taken off. False: there is none.
bool take_number(Text& list, uint32_t& number) {
  size_t digits = 0;
  number = 0;
  for (; digits < list.size && digits < 8; ++digits) {
    const char c = list[digits];
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) break;
    number = number << 4 | static_cast<uint32_t>(is_digit ? c - '0' : c - 'a' + 10);
  }
  list = list.part(digits);
  return digits != 0;
}

bool take_sign(Text& list, char sign) {
  if (list.empty() || list[0] != sign) return false;
  list = list.part(1);
  return true;
}

}  // namespace

uint32_t read_constraints(Text list, Constraint (&constraints)[kMaxConstraints]) {
  uint32_t count = 0;
  while (count < kMaxConstraints) {
    Constraint constraint;
    constraint.wanted = !take_sign(list, '!');
    if (!take_number(list, constraint.pair.write) || !take_sign(list, '>')) break;
    if (!take_number(list, constraint.pair.read)) break;
    constraints[count++] = constraint;
    if (!take_sign(list, ',')) break;
  }
  return count;
}

uint32_t LastWrites::index_of(uint64_t address) { return static_cast<uint32_t>(hash_word(address) >> (64 - kBits)); }

void ReadsFromPairs::add(ReadsFromPair pair) {
  if (pair.read == 0) return;
  const auto first = static_cast<uint32_t>(hash_word(pair.bits()) >> 32);
  for (uint32_t i = 0; i < kTries; ++i) {
    ReadsFromPair& at = pairs_[(first + i) % kRoom];
    if (at == pair) return;
    if (!at.is_none()) continue;
    at = pair;
    return;
  }
}

ReadsFrom::ReadsFrom(uint64_t seed, const Constraint* constraints, uint32_t count) : Pos(seed) {
  for (; count_ < count && count_ < kMaxConstraints; ++count_) constraints_[count_] = constraints[count_];
}

bool ReadsFrom::is_pending(const Enabled& enabled, uint32_t site, uint64_t address, uint32_t besides) {
  for (uint32_t i = 0; i < enabled.count; ++i) {
    const Step& step = enabled[i];
    if (step.thread != besides && step.site == site && step.address == address) return true;
  }
  return false;
}

ReadsFrom::Rank ReadsFrom::rank_of(const Enabled& enabled, const Step& step) const {
  if (step.idle) return kHeldBack;  // it may wait for one of those
  if (step.address == 0 || step.site == 0) return kNeutral;
  const ReadsFromPair now = writes_.pair_of(step);
  Rank rank = kNeutral;
  for (uint32_t i = 0; i < count_; ++i) {
    const auto& [pair, wanted] = constraints_[i];
    if (pair.read == step.site) {
      if (!wanted && now.write == pair.write) return kHeldBack;
      if (wanted) return now.write == pair.write ? kPreferred : kHeldBack;
    }
    if (!step.writes) continue;
    const bool stands = is_pending(enabled, pair.read, step.address, step.thread);
    if (step.site == pair.write) {
      // The writer comes right before its reader; one that is not wanted, as late as can be.
      if (!wanted || !stands) return kHeldBack;
      rank = kPreferred;
    } else if (wanted && stands && now.write == pair.write) {
      return kHeldBack;  // nobody else comes between
    }
  }
  return rank;
}

uint32_t ReadsFrom::choose(const Enabled& enabled) {
  Rank highest = kHeldBack;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    const Rank rank = rank_of(enabled, enabled[i]);
    if (rank > highest) highest = rank;
  }
  const uint32_t chosen = highest_of(enabled, [&](const Step& step) { return rank_of(enabled, step) == highest; });
  const Step& step = enabled[chosen];
  const ReadsFromPair pair = writes_.pair_of(step);
  for (uint32_t i = 0; i < count_; ++i) {
    if (!constraints_[i].wanted || !(constraints_[i].pair == pair)) continue;
    constraints_[i] = constraints_[--count_];
    break;
  }
  writes_.note(step);
  return chosen;
}

}  // namespace norn::schedule
