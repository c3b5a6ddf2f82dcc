#include "runtime/process/settings.h"

#include <fcntl.h>

#include "base/sink.h"
#include "options/options.h"
#include "runtime/process/syscalls.h"

// The program's own, if it has one (<sanitizer/tsan_interface.h>).
extern "C" __attribute__((weak)) const char* __tsan_default_options();

namespace norn::rt {

constinit Start start;

namespace {

// The environment may change under a running program; what is kept is a copy.
constexpr size_t kKept = 8192;
constinit char kept[kKept] = {};
constinit size_t kept_size = 0;

Text keep(Text text) {
  if (text.size > kKept - kept_size) refuse("the options are too long");
  for (size_t i = 0; i < text.size; ++i) kept[kept_size + i] = text[i];
  kept_size += text.size;
  return {kept + kept_size - text.size, text.size};
}

Text variable(char** environment, Text name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const Text entry(*environment);
    if (entry.starts_with(name) && entry.size > name.size && entry[name.size] == '=') {
      return entry.part(name.size + 1);
    }
  }
  return {};
}

void say(Text text) { sys::write_all(2, text.data, text.size); }

void refuse_tsan(void* /*context*/, Text message) { refuse("TSAN_OPTIONS: ", message); }

// A relative path means the directory the program started in, wherever it goes later.
Text absolute(Text path) {
  if (path.empty() || path[0] == '/' || path.starts_with("fd:") || path == "stderr" || path == "stdout") return path;
  char bytes[4096];
  Buffer buffer(bytes, sizeof(bytes));
  buffer.sink().put(start.directory);
  buffer.sink().put('/');
  buffer.sink().put(path);
  return keep(buffer.text());
}

}  // namespace

void refuse(Text what, Text detail) {
  char bytes[512];
  Buffer line(bytes, sizeof(bytes));
  line.sink().put("norn: ");
  line.sink().put(what);
  line.sink().put(detail);
  line.sink().put("\n");
  say(line.text());
  sys::exit_process(2);
}

void read_settings(char** environment) {
  static constinit char directory[4096] = {};
  const long length = sys::call(__NR_getcwd, sys::as_long(directory), sizeof(directory));
  if (length > 1) start.directory = {directory, static_cast<size_t>(length) - 1};

  options::Settings& settings = start.settings;
  if (__tsan_default_options != nullptr) parse_tsan_options(settings, __tsan_default_options(), &refuse_tsan, nullptr);
  if (const Text list = variable(environment, "TSAN_OPTIONS"); !list.empty()) {
    parse_tsan_options(settings, keep(list), &refuse_tsan, nullptr);
  }
  if (const Text list = variable(environment, "NORN_OPTIONS"); !list.empty()) {
    options::OptionError error;
    if (!parse_options(settings, keep(list), error)) refuse("NORN_OPTIONS: ", error.message());
  }
  settings.findings = absolute(settings.findings);
  settings.record = absolute(settings.record);
  settings.log_path = absolute(settings.log_path);
  settings.suppressions = absolute(settings.suppressions);
  settings.outcome = absolute(settings.outcome);
  settings.decisions = absolute(settings.decisions);
  settings.expected = absolute(settings.expected);
  settings.states = absolute(settings.states);
  settings.keep_inputs = absolute(settings.keep_inputs);
  settings.inputs = absolute(settings.inputs);
  settings.dump_cfg = absolute(settings.dump_cfg);

  switch (settings.color) {
    case options::ColorMode::kAlways:
      start.colour = true;
      break;
    case options::ColorMode::kNever:
      break;
    case options::ColorMode::kAuto: {
      constexpr long kGetTerminal = 0x5401;  // TCGETS
      char terminal[64];
      const bool is_terminal = sys::call(__NR_ioctl, 2, kGetTerminal, sys::as_long(terminal)) == 0;
      start.colour = is_terminal && settings.log_path.empty() && variable(environment, "NO_COLOR").empty() &&
                     !(variable(environment, "TERM") == "dumb");
      break;
    }
  }
}

}  // namespace norn::rt
