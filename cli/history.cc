#include "cli/history.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "schedule/log_file.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr size_t kRunsKept = 10;

std::string home_directory() {
  const char* named = std::getenv("NORN_DIR");
  std::error_code error;
  return fs::absolute(named != nullptr && *named != '\0' ? named : ".norn", error).string();
}

int number_of(const std::string& name) {
  if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::atoi(name.c_str());
}

// The numbers of the runs in a home, the latest first.
std::vector<int> run_numbers(const std::string& home) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(home + "/runs", error))
    if (const int number = number_of(entry.path().filename().string()); number > 0) numbers.push_back(number);
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

KeptRun describe(const std::string& home, int number) {
  KeptRun run{.number = number, .directory = fmt::format("{}/runs/{}", home, number)};
  std::ifstream stream(run.directory + "/run.json");
  const Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object()) return run;
  try {
    run.command = json.value("command", std::vector<std::string>());
    run.started = json.value("started", "");
    run.ended = json.contains("exit");
    run.exit = json.value("exit", 0);
  } catch (const Json::exception&) {
    run.command.clear();  // someone else's file: what the findings say is enough
  }
  return run;
}

void remove_old(const std::string& home) {
  const std::vector<int> numbers = run_numbers(home);
  for (size_t i = kRunsKept; i < numbers.size(); ++i) {
    const std::string directory = fmt::format("{}/runs/{}", home, numbers[i]);
    const int lock = open((directory + "/run.json").c_str(), O_RDONLY | O_CLOEXEC);
    const bool going_on = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0;
    std::error_code error;
    if (!going_on) fs::remove_all(directory, error);
    if (lock >= 0) close(lock);
  }
}

}  // namespace

NewRun::NewRun(const std::vector<std::string>& command) {
  run_.command = command;
  run_.started = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr)));
  const std::string home = home_directory();
  if (create(home)) return;
  const int reason = errno;
  std::string temporary = (fs::temp_directory_path() / "norn-XXXXXX").string();
  if (mkdtemp(temporary.data()) != nullptr && create(temporary)) {
    complain(fmt::format("{} cannot be written ({}); this run's findings are in {}", home, std::strerror(reason),
                         run_.directory));
    return;
  }
  complain(fmt::format("neither {} nor a temporary directory can be written: {}", home, std::strerror(reason)));
}

bool NewRun::create(const std::string& home) {
  std::error_code error;
  fs::create_directories(home + "/runs", error);
  if (error) {
    errno = error.value();
    return false;
  }
  // What programs found is not for version control.
  if (!fs::exists(home + "/.gitignore", error)) std::ofstream(home + "/.gitignore") << "*\n";
  const std::vector<int> numbers = run_numbers(home);
  for (int number = numbers.empty() ? 1 : numbers[0] + 1;; ++number) {
    run_.directory = fmt::format("{}/runs/{}", home, number);
    if (mkdir(run_.directory.c_str(), 0777) == 0) {
      run_.number = number;
      break;
    }
    if (errno != EEXIST) return false;
  }
  lock_ = open((run_.directory + "/run.json").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) return false;
  flock(lock_, LOCK_EX);
  home_ = home;
  write_description();
  return true;
}

NewRun::~NewRun() {
  if (lock_ >= 0) close(lock_);
}

void NewRun::write_description() const {
  std::error_code error;
  Json json = {{"norn", 1},
               {"command", run_.command},
               {"directory", fs::current_path(error).string()},
               {"started", run_.started}};
  if (run_.ended) json["exit"] = run_.exit;
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  [[maybe_unused]] const bool ok = ftruncate(lock_, 0) == 0 && pwrite(lock_, text.data(), text.size(), 0) > 0;
}

void NewRun::finish(int exit) {
  run_.exit = exit;
  run_.ended = true;
  write_description();
  // A link is replaced in one step by renaming another over it.
  const std::string link = fmt::format("{}/last.{}", home_, getpid());
  std::error_code error;
  fs::remove(link, error);
  fs::create_symlink(fmt::format("runs/{}", run_.number), link, error);
  fs::rename(link, home_ + "/last", error);
  remove_old(home_);
}

namespace {

constexpr size_t kSchedulesKept = 200;

std::string schedule_file(const std::string& token) {
  return fmt::format("{}/schedules/{:016x}.log", home_directory(), report::text_hash(report::text_of(token)));
}

}  // namespace

void keep_schedule(const std::string& token, const std::string& log) {
  const fs::path kept = schedule_file(token);
  std::error_code error;
  fs::create_directories(kept.parent_path(), error);
  if (error) return;
  // The log is as long as it may become; only its beginning is used.
  if (!schedule::write_log(kept, schedule::read_log(log))) return;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const auto& entry : fs::directory_iterator(kept.parent_path(), error))
    all.emplace_back(entry.last_write_time(error), entry.path());
  std::sort(all.rbegin(), all.rend());
  for (size_t i = kSchedulesKept; i < all.size(); ++i) fs::remove(all[i].second, error);
}

std::string keep_schedule_file(const std::string& id, const std::string& text) {
  const fs::path path = fmt::format("{}/schedules/R{}.schedule", home_directory(), id.empty() ? "explored" : id);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream stream(path, std::ios::trunc);
  stream << text;
  stream.close();
  return stream.fail() ? "" : fs::relative(path, error).string();
}

std::string kept_schedule(const std::string& token) {
  std::string path = schedule_file(token);
  std::error_code error;
  return fs::exists(path, error) ? path : "";
}

std::vector<KeptRun> kept_runs() {
  const std::string home = home_directory();
  std::vector<KeptRun> runs;
  for (const int number : run_numbers(home)) runs.push_back(describe(home, number));
  return runs;
}

std::optional<KeptRun> find_run(std::optional<int> number, std::string& error) {
  const std::string home = home_directory();
  std::error_code code;
  if (!number) {
    const int last = number_of(fs::read_symlink(home + "/last", code).filename().string());
    const std::vector<int> numbers = run_numbers(home);
    if (last > 0 && std::find(numbers.begin(), numbers.end(), last) != numbers.end()) return describe(home, last);
    if (!numbers.empty()) return describe(home, numbers[0]);
    error = fmt::format("no runs in {}; type: norn run -- ./program", home);
    return std::nullopt;
  }
  if (fs::exists(fmt::format("{}/runs/{}", home, *number), code)) return describe(home, *number);
  error = fmt::format("run {} is not kept in {}; norn show --runs lists what is", *number, home);
  return std::nullopt;
}

std::optional<KeptRun> last_run_of(const std::string& program) {
  for (KeptRun& run : kept_runs())
    if (!run.command.empty() && fs::path(run.command[0]).filename() == fs::path(program).filename())
      return std::move(run);
  return std::nullopt;
}

std::optional<report::Findings> load_findings(const KeptRun& run, std::string& error) {
  std::string contents;
  std::error_code code;
  // A program that never reached its runtime leaves no file.
  if (fs::exists(run.findings(), code)) {
    auto read = report::read_whole_file(run.findings(), error);
    if (!read) return std::nullopt;
    contents = std::move(*read);
  }
  auto findings = report::merge_findings({{run.findings(), std::move(contents)}}, error);
  if (!findings) return std::nullopt;
  if (!run.command.empty()) {
    std::vector<report::Text> command;
    command.reserve(run.command.size());
    for (const std::string& argument : run.command) command.push_back(findings->pool.keep(argument));
    findings->run.program = command[0];
    findings->run.command = findings->pool.keep(std::move(command));
  }
  if (run.ended) findings->run.exit = run.exit;
  return findings;
}

}  // namespace norn::cli
