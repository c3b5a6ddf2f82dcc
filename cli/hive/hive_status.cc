// norn hive status: what a hive knows, as text or as the API tells it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "casebook/times.h"
#include "cli/hive/hive_verbs.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"

namespace norn::cli {
namespace {

using nlohmann::json;

// Nothing, and a complaint: it was refused.
std::optional<json> fetch(hive::HiveClient& client, const std::string& path) {
  const hive::Answer answer = client.get(path);
  if (answer.ok()) {
    json body = json::parse(answer.body, nullptr, false);
    if (!body.is_discarded()) return body;
  }
  complain(answer.ok() ? "what the hive says is no JSON" : answer.words);
  return std::nullopt;
}

std::string text_of(const json& object, const char* name) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

std::string verdict_words(const json& candidate) {
  if (candidate["flag"]) return "flag";
  const std::string verdict = candidate["verdict"], reason = candidate["reason"];
  return reason.empty() ? verdict : fmt::format("{} ({})", verdict, reason);
}

std::string counts_of(const json& results) {
  std::string words;
  for (const auto& [kind, tally] : results.items())
    words += fmt::format("{}{} {} by {}", words.empty() ? "" : ", ", kind, tally["count"].get<int64_t>(),
                         tally["sites"].get<int64_t>());
  return words;
}

void print_versions(const json& versions) {
  for (const json& version : versions) {
    const json& verdicts = version["verdicts"];
    fmt::print("{}  {}  {}  {}  {} true, {} likely false, {} unknown\n", text_of(version, "program"),
               text_of(version, "label").empty() ? "-" : text_of(version, "label"), text_of(version, "build"),
               casebook::local_time(version["submitted"]), verdicts["true-race"].get<int64_t>(),
               verdicts["likely-false-positive"].get<int64_t>(), verdicts["unknown"].get<int64_t>());
  }
  if (versions.empty()) fmt::print("norn: no program was submitted; norn hive submit ./program does\n");
}

void print_candidate(const json& candidate) {
  fmt::print("R{}  {:<34}  {}", text_of(candidate, "race"), verdict_words(candidate), text_of(candidate, "variable"));
  if (candidate.contains("accesses") && candidate["accesses"].size() == 2)
    fmt::print("  {} / {}", candidate["accesses"][0].get<std::string>(), candidate["accesses"][1].get<std::string>());
  const std::string counts = counts_of(candidate["results"]);
  if (!counts.empty()) fmt::print("\n               {}", counts);
  fmt::print("\n");
}

void print_history(const json& candidate) {
  for (const json& result : candidate["history"])
    fmt::print("  {}  {:<14} {:<9} {}{}\n", casebook::local_time(result["received"], true), text_of(result, "kind"),
               text_of(result, "order"), text_of(result, "site_name"), result["withdrawn"] ? "  (withdrawn)" : "");
}

void print_sites(const json& sites) {
  for (const json& site : sites) {
    const json& burden = site["burden"];
    const double lived = burden["lived"], spent = burden["spent"];
    fmt::print("{}  {:<20}  {} results, {} executions, {:.3f} % of their time{}{}\n", text_of(site, "id"),
               text_of(site, "name"), site["results"].get<int64_t>(), burden["executions"].get<int64_t>(),
               lived > 0 ? 100 * spent / lived : 0, text_of(site, "race").empty() ? "" : ", validates R",
               text_of(site, "race"));
  }
}

// The build that a name stands for: itself, or the latest of a program.
std::optional<std::string> find_build(hive::HiveClient& client, const std::string& name) {
  const auto all = fetch(client, "/api/v1/versions");
  if (!all) return std::nullopt;
  std::string build;
  int64_t latest = -1;
  for (const json& version : (*all)["versions"]) {
    if (text_of(version, "build") == name) return name;
    if (text_of(version, "program") != name || version["submitted"] < latest) continue;
    latest = version["submitted"];
    build = text_of(version, "build");
  }
  if (!build.empty()) return build;
  complain(fmt::format("the hive has no program or build {}; norn hive status lists them", name));
  return std::nullopt;
}

}  // namespace

int hive_status(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  HiveAddress address;
  bool as_json = false, sites = false;
  address.add_options(app);
  app.add_flag("--json", as_json, "as the API tells it");
  app.add_flag("--sites", sites, "the sites, what they do and what it costs them");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  const std::vector<std::string> words = app.remaining();
  if (words.size() > 2 || (sites && !words.empty())) {
    complain("say norn hive status, norn hive status PROGRAM, or norn hive status PROGRAM RACE");
    return kMisuse;
  }
  const auto client = address.connect();
  if (client == nullptr) return kMisuse;
  std::string path = sites ? "/api/v1/sites" : "/api/v1/versions";
  if (!words.empty()) {
    const auto build = find_build(*client, words[0]);
    if (!build) return kMisuse;
    path += fmt::format("/{}/candidates", *build);
    if (words.size() > 1) path += "/" + (words[1].starts_with("R") ? words[1].substr(1) : words[1]);
  }
  const auto body = fetch(*client, path);
  if (!body) return kMisuse;
  if (as_json) {
    fmt::print("{}\n", body->dump(2));
  } else if (sites) {
    print_sites((*body)["sites"]);
  } else if (words.empty()) {
    print_versions((*body)["versions"]);
  } else if (words.size() == 1) {
    for (const json& candidate : (*body)["candidates"]) print_candidate(candidate);
  } else {
    print_candidate(*body);
    print_history(*body);
  }
  return 0;
}

}  // namespace norn::cli
