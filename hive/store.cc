#include "hive/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "casebook/schema.h"

namespace norn::hive {
namespace {

using casebook::Statement;

// A site that was not heard of for so long has no task any more, in seconds.
constexpr int64_t kGone = 900;
// A burdened site gets another task at most so often.
constexpr int64_t kRest = 60;

Token token_in(const Statement& row) {
  return {.id = row.text(0),
          .role = role_of(row.view(1)).value_or(Role::kSite),
          .name = row.text(2),
          .created = row.integer(3),
          .withdrawn = row.integer(4),
          .seen = row.integer(5)};
}

Version version_in(const Statement& row) {
  return {.build = row.text(0),
          .program = row.text(1),
          .label = row.text(2),
          .submitted = row.integer(3),
          .size = row.integer(4)};
}

// Rows that come by race, beside candidates in the same order.
class ByRace {
 public:
  explicit ByRace(const std::vector<Candidate>& candidates) : candidates_(candidates) {}
  std::optional<size_t> find(std::string_view race) const {
    const auto found = std::lower_bound(candidates_.begin(), candidates_.end(), race,
                                        [](const Candidate& each, std::string_view name) { return each.race < name; });
    if (found == candidates_.end() || found->race != race) return std::nullopt;
    return static_cast<size_t>(found - candidates_.begin());
  }

 private:
  const std::vector<Candidate>& candidates_;
};

uint64_t number(const Statement& row, int column) { return static_cast<uint64_t>(row.integer(column)); }

}  // namespace

Store::Store(const std::string& database, const Policy& policy)
    : database_(database, casebook::Access::kWrite), policy_(policy) {
  casebook::migrate(database_);
}

// ---- tokens ----

std::string Store::add_token(Role role, const std::string& name, int64_t now, std::string& id) {
  const std::string token = new_token(role);
  id = new_id();
  Statement(database_, "INSERT INTO tokens VALUES(?,?,?,?,?,0,0)")
      .bind(id, hash_of(token), name_of(role), name, now)
      .run();
  return token;
}

std::optional<Token> Store::find_token(const std::string& token, int64_t now) {
  Statement row(database_,
                "SELECT id, role, name, created, withdrawn, seen FROM tokens WHERE hash = ? AND withdrawn = 0");
  if (!row.bind(hash_of(token)).step()) return std::nullopt;
  Token found = token_in(row);
  row.reset();
  if (found.seen + 60 < now) Statement(database_, "UPDATE tokens SET seen = ? WHERE id = ?").bind(now, found.id).run();
  return found;
}

std::vector<Token> Store::tokens() {
  std::vector<Token> all;
  Statement rows(database_, "SELECT id, role, name, created, withdrawn, seen FROM tokens ORDER BY created, id");
  while (rows.step()) all.push_back(token_in(rows));
  return all;
}

bool Store::withdraw(const std::string& id, int64_t time) {
  int64_t changed = 0;
  database_.transaction([&] {
    changed = Statement(database_, "UPDATE tokens SET withdrawn = ? WHERE id = ?").bind(time, id).run();
    if (time != 0) Statement(database_, "UPDATE tasks SET active = 0 WHERE site = ?").bind(id).run();
  });
  return changed > 0;
}

// ---- versions ----

void Store::add_version(const Version& version, int64_t run, const std::vector<Candidate>& candidates) {
  database_.transaction([&] {
    Statement(database_,
              "INSERT INTO versions VALUES(?,?,?,?,?,?) ON CONFLICT(build) DO UPDATE SET label = excluded.label")
        .bind(version.build, version.program, version.label, version.submitted, run, version.size)
        .run();
    Statement add(database_, "INSERT INTO candidates VALUES(?,?,?,?,?,?,?) ON CONFLICT DO NOTHING");
    for (const Candidate& each : candidates)
      add.bind(version.build, each.race, each.sites[0], each.sites[1], each.weight, each.is_flag, each.source).run();
  });
}

std::vector<Version> Store::versions() {
  std::vector<Version> all;
  Statement rows(database_, "SELECT build, program, label, submitted, size FROM versions ORDER BY program, submitted");
  while (rows.step()) all.push_back(version_in(rows));
  return all;
}

std::optional<Version> Store::version(const std::string& build) {
  Statement row(database_, "SELECT build, program, label, submitted, size FROM versions WHERE build = ?");
  if (!row.bind(build).step()) return std::nullopt;
  return version_in(row);
}

void Store::set_file(const std::string& build, int64_t size, const std::vector<std::string>& parts) {
  database_.transaction([&] {
    Statement(database_, "DELETE FROM version_files WHERE build = ?").bind(build).run();
    Statement add(database_, "INSERT INTO version_files VALUES(?,?,?)");
    for (size_t i = 0; i < parts.size(); ++i) add.bind(build, static_cast<int64_t>(i), parts[i]).run();
    Statement(database_, "UPDATE versions SET size = ? WHERE build = ?").bind(size, build).run();
  });
}

std::vector<std::string> Store::file(const std::string& build) {
  std::vector<std::string> parts;
  Statement rows(database_, "SELECT bytes FROM version_files WHERE build = ? ORDER BY part");
  rows.bind(build);
  while (rows.step()) parts.push_back(rows.text(0));
  return parts;
}

std::map<std::string, std::string> Store::sources(const std::string& build) {
  std::map<std::string, std::string> all;
  Statement rows(database_, "SELECT race, source FROM candidates WHERE build = ?");
  rows.bind(build);
  while (rows.step()) all[rows.text(0)] = rows.text(1);
  return all;
}

std::string Store::record(const std::string& race) {
  Statement row(database_, "SELECT text FROM records WHERE race = ?");
  return row.bind(race).step() ? row.text(0) : "";
}

// ---- tasks and results ----

Fleet Store::fleet(const std::string& build, int64_t now) {
  Fleet fleet;
  Statement candidates(database_,
                       "SELECT race, site_a, site_b, weight, is_flag FROM candidates WHERE build = ? ORDER BY race");
  candidates.bind(build);
  while (candidates.step())
    fleet.candidates.push_back({.race = candidates.text(0),
                                .sites = {candidates.text(1), candidates.text(2)},
                                .weight = candidates.integer(3),
                                .is_flag = candidates.integer(4) != 0});
  fleet.evidence.resize(fleet.candidates.size());
  fleet.loads.resize(fleet.candidates.size());
  const ByRace by_race(fleet.candidates);
  const auto each = [&](const std::string& sql, const auto& add, const auto&... values) {
    Statement rows(database_, sql);
    rows.bind(values...);
    while (rows.step())
      if (const auto index = by_race.find(rows.view(0))) add(*index, rows);
  };
  constexpr const char* kCounted = "FROM results JOIN tokens ON tokens.id = site WHERE build = ? AND withdrawn = 0";
  each(
      fmt::format("SELECT race, kind, count(*), count(DISTINCT site) {} GROUP BY race, kind", kCounted),
      [&](size_t index, const Statement& row) {
        if (const auto kind = result_kind(row.view(1)))
          fleet.evidence[index].of(*kind) = {number(row, 2), number(row, 3)};
      },
      build);
  for (const Order order : {Order::kPrimary, Order::kAlternate})
    each(
        fmt::format("SELECT race, count(*), count(DISTINCT site) {} AND kind = 'race' AND (ordering = {} OR ordering = "
                    "{}) GROUP BY race",
                    kCounted, static_cast<int>(order), static_cast<int>(Order::kBoth)),
        [&](size_t index, const Statement& row) {
          (order == Order::kPrimary ? fleet.evidence[index].primary : fleet.evidence[index].alternate) = {
              number(row, 1), number(row, 2)};
        },
        build);
  each(
      fmt::format("SELECT race, count(*), count(DISTINCT site) {} AND kind = 'timeout' AND tau >= ? GROUP BY race",
                  kCounted),
      [&](size_t index, const Statement& row) {
        fleet.evidence[index].highest_timeout = {number(row, 1), number(row, 2)};
      },
      build, int64_t{policy_.highest_tau});
  each(
      fmt::format("SELECT race, count(DISTINCT site), count(DISTINCT execution) {} GROUP BY race", kCounted),
      [&](size_t index, const Statement& row) {
        fleet.evidence[index].sites = number(row, 1);
        fleet.evidence[index].executions = number(row, 2);
      },
      build);
  each(
      "SELECT race, sum(CASE WHEN active = 1 AND seen >= ? THEN 1 ELSE 0 END), "
      "sum(CASE WHEN active = 1 AND seen >= ? AND assigned < ? THEN 1 ELSE 0 END), sum(tasks.spent), sum(tasks.lived), "
      "sum(timeouts), sum(executions) FROM tasks JOIN tokens ON tokens.id = site WHERE build = ? GROUP BY race",
      [&](size_t index, const Statement& row) {
        CandidateLoad& load = fleet.loads[index];
        load.active = number(row, 1);
        load.overdue = number(row, 2);
        const Burden burden{number(row, 3), number(row, 4), number(row, 5), number(row, 6)};
        load.spent = burden.lived == 0 ? 0 : static_cast<double>(burden.spent) / static_cast<double>(burden.lived);
        fleet.burden.spent += burden.spent;
        fleet.burden.lived += burden.lived;
        fleet.burden.timeouts += burden.timeouts;
        fleet.burden.executions += burden.executions;
      },
      now - kGone, now - kGone, now - policy_.overdue, build);
  for (size_t i = 0; i < fleet.candidates.size(); ++i) {
    CandidateLoad& load = fleet.loads[i];
    load.race = fleet.candidates[i].race;
    load.weight = static_cast<uint64_t>(std::max<int64_t>(fleet.candidates[i].weight, 1));
    load.state = derive(fleet.evidence[i], policy_.executions);
    load.settled = fleet.candidates[i].is_flag || is_settled(load.state, fleet.evidence[i]);
  }
  return fleet;
}

std::optional<Task> Store::next_task(const std::string& site, const std::string& build, Fleet& fleet, int64_t now) {
  const ByRace by_race(fleet.candidates);
  std::vector<Share> shares(fleet.candidates.size());
  std::vector<int64_t> taus(fleet.candidates.size(), policy_.tau);
  std::vector<Order> orders(fleet.candidates.size(), Order::kNone);
  Burden burden;
  std::optional<size_t> current;
  int64_t since = 0;
  {
    Statement rows(
        database_,
        "SELECT race, ordering, tau, assigned, active, dropped, executions, timeouts, spent, lived FROM tasks "
        "WHERE site = ? AND build = ?");
    rows.bind(site, build);
    while (rows.step()) {
      const auto index = by_race.find(rows.view(0));
      if (!index) continue;
      shares[*index] = {.executions = number(rows, 6), .dropped = rows.integer(5) != 0};
      taus[*index] = rows.integer(2);
      orders[*index] = static_cast<Order>(rows.integer(1));
      burden.timeouts += number(rows, 7);
      burden.executions += number(rows, 6);
      burden.spent += number(rows, 8);
      burden.lived += number(rows, 9);
      if (rows.integer(4) != 0) {
        current = index;
        since = rows.integer(3);
      }
    }
    Statement raced(database_, "SELECT DISTINCT race FROM results WHERE site = ? AND build = ? AND kind = 'race'");
    raced.bind(site, build);
    while (raced.step())
      if (const auto index = by_race.find(raced.view(0))) shares[*index].saw_race = true;
  }
  const bool burdened = is_burdened(burden, fleet.burden);
  std::optional<size_t> chosen = current;
  if (current) {
    const bool stays = !fleet.loads[*current].settled && !shares[*current].dropped && !shares[*current].saw_race &&
                       now < since + policy_.overdue && !(burdened && since + kRest < now);
    if (!stays) {
      if (fleet.loads[*current].active > 0) --fleet.loads[*current].active;
      chosen.reset();
    }
  }
  if (!chosen) {
    chosen = choose(fleet.loads, shares, {.site = site, .burdened = burdened});
    database_.transaction([&] {
      Statement(database_, "UPDATE tasks SET active = 0 WHERE site = ? AND build = ? AND active = 1")
          .bind(site, build)
          .run();
      if (!chosen) return;
      // A site that has had it before is asked for the other order. Others begin with the one that is seen less.
      Order order = orders[*chosen] == Order::kPrimary ? Order::kAlternate : Order::kPrimary;
      if (orders[*chosen] == Order::kNone && fleet.loads[*chosen].active % 2 == 1) order = Order::kAlternate;
      orders[*chosen] = order;
      Statement(database_,
                "INSERT INTO tasks VALUES(?,?,?,?,?,?,1,0,0,0,0,0) ON CONFLICT(site, build, race) DO UPDATE SET "
                "active = 1, ordering = excluded.ordering, assigned = excluded.assigned")
          .bind(site, build, fleet.candidates[*chosen].race, static_cast<int>(order), taus[*chosen], now)
          .run();
      ++fleet.loads[*chosen].active;
    });
  }
  if (!chosen) return std::nullopt;
  const State state = fleet.loads[*chosen].state;
  const bool promoted = policy_.steer_at_once ||
                        (state != State::kUnknown && state != State::kNotAliasing && state != State::kSingleContext);
  const Candidate& candidate = fleet.candidates[*chosen];
  return Task{.build = build,
              .race = candidate.race,
              .sites = {candidate.sites[0], candidate.sites[1]},
              .order = orders[*chosen],
              .tau = taus[*chosen],
              .detect = promoted,
              .steer = promoted};
}

Added Store::add_results(const std::string& site, const std::vector<Result>& results, int64_t now) {
  Added added;
  database_.transaction([&] {
    added = {};
    Statement asked(database_, "SELECT 1 FROM tasks WHERE site = ? AND build = ? AND race = ?");
    Statement add(database_, "INSERT INTO results VALUES(?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING");
    Statement counted(database_,
                      "SELECT 1 FROM results WHERE site = ? AND build = ? AND race = ? AND execution = ? LIMIT 1");
    for (const Result& each : results) {
      if (!asked.bind(site, each.build, each.race).step()) {
        ++added.refused;
        continue;
      }
      const bool is_first = !counted.bind(site, each.build, each.race, each.execution).step();
      const bool is_new = add.bind(site, each.id, each.build, each.race, each.execution, now, name_of(each.kind),
                                   static_cast<int>(each.order), each.tau, each.spent, each.lived, each.detail)
                              .run() > 0;
      ++(is_new ? added.taken : added.known);
      if (!is_new) continue;
      if (is_first)
        Statement(database_, "UPDATE tasks SET executions = executions + 1 WHERE site = ? AND build = ? AND race = ?")
            .bind(site, each.build, each.race)
            .run();
      count_result(site, each);
    }
  });
  return added;
}

// What a result that was not known before does to the site's task.
void Store::count_result(const std::string& site, const Result& result) {
  Statement row(database_, "SELECT tau, executions, active FROM tasks WHERE site = ? AND build = ? AND race = ?");
  if (!row.bind(site, result.build, result.race).step()) return;
  int64_t tau = row.integer(0);
  const uint64_t executions = number(row, 1);
  bool active = row.integer(2) != 0;
  row.reset();
  bool dropped = false;
  switch (result.kind) {
    case ResultKind::kTimeout:
      // One that is late says nothing of the present tau.
      if (result.tau < tau) break;
      if (const auto longer = next_tau(policy_, static_cast<uint32_t>(tau))) {
        tau = *longer;
      } else {
        dropped = true;
      }
      break;
    case ResultKind::kNotProbed:
      dropped = true;
      break;
    case ResultKind::kRace:
    case ResultKind::kNoRace:
      active = false;
      break;
    case ResultKind::kNotSeen:
    case ResultKind::kNotAliasing:
    case ResultKind::kSingleContext:
      if (policy_.patience > 0 && executions % policy_.patience == 0) active = false;
      break;
    default:
      break;
  }
  Statement(database_,
            "UPDATE tasks SET tau = ?, active = ?, dropped = CASE WHEN dropped = 1 THEN 1 ELSE ? END, timeouts = "
            "timeouts + ?, spent = spent + ?, lived = lived + ? WHERE site = ? AND build = ? AND race = ?")
      .bind(tau, active && !dropped, dropped, result.kind == ResultKind::kTimeout, result.spent, result.lived, site,
            result.build, result.race)
      .run();
}

// ---- what is shown ----

std::vector<StoredResult> Store::results(const std::string& build, const std::string& race,
                                         const std::vector<ResultKind>& kinds, int64_t limit) {
  std::string among;
  for (const ResultKind kind : kinds) among += fmt::format("{}'{}'", among.empty() ? "" : ", ", name_of(kind));
  Statement rows(database_, fmt::format("SELECT results.id, build, race, execution, kind, ordering, tau, spent, lived, "
                                        "detail, site, name, received, withdrawn FROM results JOIN tokens ON "
                                        "tokens.id = site WHERE build = ? {}{} ORDER BY received DESC, results.id "
                                        "LIMIT {}",
                                        race.empty() ? "" : "AND race = ?",
                                        among.empty() ? "" : fmt::format(" AND kind IN ({})", among), limit));
  race.empty() ? rows.bind(build) : rows.bind(build, race);
  std::vector<StoredResult> all;
  while (rows.step()) {
    StoredResult result;
    result.id = rows.text(0);
    result.build = rows.text(1);
    result.race = rows.text(2);
    result.execution = rows.text(3);
    result.kind = result_kind(rows.view(4)).value_or(ResultKind::kNotSeen);
    result.order = static_cast<Order>(rows.integer(5));
    result.tau = rows.integer(6);
    result.spent = rows.integer(7);
    result.lived = rows.integer(8);
    result.detail = rows.text(9);
    result.site = rows.text(10);
    result.site_name = rows.text(11);
    result.received = rows.integer(12);
    result.withdrawn = rows.integer(13) != 0;
    all.push_back(std::move(result));
  }
  return all;
}

std::vector<SiteRow> Store::sites() {
  std::vector<SiteRow> all;
  std::map<std::string, size_t> places;
  for (Token& token : tokens()) {
    if (token.role != Role::kSite) continue;
    places[token.id] = all.size();
    all.push_back({.token = std::move(token), .build = "", .race = "", .burden = {}});
  }
  Statement rows(database_,
                 "SELECT site, build, race, active, executions, timeouts, spent, lived FROM tasks ORDER BY assigned");
  while (rows.step()) {
    const auto place = places.find(rows.text(0));
    if (place == places.end()) continue;
    SiteRow& site = all[place->second];
    site.build = rows.text(1);
    if (rows.integer(3) != 0) site.race = rows.text(2);
    site.burden.executions += number(rows, 4);
    site.burden.timeouts += number(rows, 5);
    site.burden.spent += number(rows, 6);
    site.burden.lived += number(rows, 7);
  }
  Statement counts(database_, "SELECT site, count(*) FROM results GROUP BY site");
  while (counts.step())
    if (const auto place = places.find(counts.text(0)); place != places.end())
      all[place->second].results = number(counts, 1);
  return all;
}

}  // namespace norn::hive
