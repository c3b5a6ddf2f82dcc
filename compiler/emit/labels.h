// What the instrumented program knows of an instruction, as metadata of the instruction in a module that stays as it
// is: for who looks at a program without running it (static/).
//
//     store i32 %v, ptr %p, !norn.sites !{!{ptr @norn.site.3, i32 1, i64 4, i32 2}}    site, operand, size, LabelFlags
//
// The sites are those of the instrumentation, found by the same code and with the same pruning, so a pair of them is
// the race that the running program would report.
#pragma once

#include <vector>

#include "compiler/emit/instrument.h"
#include "llvm/IR/Instruction.h"

namespace norn::compiler {

inline constexpr llvm::StringLiteral kLabelMetadata = "norn.sites";

enum LabelFlags : uint32_t {
  kLabelReads = 1,
  kLabelWrites = 2,
  kLabelAtomic = 4,
  kLabelSpins = 8,  // it is what a loop waits for
  kLabelCall = 16,  // no access: the site of a call
};

struct Label {
  llvm::Constant* site;
  unsigned operand;  // of the instruction: the address
  uint64_t size;     // 0: not known
  uint32_t flags;    // LabelFlags
};

void attach_labels(llvm::Instruction& instruction, const std::vector<Label>& labels);
[[nodiscard]] std::vector<Label> labels_of(const llvm::Instruction& instruction);

// The identity of a site and of what it is inlined at, down to the first that is no library's
// (runtime/hooks/stack_ids.h). Of library code that is a function here it is a part of one, by which no race is known.
// Only once the site's module is labelled or instrumented.
[[nodiscard]] uint64_t identity_of(const llvm::Constant* site);

// Labels every instruction of a module that was not instrumented. The sites are variables of the module then.
class LabelPass : public InstrumentPass {
 public:
  LabelPass() : InstrumentPass(DebugInfo::kKeep, Pruning::of({}), false, Profile::kFull, false) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) {
    return work_on(module, true);
  }
};

}  // namespace norn::compiler
