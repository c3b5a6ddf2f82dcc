// norn analyze: judges what norn record recorded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "analyze/parallel.h"
#include "analyze/shares.h"
#include "casebook/runs.h"
#include "cli/confirm/conclusion.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "options/share.h"
#include "trace/trace_reader.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;

// The traces that are meant: of a directory, or one file; without a word, of the last run that recorded some. (What
// judged them since is a run, too.)
std::vector<std::string> find_traces(const std::vector<std::string>& named) {
  if (named.size() > 1) {
    complain("name one directory that norn record wrote");
    return {};
  }
  std::vector<std::string> found;
  if (named.empty()) {
    for (const casebook::KeptRun& run : casebook::kept_runs()) {
      found = trace::traces_in(run.directory + "/trace");
      if (!found.empty()) return found;
    }
    complain("none of the runs that are kept has traces; norn record -- ./program writes them");
    return found;
  }
  std::error_code code;
  if (fs::is_regular_file(named[0], code)) return {named[0]};
  found = trace::traces_in(named[0]);
  if (found.empty())
    complain(fmt::format("{} has no traces; norn record --out=DIR -- ./program writes them", named[0]));
  return found;
}

std::vector<std::string> command_of(const std::string& file, std::string& error) {
  const std::unique_ptr<trace::TraceFile> opened = trace::TraceFile::open(file, error);
  std::vector<std::string> command;
  if (!opened) return command;
  for (const Text word : opened->tables().command)
    command.emplace_back(word.data == nullptr ? "" : word.data, word.size);
  if (command.empty()) command.emplace_back("?");
  return command;
}

// An engine that is not the core's, taken from the arguments; none if none is named.
analyze::OfflineEngine take_engine(std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const bool apart = arguments[i] == "--engine" && i + 1 < arguments.size();
    for (const analyze::OfflineEngineRow& row : analyze::kOfflineEngines) {
      if (apart ? arguments[i + 1] != view(row.name) : arguments[i] != fmt::format("--engine={}", view(row.name)))
        continue;
      const auto at = arguments.begin() + static_cast<ptrdiff_t>(i);
      arguments.erase(at, at + (apart ? 2 : 1));
      return row.kind;
    }
  }
  return analyze::OfflineEngine::kNone;
}

void show_progress(size_t done, size_t all) {
  if (is_terminal(2)) fmt::print(stderr, "\rnorn: {} of {} parts analysed{}", done, all, done == all ? "\n" : "");
}

size_t complain_of_refused(const std::vector<analyze::Result>& results) {
  size_t refused = 0;
  for (const analyze::Result& result : results) {
    if (result.outcome != analyze::Outcome::kRefused) continue;
    complain(result.error);
    ++refused;
  }
  return refused;
}

// Makes a share, and reports nothing: only all of them together know.
int make_share(const std::string& said, const std::vector<std::string>& named, const std::vector<analyze::Job>& work,
               unsigned jobs) {
  std::string error;
  const auto share = options::share_of(said, error);
  if (!share) {
    complain(error);
    return kMisuse;
  }
  if (complain_of_refused(analyze::make_shares(work, *share, jobs, show_progress)) > 0) return kMisuse;
  fmt::print(stderr, "norn: share {} of the analysis is made; when all are, type: norn analyze {}--collect\n",
             share->text(), named.empty() ? "" : named[0] + " ");
  return 0;
}

}  // namespace

int analyze_trace(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  Detection request;
  std::string format = "text";
  unsigned jobs = 0;
  std::string witnesses;
  std::string share;
  bool collect = false;
  const analyze::OfflineEngine engine = take_engine(arguments);
  app.add_option("--jobs", jobs,
                 "how many processes work at once: more than there are traces divide them (default: one for each "
                 "trace, at most one for "
                 "each processor)")
      ->type_name("N");
  app.add_option(
         "--witness", witnesses,
         "with --engine=sync-preserving, which proves races: write each one's reordering of the trace here, for "
         "norn trace witness")
      ->type_name("FILE");
  app.add_option("--share", share,
                 "only a part of the accesses, K of N: others make theirs elsewhere (env: mpirun or Slurm says which); "
                 "it is left beside the traces")
      ->type_name("K/N");
  app.add_flag("--collect", collect,
               "nothing is analysed: the shares that were left beside the traces are put together");
  add_format_option(app, request, format);
  if (const auto status = parse_detection(verb, app, std::move(arguments), request, false); status) return *status;
  if (!load_rules(request)) return kMisuse;
  const std::vector<std::string> files = find_traces(request.command);
  if (files.empty()) return kMisuse;

  if (!witnesses.empty() && engine == analyze::OfflineEngine::kNone) {
    complain("only --engine=sync-preserving has witnesses");
    return kMisuse;
  }
  if (!witnesses.empty() && !std::ofstream(witnesses)) {
    complain(fmt::format("{} cannot be written", witnesses));
    return kMisuse;
  }
  if (engine != analyze::OfflineEngine::kNone && (collect || !share.empty())) {
    complain("--engine=sync-preserving looks at all of a trace: it has no shares");
    return kMisuse;
  }
  std::vector<analyze::Job> work;
  work.reserve(files.size());
  for (const std::string& file : files) {
    work.push_back(
        {.trace = file, .findings = {}, .options = request.options.list(), .engine = engine, .witnesses = witnesses});
  }
  if (jobs == 0) {
    jobs = std::min(std::max(1u, std::thread::hardware_concurrency()), static_cast<unsigned>(files.size()));
  }
  if (!share.empty()) return make_share(share, request.command, work, jobs);

  std::string error;
  request.command = command_of(files[0], error);
  if (request.command.empty()) {
    complain(error);
    return kMisuse;
  }
  casebook::NewRun kept(request.command, "", request.casebook.full_path());
  if (!kept.trouble().empty()) complain(kept.trouble());
  if (!kept.ok()) return kMisuse;
  for (analyze::Job& job : work) job.findings = kept.run().findings();
  std::vector<analyze::Result> results;
  if (collect) {
    for (const analyze::Job& job : work) results.push_back(analyze::collect_shares(job));
  } else {
    results = analyze::analyze_all(work, jobs, show_progress);
  }
  const size_t refused = complain_of_refused(results);
  const bool is_whole = std::all_of(results.begin(), results.end(), [](const auto& r) { return r.error.empty(); });
  kept.finish({});
  if (refused == results.size()) return kMisuse;
  if (const auto status = read_findings(verb, kept, request); status) return *status;
  if (refused > 0) {
    complain(fmt::format("{} of {} traces could not be analysed: this is not the whole run", refused, results.size()));
  }
  if (!is_whole && request.findings) request.findings->run.ended = false;
  request.race_status = static_cast<int>(request.options.settings().exitcode);
  const int status = conclude(request, format);
  return status == 0 && !is_whole ? kMisuse : status;
}

}  // namespace norn::cli
