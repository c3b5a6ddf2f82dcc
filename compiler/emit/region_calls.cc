#include "compiler/emit/region_calls.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "norn/abi.h"

namespace norn::compiler {
namespace {

int step_of(LoopRegion::Asks asks) {
  switch (asks) {
    case LoopRegion::Asks::kAlways:
      return NORN_REGION_AGAIN_ALWAYS;
    case LoopRegion::Asks::kSometimes:
      return NORN_REGION_AGAIN_SOMETIMES;
    default:
      return NORN_REGION_AGAIN_NEVER;
  }
}

}  // namespace

void emit_region_calls(llvm::Function& function, Hooks& hooks, bool has_copies,
                       llvm::function_ref<bool(const llvm::BasicBlock&)> is_checked) {
  const auto call = [&](llvm::Instruction* before, llvm::Value* region, int step) {
    llvm::IRBuilder<> builder(before);
    if (region == nullptr) region = llvm::ConstantPointerNull::get(builder.getPtrTy());
    builder.CreateCall(hooks.region(), {region, builder.getInt32(static_cast<uint32_t>(step))});
  };
  if (has_copies) {
    for (const LoopRegion& region : find_loop_regions(function, is_checked)) {
      llvm::GlobalVariable* number = new_region_number(function);
      call(region.again->getTerminator(), number, step_of(region.asks));
      for (llvm::BasicBlock* left : region.left) call(left->getTerminator(), number, NORN_REGION_LEFT);
    }
  }
  for (llvm::BasicBlock& block : function) {
    if (block.isLandingPad()) call(&*block.getFirstInsertionPt(), nullptr, NORN_REGION_CAUGHT);
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
    llvm::CallInst* tail = block.getTerminatingMustTailCall();
    call(tail != nullptr ? tail : block.getTerminator(), nullptr, NORN_REGION_RETURN);
  }
  call(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), new_region_number(function),
       has_copies ? NORN_REGION_FUNCTION : NORN_REGION_FUNCTION_ALWAYS);
}

}  // namespace norn::compiler
