#include "analyze/shares.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>

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

// "2-of-3"
bool read_share(std::string_view text, options::Share& share) {
  const size_t middle = text.find("-of-");
  if (middle == std::string_view::npos) return false;
  const auto number = [](std::string_view digits, unsigned& value) {
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return code == std::errc() && end == digits.data() + digits.size();
  };
  if (!number(text.substr(0, middle), share.index) || !number(text.substr(middle + 4), share.count)) return false;
  if (share.index == 0 || share.index > share.count) return false;
  --share.index;
  return true;
}

// By their index: the shares that were made of a trace.
std::map<unsigned, options::Share> shares_of(const std::string& trace, std::string& error) {
  std::map<unsigned, options::Share> shares;
  const fs::path path(trace);
  const std::string begin = path.filename().string() + std::string(kShare);
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(path.has_parent_path() ? path.parent_path() : fs::path("."), code)) {
    const std::string name = entry.path().filename().string();
    options::Share share;
    if (!name.starts_with(begin) || !read_share(std::string_view(name).substr(begin.size()), share)) continue;
    if (!shares.empty() && shares.begin()->second.count != share.count) {
      error = fmt::format("{} has shares of {} and of {}: remove those that are not meant", trace,
                          shares.begin()->second.count, share.count);
      return {};
    }
    shares[share.index] = share;
  }
  if (shares.empty()) error = fmt::format("{} has no shares; norn analyze --share=K/N makes them", trace);
  return shares;
}

std::string list_of_missing(const std::map<unsigned, options::Share>& shares, unsigned count) {
  std::string missing;
  for (unsigned i = 0; i < count; ++i)
    if (!shares.contains(i)) missing += (missing.empty() ? "" : ", ") + std::to_string(i + 1);
  return missing;
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
  const std::map<unsigned, options::Share> shares = shares_of(trace.trace, result.error);
  if (!result.error.empty()) return {Outcome::kRefused, result.error};
  std::vector<std::string> files;
  for (const auto& [index, share] : shares) {
    files.push_back(file_of(trace.trace, share));
    std::ifstream in(files.back());
    std::string line;
    if (!std::getline(in, line) || line != heading(trace, share)) {
      return {Outcome::kRefused, files.back() + " is a share of another analysis: of other options, or another trace"};
    }
  }
  const unsigned count = shares.begin()->second.count;
  const std::string missing = list_of_missing(shares, count);
  const std::string lacking =
      missing.empty()
          ? ""
          : fmt::format("of {} shares of the analysis {} was not made: races may be missing", count, missing);
  if (!merge_parts(files, trace.findings, pid_of(trace.trace), lacking, result.error)) {
    return {Outcome::kRefused, result.error};
  }
  result.error = lacking;
  return result;
}

}  // namespace norn::analyze
