// What the schedules of a program have shown so far, and which to try next: the feedback of the strategy reads-from
// (schedule/strategies/reads_from.h).
//
// The corpus keeps the constraints of each schedule that showed a new pair, and how often each set of pairs was seen.
// The next schedule is one of them with a constraint added, changed or left out; the rarer what it showed, the sooner
// it is taken (RFF's power schedule). It can be kept in a file, so that the next search begins where this one ended.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "schedule/strategies/reads_from.h"

namespace norn::experiment {

class Corpus {
 public:
  explicit Corpus(uint64_t seed) : random_(seed) {}

  // A run with these constraints showed these pairs. How many of them no run before did.
  unsigned add(const std::string& constraints, const std::vector<schedule::ReadsFromPair>& pairs);
  // Constraints of a schedule to try, as the option `guide` has them.
  [[nodiscard]] std::string next();

  [[nodiscard]] size_t pairs() const { return pairs_.size(); }
  [[nodiscard]] size_t schedules() const { return entries_.size(); }

  // A file of another program, or a broken one, is as good as none.
  void load(const std::string& path, uint32_t program);
  [[nodiscard]] bool save(const std::string& path, uint32_t program) const;

 private:
  using Constraints = std::vector<schedule::Constraint>;
  struct Entry {
    Constraints constraints;
    uint64_t shape = 0;  // of the pairs that it showed
  };

  [[nodiscard]] uint32_t below(size_t n) { return static_cast<uint32_t>(random_() % n); }
  const Entry& choose();
  void mutate(Constraints& constraints);
  [[nodiscard]] schedule::Constraint draw();
  void note_pair(schedule::ReadsFromPair pair);
  [[nodiscard]] uint32_t variable_of(uint32_t site);

  std::mt19937_64 random_;
  std::set<uint64_t> pairs_;
  std::vector<schedule::ReadsFromPair> all_;
  std::vector<Entry> entries_;
  std::map<uint64_t, unsigned> shapes_;  // how often each was seen
  // Statements that access a common location, as far as pairs show it: a forest, by statement.
  std::map<uint32_t, uint32_t> parents_;
  std::map<uint32_t, std::vector<uint32_t>> members_;  // of each root
};

}  // namespace norn::experiment
