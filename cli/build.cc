// norn build: the program again, of its image.
#include <fmt/format.h>

#include <thread>

#include "cli/image_files.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "image/rebuild.h"

namespace norn::cli {

int build(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  std::string profile = "full";
  image::BuildOptions options;
  options.drivers = tool_directory();
  options.jobs = std::max(std::thread::hardware_concurrency(), 1U);
  app.add_option(
         "--profile", profile,
         "what it is for: full (default, checks everything), sampling (checks samples), production (plain code, "
         "no checks)")
      ->type_name("PROFILE");
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
  } else if (profile != "full") {
    complain(fmt::format("unknown profile {}; say --profile=full, sampling or production", profile));
    return kMisuse;
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
