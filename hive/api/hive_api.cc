#include "hive/api/hive_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "casebook/casebook.h"
#include "hive/api/api_json.h"
#include "hive/api/embedded.h"
#include "hive/api/fleet_view.h"
#include "hive/api/submission.h"

namespace norn::hive {
namespace {

using nlohmann::json;

int64_t microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The parts of a path; those of a pattern in braces stand for any.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty() && path.front() == '/') {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  const auto wanted = parts_of(pattern), given = parts_of(path);
  if (wanted.size() != given.size()) return std::nullopt;
  std::vector<std::string> places;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].starts_with('{')) {
      places.emplace_back(given[i]);
    } else if (wanted[i] != given[i]) {
      return std::nullopt;
    }
  }
  return places;
}

Reply reply_of(const json& body, int status = 200) { return {.status = status, .body = write_json(body)}; }

class NotFound : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Version version_of(Store& store, const std::string& build) {
  auto version = is_build(build) ? store.version(build) : std::nullopt;
  if (!version) throw NotFound("no such version");
  return *version;
}

}  // namespace

struct Routes {
  static constexpr Route kAll[] = {
      {"GET", "/", std::nullopt, nullptr, &HiveApi::page},
      {"GET", "/api/v1/openapi.json", std::nullopt, nullptr, &HiveApi::description},
      {"GET", "/api/v1/health", std::nullopt, nullptr, &HiveApi::health},
      {"POST", "/api/v1/tasks", Role::kSite, &Limits::longest_request, &HiveApi::tasks},
      {"POST", "/api/v1/results", Role::kSite, &Limits::longest_request, &HiveApi::results},
      {"GET", "/api/v1/versions", Role::kDeveloper, nullptr, &HiveApi::versions},
      {"POST", "/api/v1/versions", Role::kDeveloper, &Limits::longest_submission, &HiveApi::submit},
      {"PUT", "/api/v1/versions/{build}/file", Role::kDeveloper, &Limits::longest_file, &HiveApi::put_file},
      {"GET", "/api/v1/versions/{build}/file", Role::kDeveloper, nullptr, &HiveApi::get_file},
      {"GET", "/api/v1/versions/{build}/candidates", Role::kDeveloper, nullptr, &HiveApi::candidates},
      {"GET", "/api/v1/versions/{build}/candidates/{race}", Role::kDeveloper, nullptr, &HiveApi::candidate},
      {"GET", "/api/v1/versions/{build}/failures", Role::kDeveloper, nullptr, &HiveApi::failures},
      {"GET", "/api/v1/sites", Role::kDeveloper, nullptr, &HiveApi::sites},
      {"GET", "/api/v1/casebook", Role::kDeveloper, nullptr, &HiveApi::casebook},
      {"GET", "/api/v1/tokens", Role::kAdmin, nullptr, &HiveApi::tokens},
      {"POST", "/api/v1/tokens", Role::kAdmin, &Limits::longest_request, &HiveApi::add_token},
      {"DELETE", "/api/v1/tokens/{id}", Role::kAdmin, nullptr, &HiveApi::withdraw_token},
      {"PUT", "/api/v1/tokens/{id}", Role::kAdmin, &Limits::longest_request, &HiveApi::restore_token},
  };
};

std::span<const Route> HiveApi::routes() { return Routes::kAll; }

Reply refusal(int status, const std::string& words) { return reply_of({{"error", words}}, status); }

HiveApi::HiveApi(const std::string& database, const Policy& policy, const Limits& limits, size_t size,
                 std::function<int64_t()> now)
    : pool_(database, policy, size),
      limits_(limits),
      now_(std::move(now)),
      requests_(limits.burst, limits.per_second),
      failures_(limits.failures, limits.failures_second) {}

template <class Body>
auto HiveApi::with_slot(const Body& body) {
  auto slot = pool_.take();
  try {
    return body(*slot);
  } catch (const casebook::CasebookError&) {
    slot.spoil();
    throw;
  }
}

Admission HiveApi::admit(const Call& call) {
  Admission admission;
  const auto refuse = [&](int status, const std::string& words) {
    admission.refusal = refusal(status, words);
    return admission;
  };
  bool path_known = false;
  for (const Route& route : routes()) {
    auto places = match(route.path, call.path);
    if (!places) continue;
    path_known = true;
    if (call.method != route.method) continue;
    admission.route = &route;
    admission.places = std::move(*places);
  }
  if (admission.route == nullptr)
    return path_known ? refuse(405, "this path does not take this method")
                      : refuse(404, "there is no such path; /api/v1/openapi.json has all");
  const Route& route = *admission.route;
  const size_t longest = route.longest == nullptr ? 0 : limits_.*route.longest;
  if (call.length > longest) return refuse(413, fmt::format("the body is longer than {} bytes", longest));
  if (!route.role) return admission;
  if (call.token.empty()) return refuse(401, "say who you are: Authorization: Bearer TOKEN");
  const int64_t instant = microseconds();
  if (!failures_.has(call.peer, instant)) return refuse(429, "too many requests with tokens that are none");
  try {
    admission.caller =
        with_slot([&](StoreSlot& slot) { return slot.store().find_token(call.token.substr(0, 200), now_()); });
  } catch (const casebook::CasebookError&) {
    return refuse(503, "the database does not answer; ask again");
  }
  if (!admission.caller) {
    static_cast<void>(failures_.take(call.peer, instant));
    return refuse(401, "there is no such token, or it was withdrawn");
  }
  if (!may(admission.caller->role, *route.role))
    return refuse(403, fmt::format("this needs a token of a {}, not of a {}", name_of(*route.role),
                                   name_of(admission.caller->role)));
  if (!requests_.take(admission.caller->id, instant)) return refuse(429, "too many requests; wait a moment");
  return admission;
}

Reply HiveApi::handle(const Call& call, const Admission& admission) {
  if (call.body.size() > (admission.route->longest == nullptr ? 0 : limits_.*admission.route->longest))
    return refusal(413, "the body is too long");
  try {
    return (this->*admission.route->handle)({.call = call, .admission = admission, .now = now_()});
  } catch (const BadRequest& error) {
    return refusal(400, error.what());
  } catch (const NotFound& error) {
    return refusal(404, error.what());
  } catch (const casebook::CasebookError&) {
    // Its words are about the database, which is not the caller's business.
    return refusal(503, "the database does not answer; ask again");
  }
}

Reply HiveApi::answer(const Call& call) {
  Admission admission = admit(call);
  return admission.refusal ? std::move(*admission.refusal) : handle(call, admission);
}

// ---- for everybody ----

Reply HiveApi::page(const Request& /*request*/) {
  return {.body = std::string(web_page()), .type = "text/html; charset=utf-8"};
}

Reply HiveApi::description(const Request& /*request*/) { return {.body = std::string(open_api())}; }

Reply HiveApi::health(const Request& /*request*/) {
  with_slot([](StoreSlot& slot) { static_cast<void>(slot.store().version("")); });
  return reply_of({{"norn", "hive"}, {"api", 1}});
}

// ---- for sites ----

Reply HiveApi::tasks(const Request& request) {
  const std::vector<std::string> builds = builds_in(json_in(request.call.body));
  json given = json::array(), unknown = json::array();
  with_slot([&](StoreSlot& slot) {
    for (const std::string& build : builds) {
      Fleet* fleet = slot.fleet(build, request.now);
      if (fleet == nullptr) {
        unknown.push_back(build);
        continue;
      }
      if (const auto task = slot.store().next_task(request.admission.caller->id, build, *fleet, request.now))
        given.push_back(json_of(*task));
    }
  });
  return reply_of({{"poll", limits_.poll}, {"tasks", given}, {"unknown", unknown}});
}

Reply HiveApi::results(const Request& request) {
  const std::vector<Result> results = results_in(json_in(request.call.body), limits_.results);
  const Added added = with_slot([&](StoreSlot& slot) {
    // What promotes a candidate, or ends it, counts at once.
    for (const Result& each : results)
      if (each.kind == ResultKind::kContext || each.kind == ResultKind::kRace) slot.forget(each.build);
    return slot.store().add_results(request.admission.caller->id, results, request.now);
  });
  return reply_of({{"taken", added.taken}, {"known", added.known}, {"refused", added.refused}});
}

// ---- for developers ----

Reply HiveApi::versions(const Request& request) {
  json all = json::array();
  with_slot([&](StoreSlot& slot) {
    for (const Version& version : slot.store().versions()) {
      json object = json_of(version);
      Fleet* fleet = slot.fleet(version.build, request.now);
      if (fleet != nullptr) object["verdicts"] = verdicts_of(*fleet);
      if (fleet != nullptr) object["burden"] = {{"spent", fleet->burden.spent}, {"lived", fleet->burden.lived}};
      all.push_back(std::move(object));
    }
  });
  return reply_of({{"versions", all}});
}

Reply HiveApi::submit(const Request& request) {
  const Submission submission = submission_in(json_in(request.call.body));
  const bool is_new = with_slot([&](StoreSlot& slot) {
    const bool known = slot.store().version(submission.version.build).has_value();
    store_submission(pool_.database(), slot.store(), submission, request.now);
    slot.forget(submission.version.build);
    return !known;
  });
  return reply_of({{"build", submission.version.build}, {"candidates", submission.candidates.size()}},
                  is_new ? 201 : 200);
}

Reply HiveApi::put_file(const Request& request) {
  const std::string& build = request.admission.places[0];
  const std::vector<std::string> parts = file_parts(request.call.body);
  with_slot([&](StoreSlot& slot) {
    static_cast<void>(version_of(slot.store(), build));
    slot.store().set_file(build, static_cast<int64_t>(request.call.body.size()), parts);
  });
  return reply_of({{"size", request.call.body.size()}});
}

Reply HiveApi::get_file(const Request& request) {
  const std::string& build = request.admission.places[0];
  return with_slot([&](StoreSlot& slot) -> Reply {
    const Version version = version_of(slot.store(), build);
    if (version.size == 0) throw NotFound("no file was stored of this version");
    std::optional<std::string> file = whole_of(slot.store().file(build), static_cast<size_t>(version.size));
    if (!file) return refusal(500, "the stored file is damaged");
    return {.body = std::move(*file), .type = "application/octet-stream"};
  });
}

Reply HiveApi::candidates(const Request& request) {
  const std::string& build = request.admission.places[0];
  return with_slot([&](StoreSlot& slot) {
    json body = json_of(version_of(slot.store(), build));
    body["candidates"] = candidates_of(slot.store(), build, request.now);
    return reply_of(body);
  });
}

Reply HiveApi::candidate(const Request& request) {
  const std::string& build = request.admission.places[0];
  const std::string& race = request.admission.places[1];
  return with_slot([&](StoreSlot& slot) {
    static_cast<void>(version_of(slot.store(), build));
    json body = candidate_of(slot.store(), build, race, request.now);
    if (body.is_null()) throw NotFound("no such candidate");
    return reply_of(body);
  });
}

Reply HiveApi::failures(const Request& request) {
  const std::string& build = request.admission.places[0];
  return with_slot([&](StoreSlot& slot) {
    static_cast<void>(version_of(slot.store(), build));
    return reply_of({{"failures", failures_of(slot.store(), build)}});
  });
}

Reply HiveApi::sites(const Request& /*request*/) {
  json all = json::array();
  with_slot([&](StoreSlot& slot) {
    for (const SiteRow& site : slot.store().sites()) all.push_back(json_of(site));
  });
  return reply_of({{"sites", all}});
}

Reply HiveApi::casebook(const Request& /*request*/) {
  return {.body = casebook_file(pool_.database()), .type = "application/octet-stream"};
}

// ---- for admins ----

Reply HiveApi::tokens(const Request& /*request*/) {
  json all = json::array();
  with_slot([&](StoreSlot& slot) {
    for (const Token& token : slot.store().tokens()) all.push_back(json_of(token));
  });
  return reply_of({{"tokens", all}});
}

Reply HiveApi::add_token(const Request& request) {
  const json body = json_in(request.call.body);
  const std::optional<Role> role = role_of(text_in(body, "role", 20));
  if (!role) throw BadRequest("\"role\" is not site, developer or admin");
  const std::string name = text_in(body, "name", 100);
  std::string id;
  const std::string token =
      with_slot([&](StoreSlot& slot) { return slot.store().add_token(*role, name, request.now, id); });
  return reply_of({{"id", id}, {"token", token}}, 201);
}

Reply HiveApi::withdraw_token(const Request& request) {
  const bool found = with_slot([&](StoreSlot& slot) {
    slot.forget_all();
    return slot.store().withdraw(request.admission.places[0], request.now);
  });
  if (!found) throw NotFound("no such token");
  return reply_of({{"withdrawn", request.now}});
}

Reply HiveApi::restore_token(const Request& request) {
  const bool found = with_slot([&](StoreSlot& slot) {
    slot.forget_all();
    return slot.store().withdraw(request.admission.places[0], 0);
  });
  if (!found) throw NotFound("no such token");
  return reply_of({{"withdrawn", 0}});
}

}  // namespace norn::hive
