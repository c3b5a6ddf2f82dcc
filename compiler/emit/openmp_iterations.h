// Emits to the runtime which iteration of an OpenMP loop begins, and what asks which thread it is.
//
//     omp.inner.for.cond:                       omp.inner.for.cond:
//       %i = load i32, ptr %.omp.iv               …
//       %u = load i32, ptr %.omp.ub
//       %more = icmp sle i32 %i, %u
//       br i1 %more, label %body, label %end
//     body:                                →    body:
//                                                 %n = load i32, ptr %.omp.iv
//                                                 call void @__norn_omp_iteration(i64 %n)
//
// for loops whose upper bound is one that __kmpc_for_static_init or __kmpc_dispatch_next sets: what clang makes of
// worksharing loops, distribute and sections. Iterations of one chunk may run in parallel with another number of
// threads, so they are told apart (docs/design/openmp.md). Where that can make no difference (quiet_loops.h) the call
// stands before the loop, and all of them are one.
//
// So do those of a task of a taskloop. Its loop is in a function of its own, whose arguments say up to where it goes;
// there @__norn_omp_taskloop_begin stands first, with the task's own memory, and @__norn_omp_taskloop_end after the
// loop.
//
// In modules that use OpenMP, code that takes the address of a thread-local variable has asked which thread it runs on:
// the call of @__norn_omp_thread_local after it says so.
//
// The pass runs first, on clang's own output, where these patterns are certain; the call keeps the optimiser from
// making one access of those of several iterations.
#pragma once

#include "llvm/IR/PassManager.h"

namespace norn::compiler {

class OpenMpPass : public llvm::PassInfoMixin<OpenMpPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace norn::compiler
