// The program to run: where it is, and whether norn can see into it.
#pragma once

#include <string>

namespace norn::cli {

enum class ProgramKind {
  kInstrumented,
  kPlain,   // an ELF program that was not built with norn
  kScript,  // anything else the kernel may start: what it starts in turn may be instrumented
};

struct Program {
  std::string path;
  ProgramKind kind = ProgramKind::kScript;
};

// Looks `name` up as a shell does. On false, `error` is one line.
[[nodiscard]] bool find_program(const std::string& name, Program& program, std::string& error);

}  // namespace norn::cli
