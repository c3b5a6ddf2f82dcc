// norn accept: a race that does not count, for a reason, until a day.
#include <fmt/format.h>

#include "casebook/times.h"
#include "cli/casebook_file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {
namespace {

// What is wrong with the request, in one line; empty: nothing.
std::string trouble_with(const std::vector<std::string>& races, const casebook::Acceptance& acceptance) {
  if (races.size() != 1) return "say which race, one at a time: norn accept R… --reason=\"goes away with the cache\"";
  if (!acceptance.withdrawn && acceptance.reason.empty())
    return "say why: --reason=\"goes away with the cache\"; whoever reads it next year wants to know";
  if (acceptance.until.empty()) return "";
  if (!casebook::is_day(acceptance.until))
    return fmt::format("--until={} is no date like 2027-03-01", acceptance.until);
  if (acceptance.withdrawn) return "--withdraw is at once; it takes no --until";
  if (acceptance.until <= casebook::local_day(acceptance.time))
    return fmt::format("--until={} is not in the future: the race would count at once", acceptance.until);
  return "";
}

}  // namespace

int accept(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  CasebookFile file;
  casebook::Acceptance acceptance{.time = casebook::now(), .author = author()};
  app.add_option("--reason", acceptance.reason, "why it may stay")->type_name("TEXT");
  app.add_option("--owner", acceptance.owner, "who sees to it")->type_name("NAME");
  app.add_option("--until", acceptance.until, "from that day on it counts again (default: never)")->type_name("DATE");
  app.add_flag("--withdraw", acceptance.withdrawn, "it counts again from now on");
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> races = app.remaining();
  if (const std::string wrong = trouble_with(races, acceptance); !wrong.empty()) {
    complain(wrong);
    return kMisuse;
  }
  return file.use(casebook::Access::kWrite, [&](casebook::Casebook& casebook) {
    const auto race = find_race(casebook, races[0]);
    if (!race) return kMisuse;
    if (acceptance.withdrawn && !race->acceptance) {
      complain(fmt::format("R{} was never accepted: there is nothing to withdraw", race->id));
      return kMisuse;
    }
    casebook.add_acceptance(race->id, acceptance);
    if (acceptance.withdrawn) {
      fmt::print("norn: R{} counts again\n", race->id);
    } else {
      fmt::print("norn: R{}{}{} is accepted{}: it does not change the exit status\n", race->id,
                 race->is_race() ? " on " : ", ", race->variable,
                 acceptance.until.empty() ? "" : fmt::format(" until {}", acceptance.until));
    }
    return 0;
  });
}

}  // namespace norn::cli
