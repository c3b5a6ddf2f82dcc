// Makes every access, synchronization and call of the marked functions known to the runtime.
//
//     %v = load i32, ptr %p            call void @__norn_read4(ptr %p, ptr @site)
//                                 →    %v = load i32, ptr %p
//     store i32 %v, ptr %p             call void @__norn_write4(ptr %p, ptr @site, i64 zext %v)
//                                      store i32 %v, ptr %p
//     llvm.memcpy(%d, %s, %n)     →    call ptr @__norn_memcpy(ptr %d, ptr %s, i64 %n, ptr @to_site, ptr @from_site)
//     llvm.masked.store(…, %m)    →    for each lane: if (%m[i]) call void @__norn_write4(…); the store stays
//     atomics, fences: atomics.h       calls: call_stack.h
//
// Nothing is emitted for memory that no other thread can reach (locals whose address stays in the function,
// constants, virtual tables) or that nobody writes once there are threads (early.h), nor for an access that another one
// covers (coverage.h). pruning.h says how to turn this off. Nor is anything emitted for a site that is left out: what
// looked at the whole program found that it needs no check (static/candidates/left_out.h).
//
// The pass runs last in the optimiser's pipeline, so that it sees the accesses the program will really make. With
// -flto that is at compile time: link-time optimisation then works on instrumented code, and any linker that can do
// LTO works without loading anything of ours. A module is instrumented once; a second run finds its mark and does
// nothing.
#pragma once

#include <set>

#include "compiler/analysis/pruning.h"
#include "llvm/IR/PassManager.h"

namespace norn::compiler {

// What of the debug information should be left when the sites have been made from it.
enum class DebugInfo : uint8_t { kKeep, kLines, kNone };

// What the program is built for. kSampling: two copies of each function, of which one is not checked (copies.h).
// kTrace: regions are emitted, too (region_calls.h). kProduction: not instrumented; probes that sleep
// (probes.h).
enum class Profile : uint8_t { kFull, kSampling, kTrace, kProduction };

class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  // `inline_checks`: accesses are checked by code before them (inline_check.h), where that can be.
  // `whole_program`: the module is all of it, libraries apart. `left_out`: identities of sites.
  InstrumentPass(DebugInfo left, Pruning prune, bool inline_checks, Profile profile, bool whole_program,
                 std::set<uint64_t> left_out = {})
      : left_(left),
        prune_(prune),
        inline_checks_(inline_checks && prune.inlined),
        profile_(profile),
        whole_program_(whole_program),
        left_out_(std::move(left_out)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }  // without it the pass is left out at -O0

 protected:
  // `labels`: nothing is put into the code, but each instruction is labelled with its sites (labels.h).
  llvm::PreservedAnalyses work_on(llvm::Module& module, bool labels);

 private:
  DebugInfo left_;
  Pruning prune_;
  bool inline_checks_;
  Profile profile_;
  bool whole_program_;
  std::set<uint64_t> left_out_;
};

}  // namespace norn::compiler
