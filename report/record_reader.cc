#include "report/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "report/model.h"
#include "report/record.h"

namespace norn::report {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLine = size_t{4} << 20;  // the writers' lines are far shorter
constexpr double kMostMicros = 1e18;           // far more than a run takes, and still a number of 64 bits

// ---- fields: what is absent or of another type stays as it was ----

const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string_view string_of(const Json& json) {
  return json.is_string() ? std::string_view(json.get_ref<const std::string&>()) : std::string_view();
}
std::string_view string_of(const Json& object, std::string_view name) {
  const Json* value = member(object, name);
  return value == nullptr ? std::string_view() : string_of(*value);
}

// Numbers, and the strings "0x…" that stand for large ones.
uint64_t number_of(const Json& json) {
  if (json.is_number_unsigned()) return json.get<uint64_t>();
  if (json.is_number_integer()) return static_cast<uint64_t>(json.get<int64_t>());
  if (json.is_string()) return std::strtoull(json.get_ref<const std::string&>().c_str(), nullptr, 0);
  return 0;
}
uint64_t number_of(const Json& object, std::string_view name) {
  const Json* value = member(object, name);
  return value == nullptr ? 0 : number_of(*value);
}

// An archive of report/model.h.
class Reader {
 public:
  Reader(const Json& object, Pool& pool, Where form) : object_(object), pool_(pool), form_(form) {}

  template <class T>
  void field(Text name, T&& value, unsigned where = kBoth) {
    if ((where & form_) == 0) return;
    if (const Json* json = member(object_, view(name)); json != nullptr) read(*json, value);
  }
  template <class T>
  void optional(Text name, bool& has, T&& value, unsigned where) {
    if ((where & form_) == 0) return;
    has = member(object_, view(name)) != nullptr;
    field(name, value, where);
  }
  template <class T>
  void derived(Text /*name*/, const T& /*value*/) {}
  // Older reports have only the derived word.
  void field(Text name, DetectionFact<Detection> fact, unsigned where) {
    if ((where & form_) == 0) return;
    if (const Json* json = member(object_, view(name)); json != nullptr && json->is_object()) return read(*json, fact);
    const std::string_view word = string_of(object_, "standing");
    fact.standing = word == "observed" || word == "confirmed" ? Detection::kObserved
                    : word == "proved"                        ? Detection::kProved
                    : word == "static"                        ? Detection::kStatic
                                                              : Detection::kPredicted;
  }

 private:
  void read(const Json& json, Text& text) const { text = pool_.keep(string_of(json)); }
  static void read(const Json& json, bool& flag) { flag = json.is_boolean() && json.get<bool>(); }
  static void read(const Json& json, uint64_t& number) { number = number_of(json); }
  static void read(const Json& json, uint32_t& number) { number = static_cast<uint32_t>(number_of(json)); }
  static void read(const Json& json, int32_t& number) { number = static_cast<int32_t>(number_of(json)); }
  static void read(const Json& json, RaceId& id) {
    const std::string_view hex = string_of(json);
    if (hex.size() < sizeof(id.hex)) std::copy(hex.begin(), hex.end(), id.hex);
  }
  static void read(const Json& json, AsHex<uint64_t> number) { read(json, number.value); }
  static void read(const Json& json, AsHex<uint32_t> number) { read(json, number.value); }
  static void read(const Json& json, AsSeconds<uint64_t> time) {
    if (!json.is_number()) return;
    const double micros = json.get<double>() * 1e6;
    if (micros > 0 && micros < kMostMicros) time.micros = static_cast<uint64_t>(std::llround(micros));
  }
  void read(const Json& json, OrNull<Text> text) const { read(json, text.text); }
  template <class T>
  void read(const Json& json, Shown<T> value) const {
    read(json, value.stored);
  }
  template <class T>
  void read(const Json& json, T& value) const {
    if constexpr (std::is_enum_v<T>) {
      for (size_t i = 0; i < count_of(value); ++i)
        if (view(name_of(static_cast<T>(i))) == string_of(json)) value = static_cast<T>(i);
    } else {
      Reader reader(json, pool_, form_);
      describe(reader, value);
    }
  }
  // A report has what people call it.
  void read(const Json& json, LockHeld& lock) const {
    if (!json.is_string()) return read<LockHeld>(json, lock);
    if (string_of(json).starts_with("0x")) return read(json, lock.address);
    read(json, lock.name);
  }

  template <class T>
  void read(const Json& json, std::vector<T>& items) const {
    constexpr bool kIsString = std::is_same_v<T, Text> || std::is_same_v<T, uint64_t>;
    if (!json.is_array()) return;
    for (const Json& item : json)
      if (!kIsString || item.is_string()) read(item, items.emplace_back());
  }
  template <class T>
  void read(const Json& json, List<T>& list) const {
    std::vector<T> items;
    read(json, items);
    list = pool_.keep(std::move(items));
  }
  void read(const Json& json, List<NamedCount>& counts) const {
    std::vector<NamedCount> items;
    if (!json.is_object()) return;
    for (const auto& [name, value] : json.items())
      if (value.is_number_unsigned()) items.push_back({pool_.keep(name), value.get<uint64_t>()});
    counts = pool_.keep(std::move(items));
  }
  template <class T, size_t N>
  void read(const Json& json, T (&items)[N]) const {
    for (size_t i = 0; json.is_array() && i < json.size() && i < N; ++i) read(json[i], items[i]);
  }

  const Json& object_;
  Pool& pool_;
  Where form_;
};

bool has_two_accesses(const Json& race) {
  const Json* accesses = member(race, "accesses");
  return accesses != nullptr && accesses->is_array() && accesses->size() == 2;
}

// False if it is not a race one could show.
bool read_race(const Json& json, Pool& pool, Race& race) {
  if (!has_two_accesses(json) || member(json, "location") == nullptr) return false;
  race.detection = Detection::kObserved;
  race.count = 0;
  Reader reader(json, pool, kRecord);
  describe(reader, race);
  return !race.id.text().empty();
}

bool read_hazard(const Json& json, Pool& pool, Hazard& hazard) {
  Reader reader(json, pool, kRecord);
  describe(reader, hazard);
  if (has_happened(hazard.kind)) hazard.detection = Detection::kObserved;
  return !hazard.id.text().empty() && !hazard.steps.empty() && (has_happened(hazard.kind) || !hazard.sites.empty());
}

bool read_confirmation(const Json& json, Pool& pool, RaceId& id, Confirmation& confirmation) {
  constexpr uint64_t kMostRuns = uint64_t{1} << 32;  // they are added up
  Reader reader(json, pool, kRecord);
  describe_confirmation(reader, id, confirmation);
  return !id.text().empty() && confirmation.tried() && confirmation.runs <= kMostRuns &&
         confirmation.confirmed <= confirmation.runs;
}

bool read_classification(const Json& json, Pool& pool, RaceId& id, Classification& classification) {
  Reader reader(json, pool, kRecord);
  describe_classification(reader, id, classification);
  return !id.text().empty() && classification.known();
}

// ---- merging ----

class Merger {
 public:
  explicit Merger(Findings& findings) : findings_(findings) {}

  // False: not a findings file.
  bool file(const FindingsFile& file, std::string& error) {
    image_of_.clear();
    size_t records = 0, number = 0, start = 0;
    while (start < file.contents.size()) {
      size_t end = file.contents.find('\n', start);
      const bool cut = end == std::string::npos;
      if (cut) end = file.contents.size();
      const std::string_view line(file.contents.data() + start, end - start);
      start = end + 1;
      ++number;
      if (line.empty()) continue;
      Json json = parse(line);
      if (json.is_discarded()) {
        if (cut && records > 0) {
          truncated_ = true;
          break;
        }
        // A process that was killed while it wrote leaves half a line; the next record of another process follows.
        const size_t next = line.rfind("{\"record\":");
        if (records > 0 && next != std::string_view::npos && next > 0) json = parse(line.substr(next));
        if (json.is_discarded()) {
          if (records == 0) {
            if (cut && line.starts_with("{\"record\":")) {  // killed while it wrote its very first line
              truncated_ = true;
              break;
            }
            error = fmt::format("{}: not a file of norn's findings", file.name);
            return false;
          }
          ++damaged_;
          continue;
        }
        ++damaged_;
      }
      const uint64_t version = number_of(json, "norn");
      if (version > kRecordVersion) {
        error = fmt::format("{}:{}: written by a newer norn (format {}); this one reads format {}", file.name, number,
                            version, kRecordVersion);
        return false;
      }
      record(json);
      ++records;
    }
    return true;
  }

  void finish() {
    RunSummary& run = findings_.run;
    for (auto& [id, entry] : races_) {
      Race& race = entry.race;
      race.count = 0;
      for (const auto& [image, count] : entry.counts) race.count += count;
      findings_.races.push_back(race);
    }
    for (const auto& [id, hazard] : hazards_) findings_.hazards.push_back(hazard);
    for (const auto& [id, flag] : flags_) findings_.flags.push_back(flag);
    for (const auto& [id, confirmation] : confirmations_) findings_.add(id, confirmation);
    for (const auto& [id, classification] : classifications_) findings_.add(id, classification);
    sort_for_reading(findings_.races);
    add_all_figures();
    describe_ends();
    std::vector<NamedCount> sync;
    sync.reserve(sync_.size());
    for (const auto& [name, count] : sync_) sync.push_back({findings_.pool.keep(name), count});
    run.stats.sync = findings_.pool.keep(std::move(sync));
    if (damaged_ > 0)
      notes_.push_back(fmt::format("{} in the findings passed over",
                                   damaged_ == 1 ? "a damaged line" : fmt::format("{} damaged lines", damaged_)));
    if (truncated_)
      notes_.push_back("the findings end in the middle of a record: the program was killed, or the disk is full");
    std::vector<Text> notes;
    notes.reserve(notes_.size());
    for (const std::string& note : notes_) notes.push_back(findings_.pool.keep(note));
    run.notes = findings_.pool.keep(std::move(notes));
    findings_.processes = images_.size();
  }

 private:
  // What a process was between two execs.
  struct Image {
    uint32_t pid = 0;
    bool ended = false;
    bool becomes_another = false;
    Stats stats{};
    std::optional<size_t> became{};  // by exec
  };
  struct Entry {
    Race race;
    std::map<size_t, uint64_t> counts;  // by process image
  };

  // A record of norn's, or something discarded.
  static Json parse(std::string_view line) {
    if (line.size() > kMostLine) return Json(Json::value_t::discarded);
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_discarded() && string_of(json, "record").empty()) return Json(Json::value_t::discarded);
    return json;
  }

  void note(std::string_view text) {
    if (text.empty() || std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return;
    notes_.emplace_back(text);
  }

  size_t image(uint64_t pid) {
    const auto [found, is_new] = image_of_.try_emplace(pid, images_.size());
    if (is_new) images_.push_back({.pid = static_cast<uint32_t>(pid)});
    return found->second;
  }

  void start_image(uint64_t pid) {
    const auto before = image_of_.find(pid);
    const std::optional<size_t> becomes =
        before == image_of_.end() ? std::nullopt : std::optional<size_t>(before->second);
    if (becomes) image_of_.erase(before);  // an exec: the same pid, another image
    const size_t now = image(pid);
    if (becomes) images_[*becomes].became = now;
  }

  void record(const Json& json) {
    const std::string_view kind = string_of(json, "record");
    const uint64_t pid = number_of(json, "pid");
    Pool& pool = findings_.pool;
    if (kind == "start") {
      start_image(pid);
      if (image(pid) != 0) return;
      findings_.run.pid = static_cast<uint32_t>(pid);
      Reader reader(json, pool, kRecord);
      describe_start(reader, findings_.run);
    } else if (kind == "race") {
      Race race;
      if (!read_race(json, pool, race)) return count_damaged();
      const auto [found, is_new] = races_.try_emplace(std::string(view(race.id.text())));
      Entry& entry = found->second;
      if (is_new) {
        race.rank = races_.size();
        entry.race = race;
      } else if (race.detection > entry.race.detection) {
        // The pair that was seen later proves more: its stacks are the ones to show.
        race.rank = entry.race.rank;
        entry.race = race;
      }
      entry.counts[image(pid)] = race.count;
    } else if (kind == "count") {
      Race seen{.detection = member(json, "standing") == nullptr ? Detection::kPredicted : Detection::kObserved,
                .count = 0};
      Reader reader(json, pool, kRecord);
      describe_count(reader, seen);
      const auto found = races_.find(std::string(view(seen.id.text())));
      if (found == races_.end()) return;
      Entry& entry = found->second;
      entry.counts[image(pid)] = seen.count;
      entry.race.detection = std::max(entry.race.detection, seen.detection);
    } else if (kind == "hazard") {
      Hazard hazard;
      if (!read_hazard(json, pool, hazard)) return count_damaged();
      hazards_.try_emplace(std::string(view(hazard.id.text())), hazard);
    } else if (kind == "flag") {
      Race flag;
      if (!read_race(json, pool, flag)) return count_damaged();
      flag.is_flag = true;
      flags_.try_emplace(std::string(view(flag.id.text())), flag);
    } else if (kind == "confirmation") {
      RaceId id;
      Confirmation confirmation;
      if (!read_confirmation(json, pool, id, confirmation)) return count_damaged();
      confirmations_[std::string(view(id.text()))].add(confirmation);
    } else if (kind == "classification") {
      RaceId id;
      Classification classification;
      if (!read_classification(json, pool, id, classification)) return count_damaged();
      classifications_[std::string(view(id.text()))] = classification;
    } else if (kind == "note") {
      note(string_of(json, "text"));
    } else if (kind == "lost") {
      findings_.lost += number_of(json, "races");
    } else if (kind == "resumed") {
      images_[image(pid)].ended = false;
    } else if (kind == "end") {
      end(json, image(pid));
    }
  }
  void count_damaged() { ++damaged_; }

  void end(const Json& json, size_t number) {
    Image& image = images_[number];
    RunSummary run;
    run.stats = image.stats;
    Reader reader(json, findings_.pool, kRecord);
    describe_end(reader, run);
    if (number == 0) findings_.run.exit = run.exit;
    image.ended = true;
    image.becomes_another = run.becomes_another;
    image.stats = run.stats;
    for (const Text text : run.notes) note(view(text));
  }

  // What runs at the same time takes the time of the longest; what becomes another program by exec goes on.
  void add_all_figures() {
    std::vector<uint64_t> until(images_.size());  // microseconds from the process' beginning to the image's end
    for (size_t i = 0; i < images_.size(); ++i) {
      const Image& image = images_[i];
      add_figures(image.stats);
      until[i] += image.stats.microseconds;
      if (image.became) until[*image.became] = until[i];
      findings_.run.stats.microseconds = std::max(findings_.run.stats.microseconds, until[i]);
    }
  }

  void describe_ends() {
    for (const Image& image : images_) {
      if (!image.ended && !image.became) findings_.unended.push_back(image.pid);
    }
    findings_.run.ended = !images_.empty() && findings_.unended.empty() && findings_.lost == 0;
    findings_.run.checked = !images_.empty();
    if (images_.empty()) return;
    const Image* last = &images_[0];
    while (last->became) last = &images_[*last->became];
    findings_.first_ended = last->ended;
    findings_.became_another = last->ended && last->becomes_another;
  }

  void add_figures(const Stats& stats) {
    Stats& total = findings_.run.stats;
    total.events += stats.events;
    total.accesses += stats.accesses;
    total.threads += stats.threads;
    total.peak_rss = std::max(total.peak_rss, stats.peak_rss);
    for (const NamedCount& sync : stats.sync) sync_[std::string(view(sync.name))] += sync.count;
  }

  Findings& findings_;
  std::map<uint64_t, size_t> image_of_;  // of a pid, now, in the present file
  std::vector<Image> images_;
  std::map<std::string, Entry> races_;
  std::map<std::string, Hazard> hazards_;
  std::map<std::string, Race> flags_;
  std::map<std::string, Confirmation> confirmations_;
  std::map<std::string, Classification> classifications_;
  std::map<std::string, uint64_t> sync_;
  std::vector<std::string> notes_;
  size_t damaged_ = 0;
  bool truncated_ = false;
};

}  // namespace

void sort_for_reading(std::vector<Race>& races) {
  std::sort(races.begin(), races.end(), [](const Race& a, const Race& b) {
    return std::tuple(a.suppressed, standing_of(b), a.rank, view(a.id.text())) <
           std::tuple(b.suppressed, standing_of(a), b.rank, view(b.id.text()));
  });
}

namespace {

// Calls `give` with each that has the id; false if there is none.
template <class Give>
bool give_all(auto& items, std::string_view id, const Give& give) {
  bool known = false;
  for (auto& item : items) {
    if (view(item.id.text()) != id) continue;
    give(item);
    known = true;
  }
  return known;
}

// Both accesses get the values that they met in the schedule of the race's confirmation, if the statements are those.
void give_met(Race& race) {
  auto& [later, earlier] = race.accesses;
  later.was_met = earlier.was_met = false;
  if (!race.confirmation.has_met) return;
  const auto& [first, second] = race.confirmation.met;
  const auto is_of = [](const Access& access, const MetAccess& met) {
    const bool is_whole = !met.values.known() || access.size == met.size;
    return static_cast<uint32_t>(access.site_id) == met.site && is_whole;
  };
  const auto give = [](Access& access, const MetAccess& met) { access.was_met = true, access.met = met.values; };
  if (is_of(earlier, first) && is_of(later, second)) {
    give(earlier, first), give(later, second);
  } else if (is_of(later, first) && is_of(earlier, second)) {
    give(later, first), give(earlier, second);
  }
}

}  // namespace

bool Findings::add(std::string_view id, const Confirmation& confirmation) {
  const auto give = [&](auto& item) {
    item.confirmation.add(confirmation);
    if constexpr (std::is_same_v<decltype(item), Race&>) give_met(item);
  };
  const bool is_race = give_all(races, id, give), is_hazard = give_all(hazards, id, give);
  return give_all(flags, id, give) || is_race || is_hazard;
}

void read_met(std::string_view text, Confirmation& confirmation) {
  const Json json = Json::parse(text, nullptr, false);
  confirmation.has_met = json.is_array() && json.size() == std::size(confirmation.met);
  if (!confirmation.has_met) return;
  Pool pool;  // there are no texts
  for (size_t i = 0; i < json.size(); ++i) {
    Reader reader(json[i], pool, kRecord);
    describe(reader, confirmation.met[i]);
  }
}

bool Findings::add(std::string_view id, const Classification& classification) {
  const auto give = [&](Race& race) { race.classification = classification; };
  const bool is_race = give_all(races, id, give);
  return give_all(flags, id, give) || is_race;
}

bool Findings::deadlocked() const {
  return std::any_of(hazards.begin(), hazards.end(),
                     [](const Hazard& hazard) { return hazard.kind == HazardKind::kDeadlock; });
}

RaceCounts Findings::counts() const {
  RaceCounts counts;
  for (const Race& race : races) counts.add(race);
  return counts;
}

std::optional<Findings> merge_findings(const std::vector<FindingsFile>& files, std::string& error) {
  Findings findings;
  Merger merger(findings);
  for (const FindingsFile& file : files)
    if (!merger.file(file, error)) return std::nullopt;
  merger.finish();
  return findings;
}

std::optional<Findings> read_report(const std::string& text, std::string& error) {
  Json json = Json::parse(text, nullptr, false);
  const Json* races = member(json, "races");
  if (races == nullptr || !races->is_array()) {
    error = "it is not a JSON report of norn (norn run --json=FILE)";
    return std::nullopt;
  }
  if (!std::all_of(races->begin(), races->end(), has_two_accesses)) {
    error = "a race in it has not two accesses";
    return std::nullopt;
  }
  if (const auto hazards = json.find("hazards"); hazards != json.end() && hazards->is_array()) {
    // Of a newer norn.
    std::erase_if(hazards->get_ref<Json::array_t&>(), [](const Json& hazard) {
      return std::none_of(std::begin(kHazardWords), std::end(kHazardWords),
                          [&](const HazardWords& known) { return view(known.name) == string_of(hazard, "kind"); });
    });
  }
  Findings findings;
  Reader reader(json, findings.pool, kReport);
  describe_report(reader, findings.run, findings.races, findings.hazards, findings.flags);
  for (Race& flag : findings.flags) flag.is_flag = true;
  std::set<std::string> ids;
  for (const Race& race : findings.races) {
    if (race.id.text().empty()) {
      error = "a race in it has no id";
      return std::nullopt;
    }
  }
  std::erase_if(findings.races, [&](const Race& race) { return !ids.emplace(view(race.id.text())).second; });
  return findings;
}

}  // namespace norn::report
