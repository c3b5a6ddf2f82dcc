// norn list: the races that the casebook knows.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "cli/casebook_file.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "options/options.h"

namespace norn::cli {
namespace {

using casebook::KnownRace;

// "observed,confirmed" into its words, each one of `names`.
bool read_names(const char* option, const std::string& value, const std::string& names, std::vector<std::string>& words,
                std::string& error) {
  for (size_t at = 0; at <= value.size(); at += words.back().size() + 1) {
    const std::string word = value.substr(at, value.find(',', at) - at);
    if (fmt::format("|{}|", names).find(fmt::format("|{}|", word)) == std::string::npos) {
      error = fmt::format("{}={} is not one of {}", option, word,
                          collect([&](Sink sink) { options::put_names(text_of(names), sink); }));
      return false;
    }
    words.push_back(word);
  }
  return true;
}

std::string standing_names() {
  std::string names;
  for (size_t i = 0; i < report::kStandings; ++i)
    names += fmt::format("{}{}", i > 0 ? "|" : "", view(name_of(static_cast<report::Standing>(i))));
  return names;
}

}  // namespace

int list(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  CasebookFile file;
  casebook::Filter filter{.today = casebook::local_day(casebook::now())};
  std::string since, standing, classes;
  app.add_flag("--new", filter.is_new,
               "only those that no build but the latest of its program has shown; with --since: first seen since then");
  app.add_option("--since", since, "only those seen since then: 2026-03-01, or '2026-03-01 12:00'")->type_name("DATE");
  app.add_option("--standing", standing, fmt::format("only those that stand so: {}", standing_names()))
      ->type_name("NAME,...");
  app.add_option("--class", classes, fmt::format("only those that do this: {}|none", casebook::kClassNames))
      ->type_name("NAME,...");
  app.add_option("--file", filter.file, "only those with a statement in this file: bank.cpp, 'src/*.cpp'")
      ->type_name("NAME");
  app.add_flag("--accepted", filter.accepted, "only those that norn accept silences now");
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  std::string error;
  if (!app.remaining().empty()) {
    error = fmt::format("norn list takes options only; of one race: norn show {}", app.remaining()[0]);
  } else if (const auto time = casebook::parse_local_time(since); !since.empty() && !time) {
    error = fmt::format("--since={} is no date like 2026-03-01 or '2026-03-01 12:00'", since);
  } else {
    filter.since = time.value_or(0);
    if (!standing.empty()) read_names("--standing", standing, standing_names(), filter.standings, error);
    if (!classes.empty() && error.empty())
      read_names("--class", classes, fmt::format("{}|none", casebook::kClassNames), filter.classes, error);
  }
  if (!error.empty()) {
    complain(error);
    return kMisuse;
  }
  return file.use(casebook::Access::kRead, [&](casebook::Casebook& casebook) {
    const std::vector<KnownRace> all = casebook.races();
    std::vector<const KnownRace*> chosen;
    for (const KnownRace& race : all)
      if (filter.passes(race)) chosen.push_back(&race);
    // The strongest first, of these the latest.
    std::sort(chosen.begin(), chosen.end(), [](const KnownRace* a, const KnownRace* b) {
      return std::tuple(b->standing(), b->last, std::string_view(a->id)) <
             std::tuple(a->standing(), a->last, std::string_view(b->id));
    });
    std::string text = lines_of(chosen);
    const auto races = static_cast<size_t>(
        std::count_if(chosen.begin(), chosen.end(), [](const KnownRace* race) { return race->is_race(); }));
    const size_t hazards = chosen.size() - races;
    text += fmt::format("norn: {} race{}", races, races == 1 ? "" : "s");
    if (hazards > 0) text += fmt::format(" and {} other hazard{}", hazards, hazards == 1 ? "" : "s");
    if (chosen.size() < all.size()) text += fmt::format(" of {} that are known", all.size());
    text += fmt::format("; {}\n", chosen.empty() ? casebook.path() : "of one: norn show R…");
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  });
}

}  // namespace norn::cli
