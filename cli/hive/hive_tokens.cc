// norn hive token: who may speak to a hive.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "casebook/runs.h"
#include "casebook/times.h"
#include "cli/hive/hive_verbs.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "hive/store.h"

namespace norn::cli {
namespace {

using hive::Role;
using nlohmann::json;

void print_row(const std::string& id, const std::string& role, int64_t seen, int64_t withdrawn,
               const std::string& name) {
  const std::string when = withdrawn != 0 ? "withdrawn " + casebook::local_time(withdrawn)
                           : seen == 0    ? "never seen"
                                          : "seen " + casebook::local_time(seen);
  fmt::print("{}  {:<9}  {:<26}  {}\n", id, role, when, name);
}

// The last word of a verb that changed something, or its complaint.
int ended(const hive::Answer& answer) {
  if (answer.ok()) return 0;
  complain(answer.words);
  return kMisuse;
}

int by_network(hive::HiveClient& client, const std::string& what, const std::string& name, const std::string& role) {
  if (what == "list") {
    const hive::Answer answer = client.get("/api/v1/tokens");
    if (!answer.ok()) return ended(answer);
    const json body = json::parse(answer.body);
    for (const json& token : body["tokens"])
      print_row(token["id"], token["role"], token["seen"], token["withdrawn"], token["name"]);
    return 0;
  }
  if (what == "add") {
    const hive::Answer answer = client.post("/api/v1/tokens", json{{"role", role}, {"name", name}}.dump());
    if (answer.ok()) fmt::print("{}\n", json::parse(answer.body)["token"].get<std::string>());
    return ended(answer);
  }
  const std::string path = "/api/v1/tokens/" + name;
  return ended(what == "withdraw" ? client.erase(path) : client.put(path, "{}", "application/json"));
}

int by_database(hive::Store& store, const std::string& what, const std::string& name, Role role) {
  if (what == "list") {
    for (const hive::Token& token : store.tokens())
      print_row(token.id, std::string(name_of(token.role)), token.seen, token.withdrawn, token.name);
    return 0;
  }
  if (what == "add") {
    std::string id;
    fmt::print("{}\n", store.add_token(role, name, casebook::now(), id));
    return 0;
  }
  if (store.withdraw(name, what == "withdraw" ? casebook::now() : 0)) return 0;
  complain(fmt::format("no token {}; norn hive token list has all", name));
  return kMisuse;
}

}  // namespace

int hive_tokens(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  HiveAddress address;
  std::string database, role = "site";
  address.add_options(app);
  app.add_option("--db", database, "the hive's database, on its own machine (default: .norn/hive.db)")
      ->type_name("DATABASE");
  app.add_option("--role", role, "of add: what its holder may (default: site)")->type_name("site|developer|admin");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  const std::vector<std::string> words = app.remaining();
  const std::string what = words.empty() ? "" : words[0];
  const bool is_known = what == "add" || what == "withdraw" || what == "restore" || what == "list";
  if (!is_known || words.size() != (what == "list" ? 1U : 2U)) {
    complain("say norn hive token add NAME, withdraw ID, restore ID, or list");
    return kMisuse;
  }
  const std::string name = words.size() > 1 ? words[1] : "";
  const std::optional<Role> known = hive::role_of(role);
  if (!known) {
    complain(fmt::format("--role={} is not site, developer or admin", role));
    return kMisuse;
  }
  if (name.size() > 100 || name.find('/') != std::string::npos) {
    complain("a name has at most 100 bytes, and no slash");
    return kMisuse;
  }
  if (database.empty() && address.is_named()) {
    const auto client = address.connect();
    return client == nullptr ? kMisuse : by_network(*client, what, name, role);
  }
  if (database.empty()) {
    database = default_database();
    std::error_code code;
    std::filesystem::create_directories(casebook::home_directory(), code);
  }
  try {
    hive::Store store(database, {});
    return by_database(store, what, name, *known);
  } catch (const casebook::CasebookError& error) {
    complain(error.what());
    return kMisuse;
  }
}

}  // namespace norn::cli
