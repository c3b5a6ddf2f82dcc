#include "analyze/shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "analyze/parts.h"

namespace norn::analyze {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShare = ".share-";

std::string file_of(const std::string& trace, const options::Share& share) {
  return fmt::format("{}{}{}-of-{}", trace, kShare, share.index + 1, share.count);
}

// The first line of a share: shares with another one are of another analysis. (What merge_parts() reads has other
// letters.)
std::string heading(const Job& job, const options::Share& share) {
  std::error_code code;
  return fmt::format("P norn-share {} of {} bytes, options {}", share.count, fs::file_size(job.trace, code),
                     job.options.empty() ? "as recorded" : job.options);
}

// Those that were made of a trace; none: why not is in `error`.
struct Made {
  std::set<unsigned> shares;  // from 1
  unsigned count = 0;
};

Made shares_of(const std::string& trace, std::string& error) {
  constexpr std::string_view kOf = "-of-";
  Made made;
  const fs::path path(trace);
  const std::string begin = path.filename().string() + std::string(kShare);
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(path.has_parent_path() ? path.parent_path() : fs::path("."), code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin)) continue;
    std::string words = name.substr(begin.size());
    const size_t middle = words.find(kOf);
    if (middle == std::string::npos) continue;
    std::string other;
    const auto share = options::share_of(words.replace(middle, kOf.size(), "/"), other);
    if (!share) continue;
    if (made.count != 0 && made.count != share->count) {
      error = fmt::format("{} has shares of {} and of {}: remove those that are not meant", trace, made.count,
                          share->count);
      return {};
    }
    made.count = share->count;
    made.shares.insert(share->index + 1);
  }
  if (made.shares.empty()) error = fmt::format("{} has no shares; norn analyze --share=K/N makes them", trace);
  return made;
}

}  // namespace

std::vector<Result> make_shares(const std::vector<Job>& traces, const options::Share& share, unsigned workers,
                                const std::function<void(size_t done, size_t all)>& progress) {
  std::vector<Job> jobs;
  std::vector<Result> results(traces.size());
  for (const Job& trace : traces) {
    Job job = trace;
    job.part = share.index;
    job.parts = share.count;
    job.divided = true;
    // It has its name when it is whole: a share that was not finished is none.
    job.findings = fmt::format("{}.{}", file_of(trace.trace, share), getpid());
    std::ofstream(job.findings, std::ios::trunc) << heading(trace, share) << '\n';
    jobs.push_back(job);
  }
  results = run_jobs(jobs, workers, progress);
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::error_code code;
    if (results[i].outcome != Outcome::kRefused) {
      fs::rename(jobs[i].findings, file_of(jobs[i].trace, share), code);
      if (code) results[i] = {Outcome::kRefused, jobs[i].findings + " cannot be written"};
    }
    if (results[i].outcome == Outcome::kRefused) fs::remove(jobs[i].findings, code);
  }
  return results;
}

Result collect_shares(const Job& trace) {
  Result result;
  const Made made = shares_of(trace.trace, result.error);
  if (!result.error.empty()) return {Outcome::kRefused, result.error};
  std::vector<std::string> files;
  for (const unsigned number : made.shares) {
    const options::Share share = {number - 1, made.count};
    files.push_back(file_of(trace.trace, share));
    std::ifstream in(files.back());
    std::string line;
    if (!std::getline(in, line) || line != heading(trace, share)) {
      return {Outcome::kRefused, files.back() + " is a share of another analysis: of other options, or another trace"};
    }
  }
  const std::vector<unsigned> missing = options::missing_shares(made.shares, made.count);
  const std::string lacking =
      missing.empty() ? ""
                      : fmt::format("of {} shares of the analysis {} {} not made: races may be missing", made.count,
                                    fmt::join(missing, ", "), missing.size() == 1 ? "was" : "were");
  if (!merge_parts(files, trace.findings, pid_of(trace.trace), lacking, result.error)) {
    return {Outcome::kRefused, result.error};
  }
  result.error = lacking;
  return result;
}

}  // namespace norn::analyze
