// norn hive submit: a program, its candidates and its production build go to a hive.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "casebook/builds.h"
#include "cli/hive/hive_verbs.h"
#include "cli/static/static_analysis.h"
#include "cli/terminal.h"
#include "cli/verb_arguments.h"
#include "hive/api/submission.h"

namespace norn::cli {

bool build_for_production(const std::string& program, const std::string& output) {
  return build(*find_verb("build"), {"--profile=production", program, "-o", output}) == 0;
}

int submit_program(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  HiveAddress address;
  std::string output, label;
  bool as_it_is = false, no_file = false;
  address.add_options(app);
  app.add_option("-o,--output", output, "where to write the production build (default: PROGRAM.production)")
      ->type_name("FILE");
  app.add_flag("--as-it-is", as_it_is, "the program is what will run: it was built in the production profile");
  app.add_option("--label", label, "what to call this version: a release, a commit")->type_name("TEXT");
  app.add_flag("--no-file", no_file, "the hive does not keep the file");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (app.remaining().size() != 1) {
    complain("say which program: norn hive submit ./program");
    return kMisuse;
  }
  const std::string program = app.remaining()[0];
  const auto client = address.connect();
  if (client == nullptr) return kMisuse;
  if (label.size() > 100) {
    complain("--label has at most 100 bytes");
    return kMisuse;
  }
  const std::optional<std::string> records = analyse_image(program);
  if (!records) return kMisuse;
  if (output.empty()) output = program + ".production";
  if (as_it_is) {
    output = program;
  } else if (!build_for_production(program, output)) {
    return kMisuse;
  }
  const std::optional<std::string> build = hive::build_name(output);
  if (!build) {
    complain(fmt::format("{} cannot be read", output));
    return kMisuse;
  }
  const hive::Version version{
      .build = *build, .program = std::filesystem::path(program).filename().string(), .label = label};
  std::string error;
  const auto body = hive::submission_of(version, *records, error);
  if (!body) {
    complain(error);
    return kMisuse;
  }
  hive::Answer answer =
      client->post("/api/v1/versions", body->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  size_t candidates = 0;
  if (answer.ok()) candidates = nlohmann::json::parse(answer.body)["candidates"];
  if (answer.ok() && !no_file) {
    std::ifstream file(output, std::ios::binary);
    answer = client->put(fmt::format("/api/v1/versions/{}/file", *build),
                         std::string{std::istreambuf_iterator<char>(file), {}}, "application/octet-stream");
  }
  if (!answer.ok()) {
    complain(answer.words);
    return kMisuse;
  }
  fmt::print("norn: {} is submitted: {} candidates, build {}\n", version.program, candidates, *build);
  fmt::print("next: run {} where an agent is (norn hive agent); norn hive status {}\n", output, version.program);
  return 0;
}

}  // namespace norn::cli
