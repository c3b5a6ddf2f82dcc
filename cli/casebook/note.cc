// norn note: what someone says of a race, kept with it.
#include <fmt/format.h>

#include "casebook/times.h"
#include "cli/casebook_file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {

int note(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  CasebookFile file;
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> words = app.remaining();
  std::string text;
  for (size_t i = 1; i < words.size(); ++i) text += (i > 1 ? " " : "") + words[i];
  if (text.empty()) {
    complain("say of which race, and what: norn note R… \"the audit may wait\"");
    return kMisuse;
  }
  return file.use(casebook::Access::kWrite, [&](casebook::Casebook& casebook) {
    const auto race = find_race(casebook, words[0]);
    if (!race) return kMisuse;
    casebook.add_note(race->id, casebook::now(), author(), text);
    fmt::print("norn: noted of R{}; norn show R{} tells it\n", race->id, race->id);
    return 0;
  });
}

}  // namespace norn::cli
