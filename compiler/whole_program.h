// -fnorn-whole-program: with -flto, programs are instrumented when they are linked, so that escape analysis and the
// effects of calls are known across all of their files.
//
// When a file is compiled its functions are selected and marked, as always; instead of instrumenting them, DeferPass
// leaves a note of how it is to be done. At the link, after the last optimisation, LinkPass finds it and does it.
#pragma once

#include <string>

#include "compiler/emit/instrument.h"
#include "llvm/IR/PassManager.h"

namespace norn::compiler {

class DeferPass : public llvm::PassInfoMixin<DeferPass> {
 public:
  DeferPass(DebugInfo left, std::string prune, Profile profile)
      : left_(left), prune_(std::move(prune)), profile_(profile) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  DebugInfo left_;
  std::string prune_;  // as it was given: names and commas
  Profile profile_;
};

class LinkPass : public llvm::PassInfoMixin<LinkPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace norn::compiler
