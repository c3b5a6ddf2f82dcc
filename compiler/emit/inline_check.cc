#include "compiler/emit/inline_check.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "norn/abi.h"

namespace norn::compiler {

using llvm::Value;

namespace {

llvm::GlobalVariable* fast_variable(llvm::Module& module) {
  if (auto* known = module.getGlobalVariable("__norn_fast")) return known;
  return new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, "__norn_fast", nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

// What is zero if the shadow words that the access finds stand for it. All loads are volatile: what they find changes.
class Check final {
 public:
  Check(llvm::IRBuilder<>& builder, Value* address, uint64_t size, bool write, llvm::Align alignment)
      : builder_(builder),
        address_(builder.CreatePtrToInt(address, builder.getInt64Ty())),
        size_(size),
        write_(write),
        fits_(alignment.value() >= in_granule()) {}

  Value* emit() {
    fast_ = builder_.CreateLoad(builder_.getPtrTy(), fast_variable(*builder_.GetInsertBlock()->getModule()));
    offset_ = builder_.CreateShl(builder_.CreateAnd(address_, field(offsetof(norn_fast, mask))), 2);
    own_ = field(write_ ? offsetof(norn_fast, write) : offsetof(norn_fast, read));
    bits_ = write_ ? builder_.getInt64(NORN_FAST_WRITE_BITS) : field(offsetof(norn_fast, read_bits));
    if (size_ < kGranuleBytes) bits_ = builder_.CreateAnd(bits_, bits_of_bytes());
    if (!fits_) overhang_ = overhang();
    Value* news = news_at(offsetof(norn_fast, granules));
    // A part's shadow word may be in either place, which depends on the data: one branch for both, which is foreseen.
    if (size_ < kGranuleBytes) {
      Value* others = news_at(offsetof(norn_fast, others));
      news = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, news, others);
    }
    return builder_.CreateIsNotNull(fits_ ? news : builder_.CreateOr(news, overhang_));
  }

 private:
  static constexpr uint64_t kGranuleBytes = 8;

  Value* news_at(uint64_t first) {
    Value* word = builder_.CreatePtrAdd(builder_.CreateIntToPtr(field(first), builder_.getPtrTy()), offset_);
    Value* news = builder_.CreateXor(load(word), own_);
    if (size_ == 2 * kGranuleBytes) {
      word = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), word, NORN_FAST_GRANULE);
      news = builder_.CreateOr(news, builder_.CreateXor(load(word), own_));
    }
    return builder_.CreateAnd(news, bits_);
  }
  [[nodiscard]] uint64_t in_granule() const { return std::min(size_, kGranuleBytes); }
  // Not zero if the bytes lie in more granules than they would if they were aligned.
  Value* overhang() {
    Value* last =
        builder_.CreateAdd(builder_.CreateAnd(address_, kGranuleBytes - 1), builder_.getInt64(in_granule() - 1));
    return builder_.CreateAnd(last, kGranuleBytes);
  }
  // All but those of bytes that are not accessed.
  Value* bits_of_bytes() {
    constexpr uint64_t kOthers = ~(uint64_t{0xff} << NORN_FAST_BYTES_AT);
    Value* bytes = builder_.getInt64(((uint64_t{1} << size_) - 1) << NORN_FAST_BYTES_AT);
    return builder_.CreateOr(builder_.CreateShl(bytes, builder_.CreateAnd(address_, 7)), kOthers);
  }
  Value* load(Value* at) { return builder_.CreateAlignedLoad(builder_.getInt64Ty(), at, llvm::Align(8), true); }
  Value* field(uint64_t offset) {
    return load(builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), fast_, offset));
  }

  llvm::IRBuilder<>& builder_;
  Value* address_;
  Value* fast_ = nullptr;
  Value* offset_ = nullptr;
  Value* own_ = nullptr;
  Value* bits_ = nullptr;
  Value* overhang_ = nullptr;
  uint64_t size_;
  bool write_;
  bool fits_;
};

}  // namespace

llvm::SmallVector<Value*, 3> hook_arguments(llvm::IRBuilder<>& builder, Value* address, uint64_t size, bool write,
                                            llvm::Constant* site, Value* value) {
  llvm::SmallVector<Value*, 3> arguments = {address, site};
  if (!Hooks::takes_value(write, size)) return arguments;
  llvm::Type* wide = builder.getInt64Ty();
  if (value == nullptr) {
    arguments.push_back(llvm::PoisonValue::get(wide));
    return arguments;
  }
  if (value->getType()->isFloatingPointTy()) {
    value = builder.CreateBitCast(value, builder.getIntNTy(value->getType()->getScalarSizeInBits()));
  } else if (value->getType()->isPointerTy()) {
    value = builder.CreatePtrToInt(value, wide);
  }
  arguments.push_back(builder.CreateZExt(value, wide));
  return arguments;
}

void emit_inline_check(llvm::IRBuilder<>& builder, Hooks& hooks, Value* address, uint64_t size, bool write,
                       llvm::Align alignment, llvm::Constant* site, Value* value) {
  Check check(builder, address, size, write, alignment);
  llvm::MDNode* unlikely = llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(check.emit(), builder.GetInsertPoint(), false, unlikely);
  llvm::Instruction* after = &*end->getSuccessor(0)->getFirstInsertionPt();
  builder.SetInsertPoint(end);
  llvm::CallInst* call =
      builder.CreateCall(hooks.slow_access(write, size), hook_arguments(builder, address, size, write, site, value));
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  builder.SetInsertPoint(after);
}

}  // namespace norn::compiler
