// norn record: runs a program as norn run does, and keeps every event of it in a trace.
#include <fmt/format.h>

#include <filesystem>

#include "cli/confirm/conclusion.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "trace/trace_reader.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;

// A directory that holds nothing yet.
bool make_directory(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code || !fs::is_directory(path)) {
    complain(fmt::format("{} cannot be made a directory: {}", path, code ? code.message() : "there is something else"));
    return false;
  }
  if (trace::traces_in(path).empty()) return true;
  complain(fmt::format("{} has traces already; name another directory with --out=DIR", path));
  return false;
}

// The program has ended. What cannot be compressed stays as it was written.
void compress_all(const std::string& directory) {
  for (const std::string& file : trace::traces_in(directory)) {
    std::string error;
    if (file.ends_with(".raw") && !trace::compress_trace(file, error)) complain(error);
  }
}

}  // namespace

int record(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  Detection request;
  std::string format = "text";
  std::string directory;
  app.add_option("--out", directory, "the directory to write the trace to (default: trace/ beside the findings)")
      ->type_name("DIR");
  add_format_option(app, request, format);
  request.prepare = [&](const casebook::KeptRun& run) {
    if (directory.empty()) directory = run.directory + "/trace";
    directory = fs::absolute(directory).string();
    if (!make_directory(directory)) return false;
    request.options.set("record", directory);
    return true;
  };
  const auto status = detect(verb, app, std::move(arguments), request);
  if (!directory.empty()) compress_all(directory);
  if (status || !request.findings) return status.value_or(kMisuse);
  const int result = conclude(request, format);
  if (trace::traces_in(directory).empty()) {
    complain("nothing was recorded: no program that ran was built with norn-cc/norn-c++");
  } else if (request.output.empty()) {
    const fs::path shown = fs::proximate(directory);
    complain(fmt::format("recorded in {}; next: norn analyze {}", shown.string(), shown.string()));
  }
  return result;
}

}  // namespace norn::cli
