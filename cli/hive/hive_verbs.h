// The verbs behind norn hive: one file each, and one line in the table of hive_verbs.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "hive/hive_client.h"

namespace norn::cli {

class Arguments;

[[nodiscard]] std::span<const Verb> hive_verbs();

int run_watched(const Verb& verb, std::vector<std::string> arguments);
int simulate_fleet(const Verb& verb, std::vector<std::string> arguments);
int start_agent(const Verb& verb, std::vector<std::string> arguments);
int serve_hive(const Verb& verb, std::vector<std::string> arguments);
int submit_program(const Verb& verb, std::vector<std::string> arguments);
int hive_status(const Verb& verb, std::vector<std::string> arguments);
int hive_tokens(const Verb& verb, std::vector<std::string> arguments);

// Which hive a verb speaks to, and as whom. A token is a secret: it is never an argument, which everybody can see.
struct HiveAddress {
  std::string url{};
  std::string token_file{};
  std::string authority{};

  void add_options(Arguments& app);
  [[nodiscard]] bool is_named() const;
  // False, and a complaint: there is no address or token, or they are wrong.
  [[nodiscard]] bool read(std::string& address, std::string& token) const;
  [[nodiscard]] std::unique_ptr<hive::HiveClient> connect() const;
};

// norn build --profile=production. False: it cannot be made, which was said.
[[nodiscard]] bool build_for_production(const std::string& program, const std::string& output);

// The database of a hive on this machine.
[[nodiscard]] std::string default_database();

}  // namespace norn::cli
