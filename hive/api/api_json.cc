#include "hive/api/api_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace norn::hive {
namespace {

using nlohmann::json;

constexpr size_t kDeepest = 16;
constexpr size_t kLongestName = 200;
constexpr size_t kLongestText = 1'000;
constexpr size_t kFrames = 64;
constexpr size_t kExcerpt = 20;
constexpr int64_t kLongestTime = int64_t{1} << 53;

bool is_hexadecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

const json& member(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) throw BadRequest(fmt::format("\"{}\" is missing", name));
  return *found;
}

// An array of so many at most; empty if it is not there.
const json& list_in(const json& object, const char* name, size_t most) {
  static const json kNone = json::array();
  if (!object.is_object() || !object.contains(name)) return kNone;
  const json& list = object[name];
  if (!list.is_array() || list.size() > most)
    throw BadRequest(fmt::format("\"{}\" is no list of at most {}", name, most));
  return list;
}

std::string hexadecimal_in(const json& object, const char* name, size_t longest) {
  std::string text = text_in(object, name, longest);
  if (!is_hexadecimal(text)) throw BadRequest(fmt::format("\"{}\" is not hexadecimal", name));
  return text;
}

json stack_in(const json& stack) {
  if (!stack.is_array() || stack.size() > kFrames) throw BadRequest("a stack is a list of at most 64 frames");
  json frames = json::array();
  for (const json& frame : stack)
    frames.push_back({{"module", text_in(frame, "module", kLongestName)}, {"offset", text_in(frame, "offset", 20)}});
  return frames;
}

// What is known of a result beside its kind; nothing else is stored.
json detail_in(const json& detail) {
  if (!detail.is_object()) throw BadRequest("\"detail\" is no object");
  json kept = json::object();
  for (const char* name : {"signal", "held", "synchronizations", "watched", "reached_a", "reached_b"})
    if (detail.contains(name)) kept[name] = number_in(detail, name, 0, std::numeric_limits<int64_t>::max());
  for (const char* name : {"facts", "stages"}) {
    json words = json::array();
    for (const json& word : list_in(detail, name, 8)) {
      if (!word.is_string() || word.get_ref<const std::string&>().size() > 20)
        throw BadRequest(fmt::format("\"{}\" is no list of words", name));
      words.push_back(word);
    }
    if (!words.empty()) kept[name] = words;
  }
  json stacks = json::array();
  for (const json& stack : list_in(detail, "stacks", 2)) stacks.push_back(stack_in(stack));
  if (!stacks.empty()) kept["stacks"] = stacks;
  return kept;
}

Result result_in(const json& result) {
  Result read;
  read.id = hexadecimal_in(result, "id", 32);
  read.build = text_in(result, "build", 100);
  read.race = hexadecimal_in(result, "race", 16);
  read.execution = hexadecimal_in(result, "execution", 32);
  const std::string kind = text_in(result, "kind", 30);
  const std::string order = text_in(result, "order", 30);
  if (!result_kind(kind)) throw BadRequest(fmt::format("\"kind\" is not known: {}", kind));
  if (!order_of(order)) throw BadRequest(fmt::format("\"order\" is not known: {}", order));
  read.kind = *result_kind(kind);
  read.order = *order_of(order);
  if (read.kind == ResultKind::kRace && read.order == Order::kNone) throw BadRequest("a race has an order");
  read.tau = number_in(result, "tau", 0, 10'000'000);
  read.spent = number_in(result, "spent", 0, kLongestTime);
  read.lived = number_in(result, "lived", 0, kLongestTime);
  read.detail = result.contains("detail") ? write_json(detail_in(result["detail"])) : "{}";
  return read;
}

json json_of(const Burden& burden) {
  return {{"spent", burden.spent},
          {"lived", burden.lived},
          {"timeouts", burden.timeouts},
          {"executions", burden.executions}};
}

// What was stored as JSON, by this code.
json stored(const std::string& text) {
  json read = json::parse(text, nullptr, false);
  return read.is_discarded() ? json() : read;
}

}  // namespace

json json_in(std::string_view body) {
  try {
    json read = json::parse(body, [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
      if (depth > static_cast<int>(kDeepest)) throw BadRequest("the body is nested too deep");
      return true;
    });
    if (!read.is_object()) throw BadRequest("the body is no JSON object");
    return read;
  } catch (const json::exception&) {
    throw BadRequest("the body is no JSON");
  }
}

std::string text_in(const json& object, const char* name, size_t longest) {
  const json& value = member(object, name);
  if (!value.is_string()) throw BadRequest(fmt::format("\"{}\" is no text", name));
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > longest) throw BadRequest(fmt::format("\"{}\" is longer than {} bytes", name, longest));
  if (text.find('\0') != std::string::npos) throw BadRequest(fmt::format("\"{}\" has a zero in it", name));
  return text;
}

int64_t number_in(const json& object, const char* name, int64_t least, int64_t most) {
  const json& value = member(object, name);
  const bool fits = value.is_number_unsigned() ? value.get<uint64_t>() <= static_cast<uint64_t>(most)
                                               : value.is_number_integer() && value.get<int64_t>() <= most;
  if (!fits || (!value.is_number_unsigned() && value.get<int64_t>() < least))
    throw BadRequest(fmt::format("\"{}\" is no whole number from {} to {}", name, least, most));
  return value.get<int64_t>();
}

bool is_build(std::string_view text) {
  constexpr std::string_view kHash = "hash:";
  if (text.starts_with(kHash)) text.remove_prefix(kHash.size());
  return text.size() <= 64 && is_hexadecimal(text);
}

std::vector<std::string> builds_in(const json& body) {
  std::vector<std::string> builds;
  for (const json& build : list_in(body, "builds", 100)) {
    if (!build.is_string() || !is_build(build.get_ref<const std::string&>()))
      throw BadRequest("\"builds\" is no list of builds");
    builds.push_back(build);
  }
  if (builds.empty()) throw BadRequest("\"builds\" is missing or empty");
  return builds;
}

std::vector<Result> results_in(const json& body, size_t most) {
  std::vector<Result> results;
  for (const json& result : list_in(body, "results", most)) results.push_back(result_in(result));
  if (results.empty()) throw BadRequest("\"results\" is missing or empty");
  return results;
}

json source_in(const json& source) {
  if (!source.is_array() || source.size() > 2) throw BadRequest("a source is a list of at most two excerpts");
  json kept = json::array();
  for (const json& excerpt : source) {
    json lines = json::array();
    for (const json& line : list_in(excerpt, "lines", kExcerpt)) {
      if (!line.is_string() || line.get_ref<const std::string&>().size() > kLongestText)
        throw BadRequest("a line of source is no text of at most 1000 bytes");
      lines.push_back(line);
    }
    kept.push_back({{"file", text_in(excerpt, "file", kLongestText)},
                    {"line", number_in(excerpt, "line", 0, 1'000'000'000)},
                    {"first", number_in(excerpt, "first", 0, 1'000'000'000)},
                    {"lines", lines}});
  }
  return kept;
}

json json_of(const Task& task) {
  return {{"build", task.build},
          {"race", task.race},
          {"sites", {task.sites[0], task.sites[1]}},
          {"tau", task.tau},
          {"detect", task.detect},
          {"steer", task.steer},
          {"order", name_of(task.order)}};
}

Task task_in(const json& task) {
  Task read;
  read.build = text_in(task, "build", 100);
  read.race = text_in(task, "race", 16);
  const json& sites = list_in(task, "sites", 2);
  if (sites.size() != 2) throw BadRequest("a task has two sites");
  for (size_t i = 0; i < 2; ++i) {
    if (!sites[i].is_string() || !is_hexadecimal(sites[i].get_ref<const std::string&>()) ||
        sites[i].get_ref<const std::string&>().size() > 16)
      throw BadRequest("a task's sites are hexadecimal");
    read.sites[i] = sites[i];
  }
  const std::optional<Order> order = order_of(text_in(task, "order", 30));
  if (order != Order::kPrimary && order != Order::kAlternate) throw BadRequest("a task has an order");
  read.order = *order;
  read.tau = number_in(task, "tau", 0, 10'000'000);
  read.detect = member(task, "detect") == true;
  read.steer = member(task, "steer") == true;
  return read;
}

json json_of(const Result& result) {
  return {{"id", result.id},
          {"build", result.build},
          {"race", result.race},
          {"execution", result.execution},
          {"kind", name_of(result.kind)},
          {"order", name_of(result.order)},
          {"tau", result.tau},
          {"spent", result.spent},
          {"lived", result.lived},
          {"detail", stored(result.detail)}};
}

json json_of(const StoredResult& result) {
  json object = json_of(static_cast<const Result&>(result));
  object["site"] = result.site;
  object["site_name"] = result.site_name;
  object["received"] = result.received;
  object["withdrawn"] = result.withdrawn;
  return object;
}

json json_of(const Version& version) {
  return {{"build", version.build},
          {"program", version.program},
          {"label", version.label},
          {"submitted", version.submitted},
          {"size", version.size}};
}

json json_of(const Token& token) {
  return {{"id", token.id},           {"role", name_of(token.role)},  {"name", token.name},
          {"created", token.created}, {"withdrawn", token.withdrawn}, {"seen", token.seen}};
}

json json_of(const SiteRow& site) {
  json object = json_of(site.token);
  object["build"] = site.build;
  object["race"] = site.race;
  object["burden"] = json_of(site.burden);
  object["results"] = site.results;
  return object;
}

json json_of(const Fleet& fleet, size_t index) {
  const Candidate& candidate = fleet.candidates[index];
  const CandidateLoad& load = fleet.loads[index];
  const Evidence& evidence = fleet.evidence[index];
  json counts = json::object();
  for (size_t kind = 0; kind < kResultKinds; ++kind) {
    const Tally& tally = evidence.kinds[kind];
    if (tally.count > 0)
      counts[std::string(name_of(static_cast<ResultKind>(kind)))] = {{"count", tally.count}, {"sites", tally.sites}};
  }
  return {{"race", candidate.race},
          {"sites", {candidate.sites[0], candidate.sites[1]}},
          {"flag", candidate.is_flag},
          {"verdict", name_of(verdict_of(load.state))},
          {"reason", reason_of(load.state)},
          {"said_by", sites_for(load.state, evidence)},
          {"settled", load.settled},
          {"active", load.active},
          {"spent", load.spent},
          {"executions", evidence.executions},
          {"results", counts}};
}

std::string write_json(const json& json) { return json.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace norn::hive
