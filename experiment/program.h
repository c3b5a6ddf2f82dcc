// The program to run: where it is, and whether norn can see into it.
#pragma once

#include <string>
#include <vector>

namespace norn::experiment {

enum class ProgramKind {
  kInstrumented,
  kPlain,   // an ELF program that was not built with norn
  kScript,  // anything else the kernel may start: what it starts in turn may be instrumented
};

// What the Valgrind front end must know of a file.
enum class Linkage {
  kDynamic,
  kStatic,
  kForeign,  // ELF, but not for 64-bit x86
  kDamaged,  // ELF, but not all of it is there
  kNone,     // not ELF
};

struct Program {
  std::string path{};
  ProgramKind kind = ProgramKind::kScript;
  Linkage linkage = Linkage::kNone;  // of a script: its interpreter's
  // Of a script: what its first line says, with the program looked up; and the script itself.
  std::vector<std::string> interpreter{};
  std::string script{};

  // A script of a shell, whose work is to start other programs.
  [[nodiscard]] bool is_shell_script() const;
};

// Looks `name` up as a shell does. On false, `error` is one line.
[[nodiscard]] bool find_program(const std::string& name, Program& program, std::string& error);

}  // namespace norn::experiment
