#include "analyze/parts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/string_sink.h"
#include "report/record.h"

namespace norn::analyze {
namespace {

// When a race was found: of what one event makes, the lowest address is first.
struct Moment {
  uint64_t position = ~uint64_t{0};
  uint64_t address = ~uint64_t{0};
  auto operator<=>(const Moment&) const = default;
};

struct Found {
  Moment moment;
  int standing = -1;
  int counted = 0;  // its standing where it was counted: what a process found before it forked has no record here
  uint64_t count = 0;
  std::string record;
};

std::string count_record(const std::string& id, const Found& found, uint32_t pid) {
  report::Race race;
  const size_t size = std::min(id.size(), sizeof(race.id.hex) - 1);
  std::memcpy(race.id.hex, id.data(), size);
  race.id.hex[size] = 0;
  race.count = found.count;
  race.detection =
      std::max(found.standing, found.counted) == 0 ? report::Detection::kPredicted : report::Detection::kObserved;
  std::string line;
  report::write_count(race, pid, string_sink(line));
  return line;
}

}  // namespace

bool merge_parts(const std::vector<std::string>& parts, const std::string& findings, uint32_t pid,
                 const std::string& lacking, std::string& error) {
  std::map<std::string, Found> races;
  std::set<std::string> notes;
  std::string begin;
  std::string end;
  for (const std::string& part : parts) {
    const bool is_first = &part == parts.data();
    std::ifstream in(part);
    std::string line;
    while (std::getline(in, line)) {
      if (line.size() < 2) continue;
      const std::string rest = line.substr(2);
      std::istringstream words(rest);
      switch (line[0]) {
        case 'S':
        case 'H':
          if (is_first) begin += rest + '\n';
          break;
        case 'E':
          if (is_first) end += rest + '\n';
          break;
        case 'N':
          if (notes.insert(rest).second) begin += rest + '\n';
          break;
        case 'R': {
          Moment moment;
          int standing = 0;
          std::string id;
          words >> moment.position >> moment.address >> standing >> id;
          Found& found = races[id];
          // The strongest counts, and of these what came first.
          if (standing < found.standing || (standing == found.standing && moment >= found.moment)) break;
          found.standing = standing;
          found.moment = moment;
          std::getline(words >> std::ws, found.record);
          break;
        }
        case 'C': {
          std::string id;
          int standing = 0;
          uint64_t count = 0;
          words >> id >> standing >> count;
          races[id].count += count;
          races[id].counted = std::max(races[id].counted, standing);
          break;
        }
        default:
          break;
      }
    }
  }
  std::vector<const std::pair<const std::string, Found>*> order;
  for (const auto& race : races)
    if (!race.second.record.empty()) order.push_back(&race);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->second.moment < b->second.moment; });
  std::string text = begin;
  for (const auto* race : order) text += race->second.record + '\n';
  for (const auto& [id, found] : races)
    if (found.count != 0) text += count_record(id, found, pid);
  if (lacking.empty()) {
    text += end;
  } else {
    report::write_note(text_of(lacking), pid, string_sink(text));
  }
  const int fd = open(findings.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  if (!written) error = findings + " cannot be written";
  return written;
}

}  // namespace norn::analyze
