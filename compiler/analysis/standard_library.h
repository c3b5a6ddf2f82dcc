// What the standard libraries do in the program's own code, and the rules of C and C++ do not cover: libstdc++'s
// atomics, and functions that glibc's headers define once more.
//
// std::atomic<std::shared_ptr> of libstdc++ 12 and 13 has a lock in the lowest bit of a pointer. load() takes it, reads
// the other pointer that it protects, and gives it up by a relaxed subtraction: nothing orders that read before the
// write of who takes the lock next. It is the library's own matter (on x86 the subtraction releases whatever it says),
// and no program can mend it. So this lock gives up with release:
//
//     define void @…_Atomic_count6unlock…(ptr %this, i32 %order)      define void @…(ptr %this, i32 %order) {
//       call i64 @…fetch_sub…(ptr %value, i64 1, i32 %order)      →     %released = …  ; release, acq_rel or seq_cst
//                                                                       call i64 @…(ptr %value, i64 1, i32 %released)
//
// The last std::shared_ptr of an object looks at its two counts by one load of 8 bytes, and an std::weak_ptr counts
// down the second of them alone: the load reads what that wrote, but is another atomic, at another address. A load of
// the second count says what is read:
//
//     %both = load atomic i64, ptr %counts acquire                    %both = load atomic i64, ptr %counts acquire
//                                                                 →   load atomic i32, ptr %counts + 4 acquire
//
// glibc's headers define some functions inline for optimised code (bits/stdio.h: getline calls __getdelim). They stay
// calls of the library, so that a statement that calls one is the same at all levels, and has the same id. What the
// headers put around a call under _FORTIFY_SOURCE stands, once inlined, where the program calls it: its own lines would
// be one statement for all calls of a function.
//
// The pass runs first, while the library's functions are still whole.
#pragma once

#include "llvm/IR/PassManager.h"

namespace norn::compiler {

class StandardLibraryPass : public llvm::PassInfoMixin<StandardLibraryPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace norn::compiler
