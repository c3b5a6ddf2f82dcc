// Puts a module's own bitcode into the object that is made of it (image/image_record.h, docs/design/image.md).
//
//     (the module)   →   module asm ".pushsection .norn.image,\"\",@progbits"
//                        module asm ".ascii \"norn.img…\""
//                        module asm ".popsection"
//                        (the module)
//
// The section has no flag, so it is in the file and never in memory; a global variable could not be so. Assembly is
// text of the module: it comes through -flto, where the object is made by a linker that knows nothing of norn.
//
// The pass stands right before instrumentation. What it writes is the program as the optimiser left it, with what the
// first passes noted of its statements: instrumented again, its sites are the same.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/instrument.h"
#include "llvm/IR/PassManager.h"

namespace norn::compiler {

class ImagePass : public llvm::PassInfoMixin<ImagePass> {
 public:
  // `flags`: what the compiler must be told again to make the same code of it.
  explicit ImagePass(std::vector<std::string> flags) : flags_(std::move(flags)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  std::vector<std::string> flags_;
};

// Takes out what norn's first passes put into the module, and the debug information that nobody asked for: plain code.
class PlainPass : public llvm::PassInfoMixin<PlainPass> {
 public:
  explicit PlainPass(DebugInfo left) : left_(left) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  DebugInfo left_;
};

}  // namespace norn::compiler
