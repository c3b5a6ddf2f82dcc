// norn: finds the verb and lets it do the work.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/string_sink.h"
#include "cli/help/manual_pages.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/child.h"
#include "options/options.h"

namespace norn::cli {
namespace {

void print_help() {
  fmt::print(
      "norn finds data races in C and C++ programs.\n"
      "\n"
      "  CC=norn-cc CXX=norn-c++ make         build your program as always, with norn's compilers\n"
      "  norn run -- ./program                run it and read the report\n"
      "\n"
      "Verbs:\n");
  for (const Verb& verb : verbs()) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print(
      "\n"
      "  norn help VERB                       what a verb does, its options, examples\n"
      "  norn help --man=DIRECTORY            all of it as manual pages\n"
      "  norn --version\n"
      "\n"
      "A program started by hand takes the same options from NORN_OPTIONS=key=value:key=value.\n");
}

std::string nearest_verb(const std::string& name) {
  std::string names = "help";
  for (const Verb& verb : verbs()) names += fmt::format("|{}", verb.name);
  return std::string(view(options::nearest_name(text_of(name), text_of(names))));
}

// A file that norn opens must not become its stdout or stderr because that was closed. The program it runs still finds
// them closed, as they were.
void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0) return;
}

int main_of(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    complain("say what to do: norn run -- ./program (norn --help lists the verbs)");
    return kMisuse;
  }
  std::string name = arguments[0];
  arguments.erase(arguments.begin());
  if (name == "--version" || name == "version") {
    fmt::print("norn {}\n", NORN_VERSION);
    return 0;
  }
  constexpr std::string_view kManual = "--man=";
  if (name == "help" && !arguments.empty()) {
    if (arguments[0].starts_with(kManual)) return write_manual_pages(arguments[0].substr(kManual.size()));
    const size_t words = arguments[0] == "hive" ? 2 : 1;
    if (arguments.size() > words) {
      complain(fmt::format("norn help takes one verb: norn help {}",
                           fmt::join(arguments.begin(), arguments.begin() + static_cast<ptrdiff_t>(words), " ")));
      return kMisuse;
    }
    name = arguments[0];
    arguments.erase(arguments.begin());  // of "hive serve" the rest
    arguments.emplace_back("--help");
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return 0;
  }
  if (const Verb* verb = find_verb(name); verb != nullptr) return verb->main(*verb, arguments);
  const std::string nearest = nearest_verb(name);
  const char* what = name.starts_with("-") ? "option" : "verb";
  complain(nearest.empty() ? fmt::format("unknown {} {}; norn --help lists the verbs", what, name)
                           : fmt::format("unknown {} {}; did you mean norn {}?", what, name, nearest));
  return kMisuse;
}

// What was printed must have arrived: else that is said, and the status is no success. Who reads only the first lines
// (norn show | head) has what he wanted.
int printed(int status, int reason = 0) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (reason == 0) reason = errno;
  if ((flushed && std::ferror(stdout) == 0) || reason == EPIPE) return status;
  complain(fmt::format("stdout: {}", reason == 0 ? "not all of it could be written" : std::strerror(reason)));
  return status == 0 ? kMisuse : status;
}

}  // namespace
}  // namespace norn::cli

int main(int argc, char** argv) {
  norn::cli::occupy_standard_descriptors();
  norn::experiment::ignore_failed_writes();
  try {
    return norn::cli::printed(norn::cli::main_of(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
  } catch (const std::system_error& error) {  // fmt's, when it could not print
    if (std::ferror(stdout) != 0) return norn::cli::printed(0, error.code().value());
    norn::cli::complain(fmt::format("internal error: {}", error.what()));
    return 70;
  } catch (const std::exception& error) {
    norn::cli::complain(fmt::format("internal error: {}", error.what()));
    return 70;
  }
}
