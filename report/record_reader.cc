#include "report/record_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/record.h"

namespace norn::report {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostContents = size_t{512} << 20;
constexpr size_t kMostLine = size_t{4} << 20;  // the writers' lines are far shorter
constexpr double kMostMicros = 1e18;           // far more than a run takes, and still a number of 64 bits

// ---- fields: what is absent or of another type is as if it were empty ----

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string_view string_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_ref<const std::string&>())
                                                : std::string_view();
}

// Numbers, and the strings "0x…" that stand for large ones.
uint64_t number_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) return 0;
  if (value->is_number_unsigned()) return value->get<uint64_t>();
  if (value->is_number_integer()) return static_cast<uint64_t>(value->get<int64_t>());
  if (value->is_string()) return std::strtoull(value->get_ref<const std::string&>().c_str(), nullptr, 16);
  return 0;
}

uint32_t small_number_of(const Json& object, const char* name) {
  return static_cast<uint32_t>(number_of(object, name));
}

bool bool_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

template <class Enum>
Enum enum_of(std::string_view name, std::initializer_list<Enum> values, Enum fallback) {
  for (const Enum value : values)
    if (view(name_of(value)) == name) return value;
  return fallback;
}

Detection detection_of(const Json& object) {
  return enum_of(string_of(object, "standing"), {Detection::kPredicted, Detection::kObserved}, Detection::kObserved);
}

class Decoder {
 public:
  explicit Decoder(Pool& pool) : pool_(pool) {}

  Text text(const Json& object, const char* name) { return pool_.keep(string_of(object, name)); }

  Frame frame(const Json& json) {
    return {.function = text(json, "function"),
            .linkage = text(json, "linkage"),
            .file = text(json, "file"),
            .directory = text(json, "directory"),
            .line = small_number_of(json, "line"),
            .column = small_number_of(json, "column"),
            .module = text(json, "module"),
            .offset = number_of(json, "offset"),
            .library = bool_of(json, "library")};
  }
  Frame frame(const Json& object, const char* name) {
    const Json* json = member(object, name);
    return json == nullptr ? Frame{} : frame(*json);
  }
  List<Frame> frames(const Json& object, const char* name) {
    const Json* json = member(object, name);
    if (json == nullptr || !json->is_array()) return {};
    std::vector<Frame> frames;
    for (const Json& item : *json) frames.push_back(frame(item));
    return pool_.keep(std::move(frames));
  }
  List<Text> texts(const Json& object, const char* name) {
    const Json* json = member(object, name);
    if (json == nullptr || !json->is_array()) return {};
    std::vector<Text> texts;
    for (const Json& item : *json)
      if (item.is_string()) texts.push_back(pool_.keep(item.get_ref<const std::string&>()));
    return pool_.keep(std::move(texts));
  }

  Location location(const Json& json) {
    return {.name = text(json, "name"),
            .object = text(json, "object"),
            .address = number_of(json, "address"),
            .size = number_of(json, "size"),
            .object_size = number_of(json, "object_size"),
            .offset = number_of(json, "offset"),
            .kind = enum_of(string_of(json, "kind"),
                            {LocationKind::kGlobal, LocationKind::kHeap, LocationKind::kStack, LocationKind::kTls},
                            LocationKind::kUnknown),
            .declared_at = frame(json, "declared_at"),
            .allocated_at = frames(json, "allocated_at"),
            .has_owner = member(json, "owner") != nullptr,
            .owner = small_number_of(json, "owner"),
            .owner_name = text(json, "owner_name")};
  }

  Access access(const Json& json) {
    std::vector<LockHeld> locks;
    if (const Json* held = member(json, "locks"); held != nullptr && held->is_array()) {
      for (const Json& lock : *held)
        locks.push_back({.name = text(lock, "name"),
                         .address = number_of(lock, "address"),
                         .mode = string_of(lock, "mode") == "shared" ? HeldMode::kShared : HeldMode::kExclusive,
                         .taken_at = frame(lock, "taken_at")});
    }
    return {.op = op_named(text_of(string_of(json, "op"))),
            .size = number_of(json, "size"),
            .thread = small_number_of(json, "thread"),
            .thread_name = text(json, "thread_name"),
            .thread_created_at = frames(json, "thread_created_at"),
            .site = frame(json, "site"),
            .stack = frames(json, "stack"),
            .stack_lost = bool_of(json, "stack_lost"),
            .locks = pool_.keep(std::move(locks)),
            .expression = text(json, "expression"),
            .has_value = member(json, "value") != nullptr,
            .has_old_value = member(json, "old_value") != nullptr,
            .value = number_of(json, "value"),
            .old_value = number_of(json, "old_value"),
            .count = number_of(json, "count"),
            .site_id = number_of(json, "site_id")};
  }

  // False if it is not a race one could show.
  bool race(const Json& json, Race& race) {
    const std::string_view id = string_of(json, "id");
    const Json* accesses = member(json, "accesses");
    const Json* place = member(json, "location");
    if (id.empty() || id.size() >= sizeof(race.id.hex) || place == nullptr) return false;
    if (accesses == nullptr || !accesses->is_array() || accesses->size() != 2) return false;
    std::copy(id.begin(), id.end(), race.id.hex);
    race.detection = detection_of(json);
    race.location = location(*place);
    race.accesses[0] = access((*accesses)[0]);
    race.accesses[1] = access((*accesses)[1]);
    race.count = number_of(json, "count");
    race.suppressed = bool_of(json, "suppressed");
    race.suppressed_by = text(json, "suppressed_by");
    return true;
  }

  bool hazard(const Json& json, Hazard& hazard) {
    const std::string_view id = string_of(json, "id");
    if (id.empty() || id.size() >= sizeof(hazard.id.hex)) return false;
    std::copy(id.begin(), id.end(), hazard.id.hex);
    const std::string_view kind = string_of(json, "kind");
    for (const HazardWords& known : kHazardWords)
      if (view(known.name) == kind) hazard.kind = known.kind;
    if (has_happened(hazard.kind)) hazard.detection = Detection::kObserved;
    hazard.title = text(json, "title");
    hazard.places = text(json, "places");
    std::vector<uint64_t> sites;
    if (const Json* list = member(json, "sites"); list != nullptr && list->is_array()) {
      for (const Json& site : *list)
        if (site.is_string()) sites.push_back(std::strtoull(site.get_ref<const std::string&>().c_str(), nullptr, 0));
    }
    hazard.sites = pool_.keep(std::move(sites));
    std::vector<HazardStep> steps;
    if (const Json* list = member(json, "steps"); list != nullptr && list->is_array()) {
      for (const Json& step : *list)
        steps.push_back({.thread = small_number_of(step, "thread"),
                         .thread_name = text(step, "thread_name"),
                         .does = text(step, "does"),
                         .stack = frames(step, "stack")});
    }
    hazard.steps = pool_.keep(std::move(steps));
    return !hazard.steps.empty() && (has_happened(hazard.kind) || !hazard.sites.empty());
  }

  bool confirmation(const Json& json, Confirmation& confirmation) {
    confirmation = {.runs = number_of(json, "runs"),
                    .confirmed = number_of(json, "confirmed"),
                    .token = text(json, "token"),
                    .strategy = text(json, "strategy")};
    constexpr uint64_t kMostRuns = uint64_t{1} << 32;  // they are added up
    return !string_of(json, "id").empty() && confirmation.runs > 0 && confirmation.runs <= kMostRuns &&
           confirmation.confirmed <= confirmation.runs;
  }

 private:
  Pool& pool_;
};

// ---- merging ----

class Merger {
 public:
  explicit Merger(Findings& findings) : findings_(findings), decoder_(findings.pool) {}

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
    for (const auto& [id, confirmation] : confirmations_) findings_.add(id, confirmation);
    sort_for_reading(findings_.races);
    for (const auto& [id, flag] : flags_) findings_.flags.push_back(flag);
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
    Json stats{};
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
    RunSummary& run = findings_.run;
    if (kind == "start") {
      start_image(pid);
      if (image(pid) == 0) {
        run.pid = static_cast<uint32_t>(pid);
        run.parent = small_number_of(json, "parent");
        run.program = decoder_.text(json, "program");
        run.command = decoder_.texts(json, "command");
        run.engine = decoder_.text(json, "engine");
        run.front_end = decoder_.text(json, "front_end");
      }
    } else if (kind == "race") {
      Race race;
      if (!decoder_.race(json, race)) {
        ++damaged_;
        return;
      }
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
      const auto found = races_.find(std::string(string_of(json, "id")));
      if (found == races_.end()) return;
      Entry& entry = found->second;
      entry.counts[image(pid)] = number_of(json, "count");
      if (member(json, "standing") != nullptr)
        entry.race.detection = std::max(entry.race.detection, detection_of(json));
    } else if (kind == "hazard") {
      Hazard hazard;
      if (!decoder_.hazard(json, hazard)) {
        ++damaged_;
        return;
      }
      hazards_.try_emplace(std::string(view(hazard.id.text())), hazard);
    } else if (kind == "flag") {
      Race flag;
      if (!decoder_.race(json, flag)) {
        ++damaged_;
        return;
      }
      flag.is_flag = true;
      flags_.try_emplace(std::string(view(flag.id.text())), flag);
    } else if (kind == "confirmation") {
      Confirmation confirmation;
      if (!decoder_.confirmation(json, confirmation)) {
        ++damaged_;
        return;
      }
      confirmations_[std::string(string_of(json, "id"))].add(confirmation);
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

  void end(const Json& json, size_t image) {
    RunSummary& run = findings_.run;
    if (image == 0) run.exit = static_cast<int32_t>(small_number_of(json, "exit"));
    images_[image].ended = true;
    images_[image].becomes_another = bool_of(json, "exec");
    if (const Json* notes = member(json, "notes"); notes != nullptr && notes->is_array()) {
      for (const Json& text : *notes)
        if (text.is_string()) note(text.get_ref<const std::string&>());
    }
    if (const Json* stats = member(json, "stats"); stats != nullptr) images_[image].stats = *stats;
  }

  // What runs at the same time takes the time of the longest; what becomes another program by exec goes on.
  void add_all_figures() {
    std::vector<uint64_t> until(images_.size());  // microseconds from the process' beginning to the image's end
    for (size_t i = 0; i < images_.size(); ++i) {
      const Image& image = images_[i];
      add_figures(image.stats);
      if (const Json* seconds = member(image.stats, "seconds"); seconds != nullptr && seconds->is_number()) {
        const double micros = seconds->get<double>() * 1e6;
        if (micros > 0 && micros < kMostMicros) until[i] += static_cast<uint64_t>(std::llround(micros));
      }
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

  void add_figures(const Json& stats) {
    Stats& total = findings_.run.stats;
    total.events += number_of(stats, "events");
    total.accesses += number_of(stats, "accesses");
    total.threads += number_of(stats, "threads");
    total.peak_rss = std::max(total.peak_rss, number_of(stats, "peak_rss"));
    if (const Json* sync = member(stats, "sync"); sync != nullptr && sync->is_object()) {
      for (const auto& [name, value] : sync->items())
        if (value.is_number_unsigned()) sync_[name] += value.get<uint64_t>();
    }
  }

  Findings& findings_;
  Decoder decoder_;
  std::map<uint64_t, size_t> image_of_;  // of a pid, now, in the present file
  std::vector<Image> images_;
  std::map<std::string, Entry> races_;
  std::map<std::string, Hazard> hazards_;
  std::map<std::string, Race> flags_;
  std::map<std::string, Confirmation> confirmations_;
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

bool Findings::add(std::string_view id, const Confirmation& confirmation) {
  bool known = false;
  const auto add_to = [&](auto& items) {
    for (auto& item : items) {
      if (view(item.id.text()) != id) continue;
      item.confirmation.add(confirmation);
      known = true;
    }
  };
  add_to(races);
  add_to(hazards);
  return known;
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

std::optional<std::string> read_whole_file(const std::string& path, std::string& error) {
  // Not to wait for whoever writes into a pipe, who may never come.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const auto fail = [&](const std::string& why) {
    error = fmt::format("{}: {}", path, why);
    if (file >= 0) close(file);
    return std::nullopt;
  };
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) return fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail("it is a directory, not a file");
  if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) return fail("it is a pipe or a socket, not a file");
  const std::string too_large = fmt::format("it is larger than {} MB", kMostContents >> 20);
  if (static_cast<size_t>(status.st_size) > kMostContents) return fail(too_large);
  std::string contents;
  contents.reserve(static_cast<size_t>(status.st_size));
  std::vector<char> block(size_t{1} << 16);
  for (;;) {
    const ssize_t got = read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(std::strerror(errno));
    if (got == 0) break;
    if (contents.size() + static_cast<size_t>(got) > kMostContents) return fail(too_large);
    contents.append(block.data(), static_cast<size_t>(got));
  }
  close(file);
  return contents;
}

}  // namespace norn::report
