#include "analyze/sampler_comparison.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analyze/parallel.h"
#include "analyze/samplers.h"
#include "base/temporary_directory.h"
#include "report/record_reader.h"
#include "trace/trace_reader.h"

namespace norn::analyze {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Only what happens-before needs: a sampler's log has no order by accesses (docs/design/sampling.md).
constexpr const char* kOptions = "engine=hb:cv=lost:hazards=none";

// One way to look at all traces of an execution.
struct Way {
  std::string sampler;  // empty: the full log
  bool pages = false;
  AccessCounts counts{};
  std::map<std::string, SeenRace> races{};
};

std::string place_of(const report::Race& race) {
  std::string places;
  for (const report::Access& access : race.accesses) {
    const report::Frame& site = access.site;
    if (!places.empty()) places += " ";
    places += fs::path(std::string(view(site.file))).filename().string() + ":" + std::to_string(site.line);
  }
  return places;
}

bool read_races(const std::string& file, Way& way, std::string& error) {
  std::ifstream in(file);
  std::stringstream contents;
  contents << in.rdbuf();
  const auto findings = report::merge_findings({{file, contents.str()}}, error);
  if (!findings) return false;
  for (const report::Race& race : findings->races) {
    if (race.detection != report::Detection::kObserved) continue;
    SeenRace& seen = way.races[race.id.hex];
    seen.id = race.id.hex;
    if (seen.place.empty()) seen.place = place_of(race);
    seen.count += race.count;
  }
  return true;
}

bool look(const std::vector<std::string>& traces, const ComparisonOptions& options, std::vector<Way>& ways,
          std::string& error) {
  const TemporaryDirectory directory("norn-samplers");
  if (directory.path().empty()) {
    error = "no directory for findings could be made";
    return false;
  }
  WaitedFor waited_for;  // by any of the processes: a child goes on with its parent's memory
  for (const std::string& trace : traces) {
    const std::unique_ptr<trace::TraceFile> file = trace::TraceFile::open(trace, error);
    if (!file) return false;
    trace::for_each_item(*file, [&](uint32_t, const trace::Item& item) { waited_for.look_at(item); });
  }
  std::vector<Job> jobs;
  for (const Way& way : ways) {
    for (const std::string& trace : traces) {
      Job job{trace, directory.path() + "/findings" + std::to_string(jobs.size()), kOptions};
      job.sampler = way.sampler;
      job.seed = options.seed;
      job.waited_for = &waited_for;
      job.counts = job.findings + ".counts";
      job.pages = way.pages;
      jobs.push_back(std::move(job));
    }
  }
  // Never more workers than jobs: none is divided.
  const unsigned workers = std::min(options.workers, static_cast<unsigned>(jobs.size()));
  const std::vector<Result> results = analyze_all(jobs, workers, [](size_t, size_t) {});
  for (size_t i = 0; i < jobs.size(); ++i) {
    Way& way = ways[i / traces.size()];
    if (results[i].outcome == Outcome::kRefused) {
      error = results[i].error;
      return false;
    }
    AccessCounts counts;
    if (!read_counts(jobs[i].counts, counts)) {
      error = jobs[i].counts + " cannot be read";
      return false;
    }
    way.counts.accesses += counts.accesses;
    way.counts.non_stack += counts.non_stack;
    way.counts.logged += counts.logged;
    if (!read_races(jobs[i].findings, way, error)) return false;
  }
  return true;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The share of the races of one kind that are found.
enum class Kind : uint8_t { kAll, kRare, kFrequent };
std::optional<double> share(const Execution& execution, const std::set<std::string>& found, Kind kind) {
  size_t known = 0;
  size_t both = 0;
  for (const SeenRace& race : execution.races) {
    if (kind != Kind::kAll && is_rare(race, execution) != (kind == Kind::kRare)) continue;
    ++known;
    both += found.contains(race.id) ? 1 : 0;
  }
  if (known == 0) return std::nullopt;
  return static_cast<double>(both) / static_cast<double>(known);
}

Rates rates_of(const std::vector<const Execution*>& executions, size_t sampler) {
  Rates rates;
  std::vector<double> shares[3];
  uint64_t logged = 0;
  uint64_t accesses = 0;
  for (const Execution* execution : executions) {
    const SamplerLog& log = execution->samplers[sampler];
    const std::set<std::string> found(log.found.begin(), log.found.end());
    logged += log.logged;
    accesses += execution->accesses;
    for (const Kind kind : {Kind::kAll, Kind::kRare, Kind::kFrequent}) {
      if (const auto rate = share(*execution, found, kind)) shares[static_cast<size_t>(kind)].push_back(*rate);
    }
  }
  rates.logged = accesses == 0 ? 0 : static_cast<double>(logged) / static_cast<double>(accesses);
  rates.all = mean(shares[0]);
  rates.rare = mean(shares[1]);
  rates.frequent = mean(shares[2]);
  return rates;
}

std::string percent(std::optional<double> share) { return share ? fmt::format("{:.1f} %", *share * 100) : "-"; }

}  // namespace

bool is_rare(const SeenRace& race, const Execution& execution) {
  return static_cast<double>(race.count) * 1e6 < 3.0 * static_cast<double>(execution.non_stack);
}

bool compare_samplers(const std::vector<std::string>& traces, const ComparisonOptions& options, Execution& execution,
                      std::string& error) {
  std::vector<Way> ways = {{.sampler = ""}};
  for (const SamplerInfo& sampler : samplers()) ways.push_back({.sampler = std::string(sampler.name)});
  if (options.pages) ways.push_back({.sampler = "", .pages = true});
  if (!look(traces, options, ways, error)) return false;
  const Way& full = ways[0];
  execution.accesses = full.counts.accesses;
  execution.non_stack = full.counts.non_stack;
  for (const auto& [id, race] : full.races) execution.races.push_back(race);
  for (size_t i = 1; i <= samplers().size(); ++i) {
    SamplerLog log{ways[i].sampler, ways[i].counts.logged, {}};
    for (const auto& [id, race] : ways[i].races) log.found.push_back(id);
    execution.samplers.push_back(std::move(log));
  }
  if (options.pages) {
    const Way& pages = ways.back();
    execution.pages = {pages.races.size(), 0};
    for (const auto& [id, race] : full.races) execution.pages->hidden += pages.races.contains(id) ? 0 : 1;
  }
  return true;
}

std::string json_of(const std::vector<Execution>& executions) {
  Json all = Json::array();
  for (const Execution& execution : executions) {
    Json races = Json::array();
    for (const SeenRace& race : execution.races) {
      races.push_back(
          {{"id", race.id}, {"place", race.place}, {"count", race.count}, {"rare", is_rare(race, execution)}});
    }
    Json logs = Json::array();
    for (const SamplerLog& log : execution.samplers)
      logs.push_back({{"sampler", log.sampler}, {"logged", log.logged}, {"found", log.found}});
    Json one = {{"program", execution.program},
                {"accesses", execution.accesses},
                {"non_stack", execution.non_stack},
                {"races", races},
                {"samplers", logs}};
    if (execution.pages) one["pages"] = {{"races", execution.pages->races}, {"hidden", execution.pages->hidden}};
    all.push_back(std::move(one));
  }
  return Json({{"norn_samplers", 1}, {"executions", all}}).dump(1) + "\n";
}

bool read_executions(const std::string& text, std::vector<Execution>& executions, std::string& error) {
  try {
    const Json all = Json::parse(text);
    if (all.at("norn_samplers") != 1) throw std::runtime_error("of another version");
    for (const Json& one : all.at("executions")) {
      Execution execution{one.at("program"), one.at("accesses"), one.at("non_stack")};
      for (const Json& race : one.at("races"))
        execution.races.push_back({race.at("id"), race.at("place"), race.at("count")});
      for (const Json& log : one.at("samplers"))
        execution.samplers.push_back({log.at("sampler"), log.at("logged"), log.at("found")});
      if (one.contains("pages")) execution.pages = {one["pages"].at("races"), one["pages"].at("hidden")};
      const bool alike =
          std::equal(execution.samplers.begin(), execution.samplers.end(), samplers().begin(), samplers().end(),
                     [](const SamplerLog& log, const SamplerInfo& sampler) { return log.sampler == sampler.name; });
      if (!alike) throw std::runtime_error("not of the samplers that there are");
      executions.push_back(std::move(execution));
    }
    return true;
  } catch (const std::exception& problem) {
    error = problem.what();
    return false;
  }
}

Comparison summarize(const std::vector<Execution>& executions) {
  Comparison comparison;
  for (const SamplerInfo& sampler : samplers()) comparison.samplers.emplace_back(sampler.name);
  std::vector<std::pair<std::string, std::vector<const Execution*>>> programs;  // in the order of their first execution
  for (const Execution& execution : executions) {
    const auto known =
        std::find_if(programs.begin(), programs.end(), [&](const auto& p) { return p.first == execution.program; });
    if (known == programs.end()) {
      programs.push_back({execution.program, {&execution}});
    } else {
      known->second.push_back(&execution);
    }
  }
  for (const auto& [name, of_it] : programs) {
    ProgramRates program{name, of_it.size()};
    std::vector<double> counts[3];
    for (const Execution* execution : of_it) {
      program.accesses += execution->accesses;
      const auto rare = std::count_if(execution->races.begin(), execution->races.end(),
                                      [&](const SeenRace& race) { return is_rare(race, *execution); });
      counts[0].push_back(static_cast<double>(execution->races.size()));
      counts[1].push_back(static_cast<double>(rare));
      counts[2].push_back(static_cast<double>(execution->races.size()) - static_cast<double>(rare));
    }
    program.races = median(counts[0]);
    program.rare = median(counts[1]);
    program.frequent = median(counts[2]);
    for (size_t i = 0; i < comparison.samplers.size(); ++i) program.samplers.push_back(rates_of(of_it, i));
    comparison.programs.push_back(std::move(program));
  }
  for (size_t i = 0; i < comparison.samplers.size(); ++i) {
    std::vector<double> values[4];
    double logged = 0;
    double accesses = 0;
    for (const ProgramRates& program : comparison.programs) {
      const Rates& rates = program.samplers[i];
      logged += rates.logged * static_cast<double>(program.accesses);
      accesses += static_cast<double>(program.accesses);
      values[0].push_back(rates.logged);
      if (rates.all) values[1].push_back(*rates.all);
      if (rates.rare) values[2].push_back(*rates.rare);
      if (rates.frequent) values[3].push_back(*rates.frequent);
    }
    comparison.means.push_back({mean(values[0]).value_or(0), mean(values[1]), mean(values[2]), mean(values[3])});
    comparison.weighted.push_back(accesses == 0 ? 0 : logged / accesses);
  }
  return comparison;
}

std::string tables_of(const Comparison& comparison, const std::vector<Execution>& executions) {
  std::string text =
      "| sampler | | logged, weighted | logged, mean | races found | rare | frequent |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (size_t i = 0; i < comparison.samplers.size(); ++i) {
    const Rates& rates = comparison.means[i];
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", comparison.samplers[i], samplers()[i].meaning,
                        percent(comparison.weighted[i]), percent(rates.logged), percent(rates.all), percent(rates.rare),
                        percent(rates.frequent));
  }
  text +=
      "\n| program | executions | accesses, all | races (median) | rare | frequent |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n";
  for (const ProgramRates& program : comparison.programs) {
    text += fmt::format("| {} | {} | {} | {:g} | {:g} | {:g} |\n", program.program, program.executions,
                        program.accesses, program.races, program.rare, program.frequent);
  }
  uint64_t races = 0;
  uint64_t hidden = 0;
  bool any = false;
  for (const Execution& execution : executions) {
    if (!execution.pages) continue;
    any = true;
    races += execution.races.size();
    hidden += execution.pages->hidden;
  }
  if (any) {
    text += fmt::format(
        "\nWith allocation as synchronization on pages (LiteRace, section 4.3) {} of the full logs' {} races are "
        "hidden.\n",
        hidden, races);
  }
  return text;
}

}  // namespace norn::analyze
