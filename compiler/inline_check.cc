#include "compiler/inline_check.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "runtime/abi.h"

namespace norn::compiler {

using llvm::Value;

namespace {

constexpr uint64_t kTableBytes = sizeof(norn_fast::known[0]);

llvm::GlobalVariable* fast_variable(llvm::Module& module) {
  if (auto* known = module.getGlobalVariable("__norn_fast")) return known;
  return new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, "__norn_fast", nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

// Zero if the history in the cells is known to the thread. All loads are volatile: their order matters.
class Check final {
 public:
  Check(llvm::IRBuilder<>& builder, Value* address, uint64_t size, bool write)
      : builder_(builder),
        address_(builder.CreatePtrToInt(address, builder.getInt64Ty())),
        size_(size),
        write_(write) {}

  Value* emit() {
    fast_ = builder_.CreateLoad(builder_.getPtrTy(), fast_variable(*builder_.GetInsertBlock()->getModule()));
    Value* cell = builder_.CreateAnd(address_, field(offsetof(norn_fast, mask)));
    cell = builder_.CreateXor(cell, field(offsetof(norn_fast, base)));
    Value* different = nullptr;
    Value* history = load_history(builder_.CreateIntToPtr(cell, builder_.getPtrTy()), different);
    // Twice the entry's number, times four: its offset.
    Value* offset = builder_.CreateAnd(history, 2 * std::size(norn_fast{}.known[0]) - 2);
    offset = builder_.CreateShl(offset, 2);
    if (size_ < 4) {
      Value* byte = builder_.CreateAnd(address_, 3);
      offset = builder_.CreateAdd(offset, builder_.CreateMul(byte, builder_.getInt64(kTableBytes)));
    }
    Value* entry = builder_.CreatePtrAdd(fast_, offset);
    entry = builder_.CreatePtrAdd(entry, builder_.getInt64(offsetof(norn_fast, known) + table() * kTableBytes));
    Value* news = builder_.CreateXor(load(entry, builder_.getInt64Ty(), 8), history);
    news = builder_.CreateXor(news, field(offsetof(norn_fast, generation)));
    return different == nullptr ? news : builder_.CreateOr(news, different);
  }

 private:
  uint64_t table() const {
    const uint64_t of_size = size_ == 1 ? NORN_FAST_1 : size_ == 2 ? NORN_FAST_2 : NORN_FAST_4;
    return of_size + (write_ ? NORN_FAST_WRITES : 0);
  }
  Value* load(Value* at, llvm::Type* type, uint64_t alignment) {
    return builder_.CreateAlignedLoad(type, at, llvm::Align(alignment), true);
  }
  Value* field(uint64_t offset) {
    return load(builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), fast_, offset), builder_.getInt64Ty(), 8);
  }
  // `different`: not zero if the words' histories are not the same; null: there is one.
  Value* load_history(Value* cell, Value*& different) {
    if (size_ <= 4) return builder_.CreateZExt(load(cell, builder_.getInt32Ty(), 4), builder_.getInt64Ty());
    Value* two = load(cell, builder_.getInt64Ty(), 4);
    different = builder_.CreateXor(two, builder_.CreateIntrinsic(llvm::Intrinsic::fshl, {builder_.getInt64Ty()},
                                                                 {two, two, builder_.getInt64(32)}));
    if (size_ == 16) {
      Value* next = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), cell, 8);
      different = builder_.CreateOr(different, builder_.CreateXor(two, load(next, builder_.getInt64Ty(), 4)));
    }
    return builder_.CreateAnd(two, 0xffffffff);
  }

  llvm::IRBuilder<>& builder_;
  Value* address_;
  Value* fast_ = nullptr;
  uint64_t size_;
  bool write_;
};

}  // namespace

bool has_inline_check(uint64_t size, llvm::Align alignment) {
  return size <= 2 || (Hooks::has_access(size) && alignment.value() >= 4);
}

void emit_inline_check(llvm::IRBuilder<>& builder, Hooks& hooks, Value* address, uint64_t size, bool write,
                       llvm::Constant* site) {
  Value* news = builder.CreateIsNotNull(Check(builder, address, size, write).emit());
  llvm::MDNode* unlikely = llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(news, builder.GetInsertPoint(), false, unlikely);
  llvm::Instruction* after = &*end->getSuccessor(0)->getFirstInsertionPt();
  builder.SetInsertPoint(end);
  llvm::CallInst* call = builder.CreateCall(hooks.slow_access(write, size), {address, site});
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  builder.SetInsertPoint(after);
}

}  // namespace norn::compiler
