// The production profile: code as it would be without norn, and beside it probes that sleep
// (docs/design/production.md).
//
//     %v = load i32, ptr %p                →    if (@norn.probe.active) call void @__norn_probe(ptr %p, ptr
//     @norn.probe)
//                                               %v = load i32, ptr %p
//     store atomic i32 1, ptr %f release   →    if (@__norn_following) call void @__norn_probe_release(ptr %f, i32 2)
//                                               store atomic i32 1, ptr %f release
//     while (!flag) {}                     →    while (!flag) {}
//                                               if (@__norn_following) call void @__norn_probe_waited()
//
// Sites are found as for static/ (labels.h): a probe has the identity that the statement has in each other build of the
// same image. What a loop waits for has none (RaceMob, thesis §3.6): such a read is no access that races, and it is
// done often. include/norn/abi.h has what the code says.
#pragma once

#include <set>
#include <string>

#include "compiler/emit/instrument.h"
#include "llvm/IR/PassManager.h"

namespace norn::compiler {

// At which statements probes stand.
struct ProbeSites {
  bool all = false;
  std::set<uint64_t> sites{};

  // "all", or a file with an identity in hexadecimal digits on each line; an empty name is no probe at all. A file that
  // cannot be read, or is something else, ends the compilation: that is the driver's to see to.
  [[nodiscard]] static ProbeSites of(llvm::StringRef name);
};

class ProbePass : public llvm::PassInfoMixin<ProbePass> {
 public:
  ProbePass(DebugInfo left, ProbeSites sites) : left_(left), sites_(std::move(sites)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  DebugInfo left_;
  ProbeSites sites_;
};

}  // namespace norn::compiler
