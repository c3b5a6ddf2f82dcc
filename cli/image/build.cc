// norn build: the program again, of its image.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/image/image_files.h"
#include "cli/static/static_analysis.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "image/rebuild.h"
#include "report/record_reader.h"

namespace norn::cli {
namespace {

// A file for as long as this lives.
class TemporaryFile final {
 public:
  TemporaryFile() {
    std::string name = (std::filesystem::temp_directory_path() / "norn-sites-XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor >= 0) close(descriptor);
    path_ = name;
  }
  ~TemporaryFile() {
    std::error_code code;
    std::filesystem::remove(path_, code);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Writes the sites of all candidates. What a loop waits for is reported as a flag, and is no candidate. False if it
// failed, and said so.
bool write_candidates(const std::string& program, const std::string& path) {
  const std::optional<report::Findings> findings = find_statically(program);
  if (!findings) return false;
  std::ofstream file(path);
  for (const report::Race& race : findings->races)
    for (const report::Access& access : race.accesses) file << fmt::format("{:016x}\n", access.site_id);
  if (file.flush()) return true;
  complain(fmt::format("{} cannot be written", path));
  return false;
}

// Writes the sites that need no check, and says what that rests on.
bool write_left_out(const std::string& program, const std::string& path) {
  const std::optional<report::Findings> findings = find_statically(program, {"left-out=" + path});
  if (!findings) return false;
  bool whole = true;
  for (const Text note : findings->run.notes) {
    const std::string_view words(note.data, note.size);
    fmt::print("norn: {}\n", words);
    whole = whole && !words.starts_with("incomplete:");
  }
  fmt::print("norn: {}\n",
             whole
                 ? "the analysis saw all of the program, so no race is lost, but for what docs/design/static.md trusts"
                 : "what the analysis does not see may reach memory that it thinks is one thread's: all that it can "
                   "reach stays checked");
  return true;
}

}  // namespace

int build(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  std::string profile = "full";
  bool only_candidates = false;
  image::BuildOptions options;
  options.drivers = tool_directory();
  options.jobs = std::max(std::thread::hardware_concurrency(), 1U);
  app.add_option(
         "--profile", profile,
         "what it is for: full (default, checks everything), sampling (checks samples), production (for norn hive: "
         "probes that sleep, at the candidates of norn static), plain (without norn)")
      ->type_name("PROFILE");
  app.add_option("--probes", options.probes,
                 "with --profile=production: instead, at the sites that a file lists, one on a line, or all")
      ->type_name("FILE");
  app.add_flag("--only-candidates", only_candidates,
               "with --profile=full: no checks where no two threads can access the same memory at the same time, as "
               "norn static finds; synchronization is followed as ever");
  app.add_option("-o,--output", options.output, "the file to write")->type_name("FILE");
  app.add_option("--library-path", options.library_path, "where libraries of the link are, if they moved")
      ->type_name("DIRECTORY");
  app.add_option("--jobs", options.jobs, "how many modules are compiled at once (default: one a core)")->type_name("N");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (app.remaining().size() != 1 || options.output.empty()) {
    complain("say of which program, and the file to write: norn build --profile=sampling ./program -o ./sampled");
    return kMisuse;
  }
  if (profile == "sampling") {
    options.profile = image::BuildProfile::kSampling;
  } else if (profile == "production") {
    options.profile = image::BuildProfile::kProduction;
  } else if (profile == "plain") {
    options.profile = image::BuildProfile::kPlain;
  } else if (profile != "full") {
    complain(fmt::format("unknown profile {}; say --profile=full, sampling, production or plain", profile));
    return kMisuse;
  }
  if (only_candidates && options.profile != image::BuildProfile::kFull) {
    complain("--only-candidates is for --profile=full: the others check samples, or candidates alone");
    return kMisuse;
  }
  const TemporaryFile sites;
  if (options.profile == image::BuildProfile::kProduction && options.probes.empty()) {
    if (!write_candidates(app.remaining()[0], sites.path())) return kMisuse;
    options.probes = sites.path();
  }
  if (only_candidates) {
    if (!write_left_out(app.remaining()[0], sites.path())) return kMisuse;
    options.left_out = sites.path();
  }
  image::ProgramImage program;
  std::string error;
  if (!image::read_image(app.remaining()[0], runtime_archive(), program, error) ||
      !image::build_again(program, options, error)) {
    complain(error);
    return kMisuse;
  }
  return 0;
}

}  // namespace norn::cli
