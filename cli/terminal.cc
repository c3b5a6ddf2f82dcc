#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "options/run_settings.h"

namespace norn::cli {

void complain(std::string_view words) {
  std::string line = "norn: ";
  line += words;
  line += '\n';
  // One write: lines of parallel runs don't mix. Nobody is left to tell if it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

size_t terminal_width(int descriptor) {
  winsize size{};
  if (isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 100;
}

bool wants_color(int descriptor, options::ColorMode mode) {
  if (mode != options::ColorMode::kAuto) return mode == options::ColorMode::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) != 0;
}

}  // namespace norn::cli
