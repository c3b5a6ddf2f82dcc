#include "experiment/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/string_sink.h"
#include "base/text_hash.h"
#include "options/options.h"
#include "report/race_id.h"
#include "report/record_reader.h"
#include "report/text_report.h"
#include "report/whole_file.h"
#include "report/words/op_names.h"

namespace norn::experiment {
namespace {

std::string site_spec(uint64_t id, std::string_view file, uint64_t line) {
  if (id != 0) return fmt::format("{:x}", static_cast<uint32_t>(id));
  return fmt::format("{}@{}", view(report::base_name(report::text_of(file))), line);
}

void append(std::string& list, std::string_view separator, const std::string& item) {
  if (!list.empty()) list += separator;
  list += item;
}

// Of a hazard. Broken atomicity has two that are brought together, and one that comes before the first.
void add_site(ConfirmCandidate& candidate, uint64_t site) {
  const auto before = std::count(candidate.sites.begin(), candidate.sites.end(), ',');
  const bool arms = candidate.kind == CandidateKind::kAtomicity && before == 1;
  append(candidate.sites, ",", (arms ? "+" : "") + site_spec(site, "", 0));
}

// The file's name is a stranger's: what a terminal would obey is not shown.
std::string place_words(std::string_view file, uint64_t line, std::string_view op) {
  std::string name(view(report::base_name(report::text_of(file))));
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return fmt::format("{}:{} {}", name, line, op);
}

std::string id_of_places(const std::string& a, const std::string& b) {
  return std::string(view(report::race_id(text_hash(report::text_of(a)), text_hash(report::text_of(b))).text()));
}

ConfirmCandidate candidate_of(const report::Race& race) {
  ConfirmCandidate candidate;
  candidate.id = view(race.id.text());
  candidate.detection = race.detection;
  candidate.suppressed = race.suppressed;
  candidate.title = "race on " + collect([&](Sink sink) { put_location_name(race.location, sink); });
  for (const report::Access& access : race.accesses) {
    const report::Frame& frame = report::site_of(access);
    append(candidate.sites, ",", site_spec(access.site_id, view(frame.file), frame.line));
    append(candidate.places, " / ", place_words(view(frame.file), frame.line, view(name_of(access.op))));
  }
  return candidate;
}

}  // namespace

std::vector<ConfirmCandidate> flags_of(const report::Findings& findings) {
  std::vector<ConfirmCandidate> out;
  for (const report::Race& flag : findings.flags) out.push_back(candidate_of(flag));
  return out;
}

std::vector<ConfirmCandidate> candidates_of(const report::Findings& findings) {
  std::vector<ConfirmCandidate> out;
  for (const report::Race& race : findings.races) out.push_back(candidate_of(race));
  const auto add = [&](const report::Hazard& hazard, bool suppressed) {
    if (has_happened(hazard.kind)) return;
    ConfirmCandidate candidate;
    candidate.id = view(hazard.id.text());
    candidate.kind =
        hazard.kind == report::HazardKind::kLockOrder ? CandidateKind::kDeadlock : CandidateKind::kAtomicity;
    candidate.detection = hazard.detection;
    candidate.suppressed = suppressed;
    candidate.title = view(hazard.title);
    candidate.places = view(hazard.places);
    for (const uint64_t site : hazard.sites) add_site(candidate, site);
    out.push_back(std::move(candidate));
  };
  for (const report::Hazard& hazard : findings.hazards) add(hazard, false);
  for (const report::Hazard& hazard : findings.accepted_hazards) add(hazard, true);
  return out;
}

std::optional<std::vector<ConfirmCandidate>> candidates_in_json(const std::string& text, std::string& error) {
  const auto findings = report::read_report(text, error);
  if (!findings) return std::nullopt;
  return candidates_of(*findings);
}

namespace {

// Takes `word` off the beginning of `text`.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_digits(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

bool take_indentation(std::string_view& line) {
  const size_t end = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(end);
  return end > 0;
}

// "  Previous atomic write of size 4 at 0x… by thread T1:" is a "write"; empty: another line.
std::string_view tsan_access(std::string_view line) {
  if (!take_indentation(line)) return {};
  take(line, "Previous ");
  if (!take(line, "atomic ")) take(line, "Atomic ");
  const bool writes = take(line, "write") || take(line, "Write");
  if (!writes && !take(line, "read") && !take(line, "Read")) return {};
  if (!take(line, " of size ") || !take_digits(line) || !line.starts_with(" at ")) return {};
  return writes ? "write" : "read";
}

// Takes ":14" off the end of a place.
std::optional<uint64_t> take_number(std::string_view& place) {
  constexpr size_t kMostDigits = 9;
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view digits = place.substr(colon + 1);
  uint64_t value = 0;
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  place = place.substr(0, colon);
  return value;
}

// "    #0 deposit(int) bank.cc:14:19 (bank+0x…)" is line 14 of bank.cc.
std::optional<std::pair<std::string_view, uint64_t>> tsan_frame(std::string_view line) {
  if (!take_indentation(line) || !take(line, "#") || !take_digits(line) || !take(line, " ")) return std::nullopt;
  for (size_t module = line.rfind(" ("); line.ends_with(")") && module != std::string_view::npos;
       module = line.rfind(" ("))
    line = line.substr(0, module);
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  std::string_view place = line.substr(space + 1);
  const auto last = take_number(place);
  if (!last || place.empty()) return std::nullopt;
  const auto before = take_number(place);  // then the last one is a column
  if (place.empty()) return std::nullopt;
  return std::pair(place, before.value_or(*last));
}

}  // namespace

// A report of ThreadSanitizer:
//   WARNING: ThreadSanitizer: data race (pid=1)
//     Write of size 4 at 0x… by thread T2:
//       #0 deposit bank.cc:14:19 (bank+0x…)
//     Previous read of size 4 at 0x… by thread T1 (mutexes: …):
//       #0 …
std::vector<ConfirmCandidate> candidates_in_tsan_text(const std::string& text) {
  std::vector<ConfirmCandidate> out;
  std::istringstream lines(text);
  std::vector<std::pair<std::string, std::string>> found;  // the spec of a site, and its words
  std::string op;                                          // of the access whose frame is looked for
  const auto finish = [&] {
    if (found.size() == 2) {
      ConfirmCandidate candidate;
      candidate.id = id_of_places(found[0].first, found[1].first);
      candidate.sites = found[0].first + "," + found[1].first;
      candidate.title = "race";
      candidate.places = found[0].second + " / " + found[1].second;
      candidate.detection = report::Detection::kObserved;
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.id == candidate.id; });
      if (!known) out.push_back(candidate);
    }
    found.clear();
    op.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find("WARNING: ThreadSanitizer: data race") != std::string::npos) finish();
    if (const std::string_view does = tsan_access(line); !does.empty()) {
      op = does;
    } else if (const auto place = op.empty() ? std::nullopt : tsan_frame(line); place) {
      const auto [file, number] = *place;
      // The sanitizer's own functions and the libraries' headers are not the statement.
      if (file.find("sanitizer") != std::string::npos || file.starts_with("/usr/") || file == "<null>") continue;
      found.emplace_back(site_spec(0, file, number), place_words(file, number, op));
      op.clear();
    } else if (line.empty()) {
      op.clear();
    }
  }
  finish();
  return out;
}

namespace {

std::optional<std::vector<ConfirmCandidate>> candidates_in_text(const std::string& text, std::string& error) {
  if (text.find("WARNING: ThreadSanitizer") == std::string::npos) {
    auto out = candidates_in_json(text, error);
    if (!out) error = "neither a report of ThreadSanitizer nor one of norn: " + error;
    return out;
  }
  auto races = candidates_in_tsan_text(text);
  if (!races.empty() || text.find("WARNING: ThreadSanitizer: data race") == std::string::npos) return races;
  error =
      "no race in it says the lines of both its statements; build with -g, and let ThreadSanitizer find "
      "llvm-symbolizer";
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<ConfirmCandidate>> candidates_in_file(const std::string& path, std::string& error) {
  constexpr size_t kMostSites = 2048;  // they are handed to the program in its environment
  const auto text = report::read_whole_file(path, error);
  if (!text) return std::nullopt;
  auto out = candidates_in_text(*text, error);
  for (size_t i = 0; out && i < out->size(); ++i) {
    if ((*out)[i].sites.size() <= kMostSites) continue;
    error = fmt::format("a race in it has a name of {} characters", (*out)[i].sites.size());
    out.reset();
  }
  if (!out) error = fmt::format("{}: {}", path, error);
  return out;
}

std::optional<std::vector<ConfirmCandidate>> choose_candidates(const std::vector<ConfirmCandidate>& all,
                                                               const std::vector<std::string>& asked,
                                                               std::string& error) {
  std::vector<ConfirmCandidate> out;
  for (const std::string& name : asked) {
    std::string_view id = name;
    if (id.starts_with("R") || id.starts_with("r")) id.remove_prefix(1);
    std::vector<const ConfirmCandidate*> found;
    for (const ConfirmCandidate& candidate : all)
      if (!id.empty() && candidate.id.starts_with(id)) found.push_back(&candidate);
    if (found.size() == 1) {
      out.push_back(*found[0]);
      continue;
    }
    std::vector<std::pair<size_t, std::string>> near;
    for (const ConfirmCandidate& candidate : all) {
      const std::string_view beginning = std::string_view(candidate.id).substr(0, id.size());
      near.emplace_back(options::edit_distance(report::text_of(id), report::text_of(beginning)), "R" + candidate.id);
    }
    std::sort(near.begin(), near.end());
    std::string names;
    for (size_t i = 0; i < near.size() && i < 3; ++i) names += (i > 0 ? ", " : "") + near[i].second;
    error = all.empty() ? fmt::format("no race {}: there are none", name)
            : found.size() > 1
                ? fmt::format("{} is the beginning of {} races; say more of it: {}", name, found.size(), names)
                : fmt::format("no race {}; the nearest: {} (norn show lists all)", name, names);
    return std::nullopt;
  }
  return out;
}

}  // namespace norn::experiment
