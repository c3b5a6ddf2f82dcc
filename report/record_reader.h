// Reads findings files (the format is specified in record.h), merges what the processes of a run recorded, and reads
// reports (json.h).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_sink.h"
#include "report/race.h"
#include "report/text_report.h"

namespace norn::report {

using norn::text_of;

template <class T>
[[nodiscard]] List<T> list_of(const std::vector<T>& items) {
  return {items.data(), items.size()};
}

// Owns what the views of a report point to.
class Pool {
 public:
  Text keep(std::string_view text) { return text.empty() ? Text() : text_of(texts_.emplace_back(text)); }
  template <class T>
  List<T> keep(std::vector<T> items) {
    auto kept = std::make_shared<std::vector<T>>(std::move(items));
    lists_.push_back(kept);
    return list_of(*kept);
  }

 private:
  std::deque<std::string> texts_;  // a deque: what was handed out stays where it is
  std::vector<std::shared_ptr<void>> lists_;
};

// What a run found. A race that several processes (or several files) saw is there once: its counts are summed, and it
// stands as strongly as it does anywhere. Races are sorted for reading, so that the same findings always make the same
// report.
struct Findings {
  Pool pool;
  RunSummary run;  // of the first process; its stats are those of all, its notes too
  std::vector<Race> races;
  std::vector<Hazard> hazards;           // by id, each once
  std::vector<Hazard> accepted_hazards;  // those that do not count (norn accept); reports leave them out
  std::vector<Race> flags;               // what was taken for a flag; likewise
  size_t processes = 0;
  // Processes that began and did not say how they ended: they were killed, or go on.
  std::vector<uint32_t> unended;
  bool first_ended = false;     // the first process said how it ended
  bool became_another = false;  // its last word was that it becomes another program, which said nothing
  uint64_t lost = 0;            // races that could not be recorded

  Findings() = default;
  Findings(Findings&&) noexcept = default;
  Findings& operator=(Findings&&) = default;
  Findings(const Findings&) = delete;  // the views would point into the other one's pool
  Findings& operator=(const Findings&) = delete;

  // What a confirmation showed of the race or hazard with that id; false if there is none. The texts are not copied.
  bool add(std::string_view id, const Confirmation& confirmation);
  // What the race or flag with that id does; likewise.
  bool add(std::string_view id, const Classification& classification);
  [[nodiscard]] RaceCounts counts() const;
  // A run under control stood still.
  [[nodiscard]] bool deadlocked() const;
};

// Strongest standing first, then as they were found, so that a cause (a pointer that is read without order) comes
// before its consequences (what it points to); the suppressed ones last.
void sort_for_reading(std::vector<Race>& races);

// What write_met() wrote.
void read_met(std::string_view text, Confirmation& confirmation);

struct FindingsFile {
  std::string name;  // for messages
  std::string contents;
};

// Nothing and one line in `error` if a file is not a findings file. A last line that was cut off is no error.
[[nodiscard]] std::optional<Findings> merge_findings(const std::vector<FindingsFile>& files, std::string& error);

// What a JSON report says, as far as it has it. Nothing and one line in `error` if it is none.
[[nodiscard]] std::optional<Findings> read_report(const std::string& text, std::string& error);

}  // namespace norn::report
