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

namespace norn::cli {
namespace {

// A file with the sites of all candidates, for as long as this lives.
class CandidateSites final {
 public:
  CandidateSites() = default;
  ~CandidateSites() {
    std::error_code code;
    if (!path_.empty()) std::filesystem::remove(path_, code);
  }
  CandidateSites(const CandidateSites&) = delete;
  CandidateSites& operator=(const CandidateSites&) = delete;

  // What a loop waits for is told as a flag, and is no candidate. False if it failed, and said so.
  [[nodiscard]] bool find(const std::string& program) {
    const std::optional<report::Findings> findings = find_statically(program);
    if (!findings) return false;
    std::string name = (std::filesystem::temp_directory_path() / "norn-probes-XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor >= 0) close(descriptor);
    path_ = name;
    std::ofstream file(path_);
    for (const report::Race& race : findings->races)
      for (const report::Access& access : race.accesses) file << fmt::format("{:016x}\n", access.site_id);
    if (file.flush()) return true;
    complain(fmt::format("{} cannot be written", path_));
    return false;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

int build(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  std::string profile = "full";
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
  CandidateSites candidates;
  if (options.profile == image::BuildProfile::kProduction && options.probes.empty()) {
    if (!candidates.find(app.remaining()[0])) return kMisuse;
    options.probes = candidates.path();
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
