// norn samplers: what samplers would have logged and found of full traces.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "analyze/sampler_comparison.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "trace/trace_reader.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;

// Whether the trace says which functions were entered.
bool is_full(const trace::TraceFile& file) {
  trace::Merge merge(file);
  trace::Item item;
  while (merge.next(item))
    if (item.kind == trace::ItemKind::kRegion) return true;
  return false;
}

// One execution of the traces in a directory.
bool compare_directory(const std::string& directory, const analyze::ComparisonOptions& options,
                       analyze::Execution& execution, std::string& error) {
  const std::vector<std::string> traces = trace::traces_in(directory);
  if (traces.empty()) {
    error = fmt::format("{} has no traces; norn record --out=DIR -- ./program writes them", directory);
    return false;
  }
  bool any = false;
  for (const std::string& path : traces) {
    const std::unique_ptr<trace::TraceFile> file = trace::TraceFile::open(path, error);
    if (!file) return false;
    any = any || is_full(*file);
    if (execution.program.empty() && !file->tables().command.empty()) {
      const Text program = file->tables().command[0];
      execution.program = fs::path(std::string(program.data, program.size)).filename().string();
    }
  }
  if (!any) {
    error = fmt::format("{} does not say which functions were entered; build the program with -fnorn-profile=trace",
                        directory);
    return false;
  }
  return analyze::compare_samplers(traces, options, execution, error);
}

bool read_file(const std::string& path, std::vector<analyze::Execution>& executions, std::string& error) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) {
    error = path + " cannot be read";
    return false;
  }
  if (analyze::read_executions(text.str(), executions, error)) return true;
  error = fmt::format("{} is not what norn samplers --json writes: {}", path, error);
  return false;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text << std::flush;
  if (out) return true;
  complain(path + " cannot be written");
  return false;
}

}  // namespace

int compare_samplers(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  std::string json;
  std::string picture;
  std::string name;
  std::string allocation = "own";
  analyze::ComparisonOptions options;
  options.workers = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--json", json, "write what each sampler logged and found to this file")->type_name("FILE");
  app.add_option("--svg", picture, "draw it, in the form of LiteRace's figures 4 and 5")->type_name("FILE");
  app.add_option("--name", name,
                 "what the program is called (default: its file); executions of one name are one program")
      ->type_name("NAME");
  app.add_option("--seed", options.seed, "of the random samplers (default: 1)")->type_name("N");
  app.add_option("--jobs", options.workers, "how many processes work at once (default: one for each processor)")
      ->type_name("N");
  app.add_option("--alloc", allocation,
                 "own, or page: count the races that are hidden if allocation is synchronization on pages")
      ->type_name("RULE");
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> named = app.remaining();
  if (named.empty()) {
    complain("name the directories that norn record wrote: norn samplers DIR...");
    return kMisuse;
  }
  if (allocation != "own" && allocation != "page") {
    complain(fmt::format("--alloc={} is no rule; say own or page", allocation));
    return kMisuse;
  }
  options.pages = allocation == "page";
  std::vector<analyze::Execution> executions;
  for (const std::string& place : named) {
    std::string error;
    std::error_code code;
    if (fs::is_regular_file(place, code) && place.ends_with(".json")) {
      if (read_file(place, executions, error)) continue;
    } else {
      analyze::Execution execution{name};
      if (compare_directory(place, options, execution, error)) {
        executions.push_back(std::move(execution));
        continue;
      }
    }
    complain(error);
    return kMisuse;
  }
  const analyze::Comparison comparison = analyze::summarize(executions);
  fmt::print("{}", analyze::tables_of(comparison, executions));
  if (!json.empty() && !write_file(json, analyze::json_of(executions))) return kMisuse;
  if (!picture.empty() && !write_file(picture, analyze::picture_of(comparison))) return kMisuse;
  return 0;
}

}  // namespace norn::cli
