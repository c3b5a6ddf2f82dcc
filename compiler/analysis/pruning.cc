#include "compiler/analysis/pruning.h"

#include <cstdlib>

#include "llvm/Support/raw_ostream.h"

namespace norn::compiler {
namespace {

constexpr struct {
  const char* name;
  bool Pruning::* rule;
} kRules[] = {
    {"covered", &Pruning::covered},     {"calls", &Pruning::calls}, {"escape", &Pruning::escape},
    {"constants", &Pruning::constants}, {"early", &Pruning::early}, {"runs", &Pruning::runs},
    {"inline", &Pruning::inlined},
};

void set_all(Pruning& pruning, bool on) {
  for (const auto& [name, rule] : kRules) pruning.*rule = on;
}

}  // namespace

Pruning Pruning::of(llvm::ArrayRef<std::string> names) {
  Pruning pruning;
  if (!names.empty()) set_all(pruning, false);
  for (const std::string& name : names) {
    const auto* const known = llvm::find_if(kRules, [&](const auto& rule) { return name == rule.name; });
    if (known != std::end(kRules)) {
      pruning.*known->rule = true;
    } else if (name == "all" || name == "none") {
      set_all(pruning, name == "all");
    } else {
      llvm::errs() << "norn: -fnorn-prune=" << name << ": not one of all, none";
      for (const auto& rule : kRules) llvm::errs() << ", " << rule.name;
      llvm::errs() << "\n";
      std::exit(1);
    }
  }
  return pruning;
}

}  // namespace norn::compiler
