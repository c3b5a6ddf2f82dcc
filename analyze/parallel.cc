#include "analyze/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>

#include "analyze/parts.h"
#include "trace/trace_reader.h"

namespace norn::analyze {
namespace {

struct Worker {
  size_t job;
  int errors;  // what it says goes through here
};

// In the worker. The outcome is its exit status.
[[noreturn]] void work(const Job& job, int errors) {
  std::string error;
  const Outcome outcome = analyze(job, error);
  [[maybe_unused]] const ssize_t written = write(errors, error.data(), error.size());
  _exit(static_cast<int>(outcome));
}

std::string read_all(int fd) {
  std::string text;
  char bytes[512];
  for (;;) {
    const ssize_t got = read(fd, bytes, sizeof(bytes));
    if (got <= 0) return text;
    text.append(bytes, static_cast<size_t>(got));
  }
}

Result result_of(const Job& job, int status, std::string error) {
  if (WIFEXITED(status) && WEXITSTATUS(status) <= static_cast<int>(Outcome::kRefused)) {
    return {static_cast<Outcome>(WEXITSTATUS(status)), std::move(error)};
  }
  const char* name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : nullptr;
  return {Outcome::kRefused, job.trace + " could not be analysed: its process ended by " +
                                 (name != nullptr ? std::string("SIG") + name : std::string("itself"))};
}

// `alone`: also one part has a file of its own.
std::vector<Job> parts_of(const Job& trace, unsigned parts, bool alone) {
  std::vector<Job> jobs;
  for (unsigned part = 0; part < parts; ++part) {
    Job job = trace;
    job.part = part;
    job.parts = parts;
    job.divided = parts > 1;
    if (parts > 1 || alone) {
      job.findings += ".part" + std::to_string(getpid()) + "-" + std::to_string(part);
      unlink(job.findings.c_str());
    }
    jobs.push_back(job);
  }
  return jobs;
}

// Moves what a job found to the end of the run's findings.
bool append_file(const std::string& from, const std::string& to) {
  {
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(to, std::ios::binary | std::ios::app);
    if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
    if (!out.flush()) return false;
  }
  unlink(from.c_str());
  return true;
}

// One result of the results of its parts.
Result merged(const Job& trace, const std::vector<Job>& parts, const Result* results) {
  Result worst;
  std::vector<std::string> files;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (results[i].outcome > worst.outcome) worst = results[i];
    files.push_back(parts[i].findings);
  }
  if (parts.size() == 1) {
    if (files[0] != trace.findings && !append_file(files[0], trace.findings)) {
      worst = {Outcome::kRefused, trace.findings + " cannot be written"};
    }
    return worst;
  }
  if (worst.outcome != Outcome::kRefused && !merge_parts(files, trace.findings, pid_of(trace.trace), "", worst.error)) {
    worst.outcome = Outcome::kRefused;
  }
  for (const std::string& file : files) unlink(file.c_str());
  return worst;
}

}  // namespace

uint32_t pid_of(const std::string& trace) {
  std::string error;
  const std::unique_ptr<trace::TraceFile> file = trace::TraceFile::open(trace, error);
  return file ? file->tables().process.pid : 0;
}

std::vector<Result> run_jobs(const std::vector<Job>& jobs, unsigned workers,
                             const std::function<void(size_t done, size_t all)>& progress) {
  std::vector<Result> results(jobs.size());
  std::map<pid_t, Worker> running;
  size_t next = 0;
  size_t done = 0;
  while (done < jobs.size()) {
    while (next < jobs.size() && running.size() < (workers == 0 ? 1 : workers)) {
      int ends[2] = {-1, -1};
      const pid_t pid = pipe(ends) == 0 ? fork() : -1;
      if (pid == 0) {
        close(ends[0]);
        work(jobs[next], ends[1]);
      }
      close(ends[1]);
      if (pid < 0) {
        close(ends[0]);
        results[next++] = {Outcome::kRefused, std::string("no process could be started: ") + std::strerror(errno)};
        ++done;
        continue;
      }
      running[pid] = {next++, ends[0]};
    }
    if (running.empty()) continue;
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    const auto found = running.find(ended);
    if (found == running.end()) {
      if (ended < 0 && errno != EINTR) break;
      continue;
    }
    const Worker worker = found->second;
    running.erase(found);
    results[worker.job] = result_of(jobs[worker.job], status, read_all(worker.errors));
    close(worker.errors);
    progress(++done, jobs.size());
  }
  return results;
}

std::vector<Result> analyze_all(const std::vector<Job>& traces, unsigned workers,
                                const std::function<void(size_t done, size_t all)>& progress) {
  // What proves looks at all of a trace.
  const bool divides = !traces.empty() && traces[0].engine == OfflineEngine::kNone;
  const unsigned parts = divides ? std::max(1u, workers / static_cast<unsigned>(traces.size())) : 1;
  // Of several traces that have one file, whoever is ready first would come first.
  const bool is_shared = traces.size() > 1;
  std::vector<Result> results;
  std::vector<Job> jobs;
  for (const Job& trace : traces) {
    for (Job& part : parts_of(trace, parts, is_shared)) {
      part.findings += parts > 1 || is_shared ? "-" + std::to_string(jobs.size()) : "";
      jobs.push_back(std::move(part));
    }
  }
  const std::vector<Result> done = run_jobs(jobs, workers, progress);
  for (size_t i = 0; i < traces.size(); ++i) {
    const std::vector<Job> own(jobs.begin() + static_cast<ptrdiff_t>(i * parts),
                               jobs.begin() + static_cast<ptrdiff_t>((i + 1) * parts));
    results.push_back(merged(traces[i], own, &done[i * parts]));
  }
  return results;
}

}  // namespace norn::analyze
