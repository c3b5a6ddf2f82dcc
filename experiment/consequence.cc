#include "experiment/consequence.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/string_sink.h"
#include "experiment/reference.h"
#include "report/record_reader.h"
#include "report/text_report.h"

namespace norn::experiment {
namespace {

// The line that has one of the words in it, the first such.
std::string line_with(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    const size_t at = text.find(word);
    if (at == std::string_view::npos) continue;
    const size_t begin = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
    return std::string(text.substr(begin, std::min(text.find('\n', at), text.size()) - begin));
  }
  return "";
}

std::string last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const size_t begin = text.rfind('\n');
  return std::string(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

// Where two outputs part.
std::string difference(std::string_view usual, std::string_view now) {
  size_t line = 1, begin = 0, at = 0;
  for (; at < usual.size() && at < now.size() && usual[at] == now[at]; ++at)
    if (now[at] == '\n') ++line, begin = at + 1;
  const auto line_of = [begin](std::string_view text) {
    return begin >= text.size()
               ? std::string("nothing")
               : fmt::format("\"{}\"", text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin));
  };
  return fmt::format("line {}: {} instead of {}", line, line_of(now), line_of(usual));
}

Consequence of_signal(const StagedRun& run) {
  const char* name = sigabbrev_np(run.signal);
  const std::string signal = fmt::format("SIG{}", name != nullptr ? name : "?");
  if (run.signal != SIGABRT) return {Harm::kCrash, signal};
  if (const std::string line = line_with(run.errors, {"Assertion", "assertion"}); !line.empty())
    return {Harm::kAssertion, line};
  if (const std::string line = line_with(run.errors, {"terminate called", "terminating due to", "libc++abi:"});
      !line.empty()) {
    const std::string what = line_with(run.errors, {"what():"});
    return {Harm::kException, what.empty() ? line : line + what};
  }
  const std::string line = last_line(run.errors);
  return {Harm::kAbort, line.empty() ? signal : line};
}

}  // namespace

std::string_view name_of(Harm harm) {
  constexpr std::array<std::string_view, 12> kNames = {"crash",     "memory-error", "sanitizer", "abort",
                                                       "assertion", "exception",    "predicate", "deadlock",
                                                       "hang",      "status",       "output",    "none"};
  return kNames[static_cast<size_t>(harm)];
}

std::string_view words_of(Harm harm) {
  constexpr std::array<std::string_view, 12> kWords = {"crash",
                                                       "memory error",
                                                       "sanitizer report",
                                                       "abort",
                                                       "failed assertion",
                                                       "uncaught exception",
                                                       "violated predicate",
                                                       "deadlock",
                                                       "hang",
                                                       "exit status",
                                                       "different output",
                                                       "nothing seen"};
  return kWords[static_cast<size_t>(harm)];
}

std::string deadlock_of(const StagedRun& run) {
  std::string error;
  const auto findings = report::merge_findings({{"findings", run.findings}}, error);
  if (!findings) return "";
  for (const report::Hazard& hazard : findings->hazards)
    if (hazard.kind == report::HazardKind::kDeadlock)
      return collect([&](Sink sink) { report::render_text(hazard, sink); });
  return "";
}

Consequence consequence_of(const StagedRun& run, const Reference& reference) {
  if (!run.memory_error.empty()) return {Harm::kMemoryError, run.memory_error};
  if (!run.violated.empty()) return {Harm::kPredicate, run.violated};
  if (run.deadlocked != 0)
    return {Harm::kDeadlock, fmt::format("{} thread{}", run.deadlocked, run.deadlocked == 1 ? "" : "s")};
  if (run.pollers != 0)
    return {Harm::kHang, fmt::format("by its state: {} only look{} at what can change no more",
                                     run.pollers == 1 ? "one thread" : fmt::format("{} threads", run.pollers),
                                     run.pollers == 1 ? "s" : "")};
  if (run.timed_out && !reference.never_ends)
    return {Harm::kHang,
            fmt::format("by the clock: no end after {:.0f} s, and its state does not say why", run.seconds)};
  if (const std::string line = line_with(run.errors, {"ERROR: AddressSanitizer", "ERROR: LeakSanitizer",
                                                      "WARNING: MemorySanitizer", "runtime error: "});
      !line.empty())
    return {Harm::kSanitizer, line};
  if (run.signal != 0) return of_signal(run);
  if (run.timed_out) return {};
  if (!reference.is_usual_status(run.exit)) return {Harm::kStatus, fmt::format("{}", run.exit)};
  if (!reference.is_usual_output(run.output)) return {Harm::kOutput, difference(reference.outputs[0], run.output)};
  return {};
}

}  // namespace norn::experiment
