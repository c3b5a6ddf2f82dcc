#include "report/race_variables.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/string_sink.h"
#include "report/race.h"

namespace norn::report {
namespace {

// Races about one variable have the same; it keeps thousands of others from being compared.
std::string key_of(const Location& location) {
  std::string key(view(name_of(location.kind)));
  if (location.kind != LocationKind::kHeap) return key += view(location.object);
  for (const Frame& frame : location.allocated_at) {
    key += view(frame.function);
    key += std::to_string(frame.line) + ':' + std::to_string(frame.offset) + ';';
  }
  return key;
}

}  // namespace

std::vector<size_t> variables_of(const std::vector<Race>& races) {
  std::map<std::string, std::vector<size_t>> firsts;
  std::vector<size_t> numbers(races.size());
  for (size_t i = 0; i < races.size(); ++i) {
    std::vector<size_t>& known = firsts[key_of(races[i].location)];
    const auto first = std::find_if(known.begin(), known.end(), [&](size_t other) {
      return same_variable(races[i].location, races[other].location);
    });
    if (first == known.end()) {
      known.push_back(i);
      numbers[i] = i;
    } else {
      numbers[i] = *first;
    }
  }
  return numbers;
}

}  // namespace norn::report
