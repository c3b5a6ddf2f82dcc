// Decides which functions are instrumented, before the optimiser runs.
//
//     define void @f() { … }                                  define void @f() sanitize_thread { … }
//     define void @g() disable_sanitizer_instrumentation  →   define void @g() disable_sanitizer_instrumentation
//     define void @h()    ; in the skip list                  define void @h() "norn-atomics"
//
// LLVM's own attribute is the mark, because the optimiser already respects what follows from it: a marked and an
// unmarked function are never inlined into each other, and loads of a marked function are not speculated (they would
// be accesses that the program does not make). The instrumentation takes the mark away again, so nothing later acts
// on it; LLVM's ThreadSanitizer pass itself is never in the pipeline.
//
// What is not instrumented: naked functions, resolvers of ifuncs (they run before relocation), and what has
// disable_sanitizer_instrumentation. Of functions with no_sanitize("thread"), which the front-end plugin notes as an
// assumption, and of what the skip list names by `fun:` or `src:` in section [thread], [norn] or none only atomics are:
// they may be how a lock is made. So it is by ThreadSanitizer.
#pragma once

#include <string>
#include <vector>

#include "llvm/IR/PassManager.h"

namespace norn::compiler {

// The front-end plugin's word for no_sanitize("thread").
inline constexpr llvm::StringLiteral kExempt = "norn_exempt";
// The mark of a function of which only atomics are instrumented.
inline constexpr llvm::StringLiteral kOnlyAtomics = "norn-atomics";

class SelectionPass : public llvm::PassInfoMixin<SelectionPass> {
 public:
  explicit SelectionPass(std::vector<std::string> skip_lists) : skip_lists_(std::move(skip_lists)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without it the pass is left out at -O0

 private:
  std::vector<std::string> skip_lists_;
};

}  // namespace norn::compiler
