#include "experiment/search/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/hash.h"
#include "base/string_sink.h"

namespace norn::experiment {
namespace {

using schedule::Constraint;
using schedule::ReadsFromPair;

constexpr size_t kMostConstraints = 8;
constexpr const char* kFirstLine = "norn corpus 1";

std::vector<Constraint> parsed(const std::string& text) {
  Constraint constraints[schedule::kMaxConstraints];
  const uint32_t count = schedule::read_constraints(text_of(text), constraints);
  return {constraints, constraints + count};
}

std::string written(const std::vector<Constraint>& constraints) {
  std::string out;
  for (const Constraint& constraint : constraints)
    out += fmt::format("{}{}{:x}>{:x}", out.empty() ? "" : ",", constraint.wanted ? "" : "!", constraint.pair.write,
                       constraint.pair.read);
  return out;
}

// The same for the same set, in any order.
uint64_t shape_of(const std::vector<ReadsFromPair>& pairs) {
  uint64_t shape = 0;
  for (const ReadsFromPair& pair : pairs) shape += hash_well(pair.bits());
  return shape;
}

}  // namespace

uint32_t Corpus::variable_of(uint32_t site) {
  const auto [at, fresh] = parents_.try_emplace(site, site);
  if (fresh) members_[site] = {site};
  uint32_t root = site;
  while (parents_[root] != root) root = parents_[root];
  at->second = root;
  return root;
}

void Corpus::note_pair(ReadsFromPair pair) {
  if (!pairs_.insert(pair.bits()).second) return;
  all_.push_back(pair);
  if (pair.write == 0) return;
  const uint32_t one = variable_of(pair.write), other = variable_of(pair.read);
  if (one == other) return;
  parents_[other] = one;
  std::vector<uint32_t>& members = members_[one];
  members.insert(members.end(), members_[other].begin(), members_[other].end());
  members_.erase(other);
}

unsigned Corpus::add(const std::string& constraints, const std::vector<ReadsFromPair>& pairs) {
  const size_t before = pairs_.size();
  for (const ReadsFromPair& pair : pairs) note_pair(pair);
  const uint64_t shape = shape_of(pairs);
  const bool is_new = ++shapes_[shape] == 1;
  const auto found = static_cast<unsigned>(pairs_.size() - before);
  // Known pairs in a new combination are new, too, but there may be a great many of them.
  constexpr size_t kMostEntries = 4096;
  if (found != 0 || (is_new && entries_.size() < kMostEntries)) entries_.push_back({parsed(constraints), shape});
  return found;
}

// Of three, the one whose pairs were seen most rarely.
const Corpus::Entry& Corpus::choose() {
  const Entry* best = &entries_[below(entries_.size())];
  for (int i = 0; i < 2; ++i) {
    const Entry& other = entries_[below(entries_.size())];
    if (shapes_[other.shape] < shapes_[best->shape]) best = &other;
  }
  return *best;
}

// A read that was seen, from any statement that accesses the same variable: most such pairs were not seen yet.
Constraint Corpus::draw() {
  const ReadsFromPair pair = all_[below(all_.size())];
  Constraint drawn{pair, below(4) != 0};
  if (const auto members = members_.find(variable_of(pair.read)); members != members_.end() && below(2) == 0)
    drawn.pair.write = members->second[below(members->second.size())];
  return drawn;
}

void Corpus::mutate(Constraints& constraints) {
  switch (constraints.empty() ? 0 : below(5)) {
    case 0:
    case 1:
      if (constraints.size() < kMostConstraints) constraints.push_back(draw());
      break;
    case 2:
      constraints[below(constraints.size())] = draw();
      break;
    case 3:
      constraints.erase(constraints.begin() + below(constraints.size()));
      break;
    default: {
      Constraint& negated = constraints[below(constraints.size())];
      negated.wanted = !negated.wanted;
    }
  }
}

std::string Corpus::next() {
  if (all_.empty()) return "";
  Constraints constraints = entries_.empty() ? Constraints() : choose().constraints;
  do mutate(constraints);
  while (below(3) == 0);
  return written(constraints);
}

void Corpus::load(const std::string& path, uint32_t program) {
  std::ifstream stream(path);
  std::string line;
  if (!std::getline(stream, line) || line != fmt::format("{} {:08x}", kFirstLine, program)) return;
  while (std::getline(stream, line)) {
    const std::vector<Constraint> read = parsed(line.substr(std::min<size_t>(line.size(), 2)));
    if (line.starts_with("p ")) {
      for (const Constraint& constraint : read) note_pair(constraint.pair);
    } else if (line.starts_with("s ")) {
      entries_.push_back({read, 0});
    }
  }
}

bool Corpus::save(const std::string& path, uint32_t program) const {
  const std::string other = path + ".new";
  {
    std::ofstream stream(other);
    stream << fmt::format("{} {:08x}\n", kFirstLine, program);
    for (const ReadsFromPair& pair : all_) stream << fmt::format("p {:x}>{:x}\n", pair.write, pair.read);
    for (const Entry& entry : entries_)
      if (!entry.constraints.empty()) stream << "s " << written(entry.constraints) << '\n';
    if (!stream.flush()) return false;
  }
  return std::rename(other.c_str(), path.c_str()) == 0;
}

}  // namespace norn::experiment
