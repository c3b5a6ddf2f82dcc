// norn-cc and norn-c++: clang with norn's plugins, and its runtime at the link.
//
// The driver reads the command line only as far as it must to know what clang will do (compile? link? what? with which
// debug information?), passes every argument on as it was, and adds its own:
//
//   compiling   the two plugins, as arguments of `clang -cc1` only (-Xclang), so that neither the assembler nor a
//               linker that does LTO sees them; full debug information, and to the plugin what of it to leave;
//   linking     the runtime, whole, before everything else, for executables; the recipe of the link. Shared objects and
//               -r leave the hooks to the executable.
//
// What is added stands between --start-no-unused-arguments and --end-no-unused-arguments: clang never complains of an
// argument its user did not give.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/arguments.h"
#include "compiler/driver/link_recipe.h"

namespace norn::compiler {
namespace {

constexpr int kMisuse = 2;
constexpr const char* kVersion = "19";

constexpr std::string_view kHelp =
    R"(norn: a drop-in clang whose programs find their own data races.
  -fnorn-skip=FILE     leave out what FILE names (fun:, src:; clang's special case list)
  -fsanitize-ignorelist=FILE  the same
  -fno-sanitize=thread compile without instrumentation; what is linked still has norn's runtime
  -fnorn-as-tsan       make __has_feature(thread_sanitizer) true; -fsanitize=thread means the same
  -fnorn-prune=NAMES   which checks are left out: all (default), none, or some of
                       covered,calls,escape,constants,early,runs,inline
  -fnorn-whole-program with -flto (full) and lld: instrument at the link, knowing all files
  -fnorn-profile=sampling  check samples only: races are missed, the program is nearly as fast as ever (default: full)
  -fnorn-profile=trace for norn record: no access is left out, and functions and loops are recorded (norn samplers)
  -fnorn-profile=production  code as clang makes it, with probes that sleep, for norn hive
  -fnorn-probes=FILE   where: at the sites that FILE lists, or all (default: nowhere; norn build knows the candidates)
  -fno-norn-image      without the program's bitcode and recipe in the file (norn image, norn build); NORN_IMAGE=off
                       in the environment means the same
  -fnorn-debug-runtime link a runtime with debug information, to look at norn itself in a debugger
  -fno-norn            compile and link as clang does
  NORN_CLANG=PATH      the clang to use (default: clang-19, or clang++-19 for norn-c++)
  NORN_VERIFY=1        let LLVM's verifier look at what norn made of the program
Everything else is clang's:

)";

// ---- What the command line says -------------------------------------------------------------------------------

enum class Debug { kNone, kLines, kFull };

struct Request {
  bool compiles = true;  // some input may be compiled
  bool links = true;     // clang would link, given inputs
  bool has_input = false;
  bool only_headers = true;  // of the inputs
  bool shared = false;       // or otherwise not an executable
  bool is_static = false;
  bool relocatable = false;
  bool no_libraries = false;  // -nostdlib, -nodefaultlibs
  bool forbids_undefined = false;
  bool off = false;
  bool as_tsan = false;
  bool debug_runtime = false;
  bool image = true;      // objects carry their bitcode
  bool readable = false;  // what is made is text or bitcode, to be looked at
  std::string from;       // the module is of an image: "image" or "image-plain"
  bool exempt = false;    // what is compiled here is not to be instrumented
  bool has_ir = false;    // an input is LLVM IR
  bool help = false;
  Debug debug = Debug::kNone;
  Arguments skip_lists;
  Arguments ignore_lists;  // clang's, which mean the same
  std::string prune;       // empty: nothing was said
  std::string profile;
  std::string probes;    // with the profile production: a file, or "all"
  std::string left_out;  // a file with sites that need no check; `norn build` says so
  bool whole_program = false;
  bool full_lto = false;
  bool chooses_linker = false;
  Arguments all;        // the arguments
  Arguments passed_on;  // without norn's own
};

// Nothing is compiled, linked or even read.
constexpr std::string_view kQuestions[] = {
    "--version",
    "-dumpversion",
    "-dumpmachine",
    "--help",
    "-help",
    "--help-hidden",
    "-print-search-dirs",
    "--print-search-dirs",
    "-print-multi-lib",
    "-print-targets",
    "--print-targets",
    "-print-effective-triple",
    "--print-effective-triple",
    "-print-target-triple",
    "--print-target-triple",
    "-print-resource-dir",
    "--print-resource-dir",
    "-print-libgcc-file-name",
    "--print-libgcc-file-name",
    "-print-supported-cpus",
    "--print-supported-cpus",
    "-print-runtime-dir",
    "--print-runtime-dir",
    "-print-multi-directory",
    "--print-multi-directory",
    "-print-multiarch",
    "--print-multiarch",
    "--autocomplete",
};

constexpr std::string_view kNoLink[] = {
    "-c",           "-S",
    "-E",           "-M",
    "-MM",          "-fsyntax-only",
    "-emit-ast",    "--precompile",
    "--compile",    "--assemble",
    "--preprocess", "--analyze",
    "-extract-api", "-emit-interface-stubs",
    "-verify-pch",  "-fmodule-header",
};

// The last of these decides; others that begin with -g only say how.
std::optional<Debug> debug_option(std::string_view argument) {
  if (argument == "-g0" || argument == "-ggdb0") return Debug::kNone;
  if (argument == "-g1" || argument == "-ggdb1" || argument == "-gline-tables-only" || argument == "-gmlt" ||
      argument == "-gline-directives-only") {
    return Debug::kLines;
  }
  constexpr std::string_view kFull[] = {"-g",     "-g2",        "-g3",       "-ggdb",   "-ggdb2",
                                        "-ggdb3", "-glldb",     "-gsce",     "-gdbx",   "-gfull",
                                        "-gused", "-gcodeview", "-gmodules", "--debug", "-gdwarf"};
  if (is_one_of(argument, kFull) || starts_with(argument, "-gdwarf-")) return Debug::kFull;
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& words) {
  fprintf(stderr, "norn: %s\n", words.c_str());
  exit(kMisuse);
}

// "-fsanitize=thread,undefined" without the part that norn does itself.
std::string without_thread(std::string_view argument, Request& request) {
  constexpr std::string_view kOption = "-fsanitize=";
  constexpr std::string_view kRivals[] = {"address", "hwaddress", "memory", "leak", "dataflow", "kernel-address"};
  std::string left;
  std::string_view rest = argument.substr(kOption.size());
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    if (one == "thread") {
      request.as_tsan = true;
      request.exempt = false;
      continue;
    }
    if (is_one_of(one, kRivals)) {
      refuse("-fsanitize=" + std::string(one) + " cannot share a program with norn: build it apart, with clang-" +
             kVersion + ", or add -fno-norn");
    }
    left += (left.empty() ? std::string(kOption) : std::string(",")) + std::string(one);
  }
  return left;
}

// "-fno-sanitize=thread,undefined": whether threads are among them.
bool names_thread(std::string_view argument) {
  const std::string among = "," + std::string(argument.substr(argument.find('=') + 1)) + ",";
  return among.find(",thread,") != std::string::npos || among.find(",all,") != std::string::npos;
}

// What follows one of these beginnings; nothing if the argument begins with none.
template <size_t N>
std::optional<std::string> value_of(std::string_view argument, const std::string_view (&beginnings)[N]) {
  for (const std::string_view beginning : beginnings) {
    if (starts_with(argument, beginning)) return std::string(argument.substr(beginning.size()));
  }
  return std::nullopt;
}

constexpr std::string_view kIgnoreLists[] = {"-fsanitize-ignorelist=", "-fsanitize-blacklist="};
constexpr std::string_view kNoIgnoreLists[] = {"-fno-sanitize-ignorelist", "-fno-sanitize-blacklist"};

void read_input(std::string_view name, std::string_view language, Request& request) {
  request.has_input = true;
  request.has_ir |= language == "ir" || (language.empty() && (ends_with(name, ".ll") || ends_with(name, ".bc")));
  bool header = ends_with(language, "-header") || ends_with(language, "header-unit");
  if (language.empty()) {
    constexpr std::string_view kHeaders[] = {".h", ".hh", ".hpp", ".hxx", ".H", ".h++"};
    header = std::any_of(std::begin(kHeaders), std::end(kHeaders), [&](auto end) { return ends_with(name, end); });
  }
  if (!header) request.only_headers = false;
}

Request read_command_line(const Arguments& arguments) {
  Request request;
  if (const char* image = getenv("NORN_IMAGE"); image != nullptr) request.image = std::string_view(image) != "off";
  std::string language;
  bool only_inputs = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    std::string kept = argument;
    if (only_inputs || argument == "-" || argument.empty() || argument[0] != '-') {
      if (!argument.empty() && argument[0] == '@' && !only_inputs) {
        request.has_input = true;  // a response file that could not be read: clang says so
      } else {
        read_input(argument, language, request);
      }
    } else if (argument == "--") {
      only_inputs = true;
    } else if (argument == "-fno-norn") {
      request.off = true;
      kept.clear();
    } else if (argument == "-fnorn") {
      request.off = false;
      kept.clear();
    } else if (argument == "-fnorn-as-tsan") {
      request.as_tsan = true;
      kept.clear();
    } else if (starts_with(argument, "-fnorn-skip=")) {
      request.skip_lists.push_back(argument.substr(strlen("-fnorn-skip=")));
      kept.clear();
    } else if (starts_with(argument, "-fnorn-prune=")) {
      request.prune = argument.substr(strlen("-fnorn-prune="));
      kept.clear();
    } else if (starts_with(argument, "-fnorn-profile=")) {
      request.profile = argument.substr(strlen("-fnorn-profile="));
      constexpr std::string_view kProfiles[] = {"full", "sampling", "trace", "production"};
      if (!is_one_of(request.profile, kProfiles)) {
        refuse("unknown profile " + request.profile + "; say -fnorn-profile=full, sampling, trace or production");
      }
      kept.clear();
    } else if (starts_with(argument, "-fnorn-probes=")) {
      request.probes = argument.substr(strlen("-fnorn-probes="));
      if (request.probes != "all" && access(request.probes.c_str(), R_OK) != 0) {
        refuse("list of probes " + request.probes + ": " + strerror(errno));
      }
      kept.clear();
    } else if (starts_with(argument, "-fnorn-leave-out=")) {
      request.left_out = argument.substr(strlen("-fnorn-leave-out="));
      kept.clear();
    } else if (argument == "-fnorn-image" || argument == "-fno-norn-image") {
      request.image = argument == "-fnorn-image";
      kept.clear();
    } else if (argument == "-fnorn-from=image" || argument == "-fnorn-from=image-plain") {
      request.from = argument.substr(strlen("-fnorn-from="));  // `norn build` says so
      kept.clear();
    } else if (argument == "-fnorn-whole-program") {
      request.whole_program = true;
      kept.clear();
    } else if (argument == "-fnorn-debug-runtime") {
      request.debug_runtime = true;
      kept.clear();
    } else if (starts_with(argument, "-fnorn") || starts_with(argument, "-fno-norn")) {
      refuse("unknown option " + argument + "; norn-cc --help lists norn's options");
    } else if (argument == "-flto" || argument == "-flto=full" || argument == "-flto=thin" || argument == "-fno-lto" ||
               argument == "-flto=auto" || argument == "-flto=jobserver") {
      request.full_lto = argument != "-flto=thin" && argument != "-fno-lto";
    } else if (starts_with(argument, "-fuse-ld=")) {
      request.chooses_linker = true;
    } else if (starts_with(argument, "-fsanitize=") && !request.off) {
      kept = without_thread(argument, request);
    } else if (starts_with(argument, "-fno-sanitize=") && names_thread(argument)) {
      request.exempt = true;
      request.as_tsan = false;
    } else if (std::optional<std::string> list = value_of(argument, kIgnoreLists)) {
      request.ignore_lists.push_back(*std::move(list));
    } else if (is_one_of(argument, kNoIgnoreLists)) {
      request.ignore_lists.clear();
    } else if (is_one_of(argument, kQuestions) || starts_with(argument, "-print-") ||
               starts_with(argument, "--print-")) {
      request.compiles = request.links = false;
      request.help |= argument == "--help" || argument == "-help" || argument == "--help-hidden";
    } else if (is_one_of(argument, kNoLink) || starts_with(argument, "-fmodule-header=")) {
      request.links = false;
      request.readable |= argument == "-S" || argument == "--assemble";
    } else if (argument == "-emit-llvm") {
      request.readable = true;
    } else if (argument == "-shared" || argument == "--shared" || argument == "-dynamiclib" || argument == "-bundle") {
      request.shared = true;
    } else if (argument == "-static" || argument == "-static-pie" || argument == "--static") {
      request.is_static = true;
    } else if (argument == "-r") {
      request.relocatable = true;
    } else if (argument == "-nostdlib" || argument == "-nodefaultlibs" || argument == "--no-standard-libraries") {
      request.no_libraries = true;
    } else if (const std::optional<Debug> debug = debug_option(argument)) {
      request.debug = *debug;
    } else if (starts_with(argument, "-Wl,") || argument == "-z" || argument == "-Xlinker") {
      const std::string value =
          starts_with(argument, "-Wl,") || i + 1 == arguments.size() ? argument : arguments[i + 1];
      const std::string among = "," + value.substr(starts_with(value, "-Wl,") ? 4 : 0) + ",";
      for (const char* ban : {",--no-undefined,", ",-z,defs,", ",-zdefs,", ",defs,"}) {
        request.forbids_undefined |= among.find(ban) != std::string::npos;
      }
      request.shared |= among.find(",-shared,") != std::string::npos;
      for (const char* partial : {",-r,", ",--relocatable,"}) {
        request.relocatable |= among.find(partial) != std::string::npos;
      }
    } else if (starts_with(argument, "-x") && argument.size() > 2) {
      language = argument.substr(2);
    } else if (argument == "-x" && i + 1 < arguments.size()) {
      language = arguments[i + 1];
    }
    if (language == "none") language.clear();
    if (!kept.empty() || argument.empty()) request.passed_on.push_back(kept);
    if (!only_inputs && takes_value(argument) && i + 1 < arguments.size()) {
      request.passed_on.push_back(arguments[++i]);
    }
  }
  request.links &= request.has_input && !request.only_headers;
  request.all = arguments;
  return request;
}

// ---- What is added ----------------------------------------------------------------------------------------------

bool exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// bin/norn-cc → lib/norn
std::string library_directory() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) refuse(std::string("cannot find out where norn is installed: ") + strerror(errno));
  std::string directory(path, static_cast<size_t>(length));
  for (int up = 0; up < 2; ++up) directory.erase(directory.rfind('/'));
  return directory + "/lib/norn";
}

void add_compile_arguments(const Request& request, const std::string& library, Arguments& added) {
  const auto cc1 = [&](const std::string& argument) { added.insert(added.end(), {"-Xclang", argument}); };
  const auto plugin = [&](const std::string& option) {
    cc1("-mllvm");
    cc1(option);
  };
  // <norn/annotate.h>, after everything the user named.
  cc1("-internal-isystem");
  cc1(library + "/include");
  const bool image = request.image && !request.readable;
  if (request.exempt && !image) return;
  const std::string passes = library + "/libnorn-plugin.so";
  const std::string frontend = library + "/libnorn-frontend.so";
  const auto load = [&](const std::string& file) {
    if (!exists(file)) refuse(file + " is missing: build or install norn again");
    cc1("-load");
    cc1(file);
  };
  load(passes);
  cc1("-fpass-plugin=" + passes);
  if (image) {
    plugin("-norn-image");
    for (const std::string& flag : code_flags(request.all)) plugin("-norn-image-flag=" + flag);
  }
  if (!request.from.empty()) plugin("-norn-from=" + request.from);
  if (request.exempt) return plugin("-norn-exempt");
  load(frontend);
  if (const char* verify = getenv("NORN_VERIFY"); verify != nullptr && *verify != '\0') {
    plugin("-norn-verify");
  }
  // The site table takes variables and types from the debug information; it is the same whatever the user asked for,
  // so that a site keeps its identity.
  cc1("-debug-info-kind=standalone");
  if (request.debug == Debug::kNone) plugin("-norn-debug-info=none");
  if (request.debug == Debug::kLines) plugin("-norn-debug-info=lines");
  for (const Arguments& lists : {request.skip_lists, request.ignore_lists}) {
    for (const std::string& file : lists) {
      if (!exists(file)) refuse("skip list " + file + ": " + strerror(errno));
      plugin("-norn-skip=" + file);
    }
  }
  if (request.whole_program) plugin("-norn-defer");
  // A trace is to have every access.
  if (request.prune.empty() && request.profile == "trace") plugin("-norn-prune=none");
  if (!request.prune.empty()) plugin("-norn-prune=" + request.prune);
  if (!request.profile.empty()) plugin("-norn-profile=" + request.profile);
  if (!request.left_out.empty()) plugin("-norn-leave-out=" + request.left_out);
  if (!request.probes.empty()) plugin("-norn-probes=" + request.probes);
  // For the front end only: our plugin turns it off before code is made. For IR there is no front end, and nothing that
  // could ask.
  if (request.as_tsan && !request.has_ir) cc1("-fsanitize=thread");
}

void add_link_arguments(const Request& request, const std::string& driver, const std::string& library,
                        Arguments& before, Arguments& after) {
  const auto linker = [](Arguments& list, const std::string& argument) {
    list.insert(list.end(), {"-Xlinker", argument});
  };
  if (request.relocatable) return;
  if (request.image) {
    const std::string recipe = file_of_recipe(link_recipe(driver, request.all));
    if (!recipe.empty()) linker(before, recipe);
  }
  if (request.from == "image-plain") return;
  if (request.whole_program) {
    linker(before, "--load-pass-plugin=" + library + "/libnorn-plugin.so");
    if (!request.chooses_linker) before.emplace_back("-fuse-ld=lld");
  }
  if (request.shared) {
    // The executable has the hooks; a shared object that may have nothing undefined could not be linked.
    if (request.forbids_undefined) {
      linker(after, "-z");
      linker(after, "undefs");
    }
    return;
  }
  // Without a dynamic linker there is no interposition: the linker wraps the C library's functions instead.
  const std::string kind = request.profile == "production" ? "/libnorn-probe" : "/libnorn-rt";
  const std::string base = library + kind + (request.is_static ? "-static" : "");
  const std::string runtime = base + ".a";
  const std::string linked = request.debug_runtime ? base + "-debug.a" : runtime;
  if (!exists(linked)) refuse(linked + " is missing: build or install norn again");
  linker(before, "--whole-archive");
  linker(before, linked);
  linker(before, "--no-whole-archive");
  if (request.is_static) {
    before.push_back("-Wl,@" + runtime + ".wraps");
  } else {
    // Shared objects find the runtime's functions, and its versions of the C library's, in the executable.
    const std::string exported = runtime + ".syms";
    linker(before, exists(exported) ? "--dynamic-list=" + exported : "--export-dynamic");
  }
  if (!request.no_libraries) {
    for (const char* name : {"-lpthread", "-ldl", "-lm"}) after.emplace_back(name);
  }
}

[[noreturn]] void start(const std::string& clang, const Arguments& arguments) {
  std::vector<char*> pointers;
  pointers.push_back(const_cast<char*>(clang.c_str()));
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(clang.c_str(), pointers.data());
  if (errno == ENOENT) {
    refuse(clang + " not found: apt-get install clang-" + kVersion + " (or set NORN_CLANG to a clang " + kVersion +
           ")");
  }
  refuse("cannot start " + clang + ": " + strerror(errno));
}

int run(int count, char** values) {
  const std::string_view self = values[0] == nullptr ? "norn-cc" : values[0];
  const bool cplusplus = ends_with(self, "++");
  const char* chosen = getenv("NORN_CLANG");
  std::string clang = std::string(cplusplus ? "clang++-" : "clang-") + kVersion;
  Arguments arguments(values + std::min(count, 1), values + count);
  if (chosen != nullptr && *chosen != '\0') {
    clang = chosen;
    if (cplusplus && !arguments.empty() && arguments[0] != "-cc1")
      arguments.insert(arguments.begin(), "--driver-mode=g++");
  }
  if (arguments.empty() || arguments[0] == "-cc1" || arguments[0] == "-cc1as") start(clang, arguments);

  const Request request = read_command_line(expand(arguments));
  if (request.help) {
    fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    fflush(stdout);
  }
  if (request.off || !request.has_input || !request.compiles) start(clang, request.passed_on);

  if (request.whole_program && !request.full_lto) {
    refuse("-fnorn-whole-program works at the link and needs -flto (full): add -flto, compiling and linking");
  }
  const std::string library = library_directory();
  Arguments before{"--start-no-unused-arguments"};
  Arguments after{"--start-no-unused-arguments"};
  add_compile_arguments(request, library, before);
  if (request.links) add_link_arguments(request, cplusplus ? "norn-c++" : "norn-cc", library, before, after);
  before.emplace_back("--end-no-unused-arguments");
  after.emplace_back("--end-no-unused-arguments");

  Arguments all = before;
  // "--" ends the options: what is added after the inputs must stand before it.
  const auto end_of_options = std::find(request.passed_on.begin(), request.passed_on.end(), "--");
  all.insert(all.end(), request.passed_on.begin(), end_of_options);
  if (after.size() > 2) all.insert(all.end(), after.begin(), after.end());
  all.insert(all.end(), end_of_options, request.passed_on.end());
  start(clang, all);
}

}  // namespace
}  // namespace norn::compiler

int main(int count, char** values) { return norn::compiler::run(count, values); }
