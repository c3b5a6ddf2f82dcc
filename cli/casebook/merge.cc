// norn merge: what other casebooks and findings files know goes into this one.
#include <fmt/format.h>

#include <filesystem>

#include "cli/casebook_file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {

int merge(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  CasebookFile file;
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> others = app.remaining();
  if (others.empty() || file.path().empty()) {
    complain(others.empty() ? "say what to add: norn merge ci/casebook.db old/findings.jsonl"
                            : "--casebook=none: there is none to add to");
    return kMisuse;
  }
  try {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!file.is_named()) fs::create_directories(casebook::home_directory(), error);
    casebook::Casebook casebook(file.path(), casebook::Access::kWrite);
    const size_t before = casebook.races().size();
    for (const std::string& path : others) {
      if (fs::equivalent(path, file.path(), error)) throw casebook::CasebookError(path + ": that is this casebook");
      casebook::Casebook other = open_other(path);
      casebook.merge(other);
    }
    const size_t after = casebook.races().size();
    fmt::print("norn: {} race{} in {}, {} of them new\n", after, after == 1 ? "" : "s", file.path(), after - before);
    return 0;
  } catch (const casebook::CasebookError& error) {
    complain(error.what());
    return kMisuse;
  }
}

}  // namespace norn::cli
