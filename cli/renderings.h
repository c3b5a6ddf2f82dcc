// Findings into the files a user asked for, and onto the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "casebook/runs.h"
#include "options/run_settings.h"
#include "report/race_fwd.h"
#include "report/text_report.h"

namespace norn::cli {

class Arguments;
class CasebookFile;

// What a report can say beside a run's findings. Null: nothing is known.
struct Beside {
  const casebook::KeptRun* run = nullptr;
  const CasebookFile* casebook = nullptr;
};

// --json=FILE and its like. Empty: not asked for; "-": stdout.
struct RenderingFiles {
  std::vector<std::string> paths;  // in the order of the table of renderers (renderings.cc)

  RenderingFiles();
  // `alone`: without =FILE they mean stdout, and a FILE behind a space is not theirs.
  void add_options(Arguments& app, bool alone = false);
  [[nodiscard]] bool any() const;
};

// Adds one such option.
void add_file_option(Arguments& app, const char* name, std::string& file, bool alone, const char* help);

// Writes them all. A file that cannot be written is complained of; false then.
[[nodiscard]] bool write_files(const RenderingFiles& files, const report::Findings& findings, const Beside& beside);

// --format=NAME: what is printed in place of norn's own text. "text|json|…": that, or any renderer of whole reports.
[[nodiscard]] std::string format_names();
// On false `error` is one line.
[[nodiscard]] bool is_format(const std::string& name, std::string& error);
// Nothing: the text is wanted.
[[nodiscard]] std::optional<std::string> rendered(const report::Findings& findings, const Beside& beside,
                                                  const std::string& format);

// Writes to a file, or to stdout for "-"; false and a complaint if that fails.
[[nodiscard]] bool write_file(const std::string& path, const std::string& contents);

struct TextRendering {
  bool color = false;
  bool full = false;
  bool suppressed = false;        // show them too
  size_t predicted = ~size_t{0};  // at most so many of these; the rest is counted
  size_t width = 100;
  size_t accepted = 0;  // so many of the suppressed are accepted races
  report::Next next = report::Next::kNone;
};

[[nodiscard]] std::string text_of_races(const report::Findings& findings, const TextRendering& rendering);
[[nodiscard]] std::string text_of_race(const report::Findings& findings, const report::Race& race,
                                       const TextRendering& rendering);
[[nodiscard]] std::string text_of_hazard(const report::Hazard& hazard);
// What was taken for a flag, in full; all of it.
[[nodiscard]] std::string text_of_flags(const report::Findings& findings, const TextRendering& rendering);
[[nodiscard]] std::string text_of_summary(const report::Findings& findings, const TextRendering& rendering);

// What to type after a report: confirm the race if this norn can; it cannot steer the threads of unmodified programs.
[[nodiscard]] report::Next next_after(const report::Findings& findings, report::Next otherwise);

}  // namespace norn::cli
