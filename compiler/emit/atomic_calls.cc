#include "compiler/emit/atomic_calls.h"

#include "llvm/CodeGen/AtomicExpandUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace norn::compiler {

using llvm::AtomicRMWInst;
using llvm::dyn_cast;
using llvm::Value;

namespace {

norn_order order_of(llvm::AtomicOrdering ordering) {
  switch (ordering) {
    case llvm::AtomicOrdering::Acquire:
      return NORN_ACQUIRE;
    case llvm::AtomicOrdering::Release:
      return NORN_RELEASE;
    case llvm::AtomicOrdering::AcquireRelease:
      return NORN_ACQ_REL;
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return NORN_SEQ_CST;
    default:
      return NORN_RELAXED;
  }
}

// The runtime's name of an operation; empty if it has none.
llvm::StringRef hook_of(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return "exchange";
    case AtomicRMWInst::Add:
      return "fetch_add";
    case AtomicRMWInst::Sub:
      return "fetch_sub";
    case AtomicRMWInst::And:
      return "fetch_and";
    case AtomicRMWInst::Or:
      return "fetch_or";
    case AtomicRMWInst::Xor:
      return "fetch_xor";
    case AtomicRMWInst::Nand:
      return "fetch_nand";
    default:
      return "";
  }
}

class Lowering final {
 public:
  Lowering(llvm::Instruction& instruction, Hooks& hooks, llvm::Constant* site, bool unsampled)
      : builder_(&instruction),
        layout_(instruction.getModule()->getDataLayout()),
        hooks_(hooks),
        site_(site),
        unsampled_(unsampled ? NORN_UNSAMPLED_ORDER : 0) {}

  Value* load(Value* address, llvm::Type* type, norn_order order) {
    return from_bits(builder_.CreateCall(hooks_.atomic("load", bits(type)), {address, number(order), site_}), type);
  }
  void store(Value* address, Value* value, norn_order order) {
    builder_.CreateCall(hooks_.atomic("store", bits(value->getType())),
                        {address, to_bits(value), number(order), site_});
  }
  Value* update(llvm::StringRef hook, Value* address, Value* value, norn_order order) {
    Value* old = builder_.CreateCall(hooks_.atomic(hook, bits(value->getType())),
                                     {address, to_bits(value), number(order), site_});
    return from_bits(old, value->getType());
  }
  // Gives what was there; `succeeded` says whether it was `expected`.
  Value* compare_exchange(Value* address, Value* expected, Value* desired, norn_order success, norn_order failure,
                          Value*& succeeded) {
    Value* want = to_bits(expected);
    Value* old =
        builder_.CreateCall(hooks_.atomic("compare_exchange", bits(expected->getType())),
                            {address, want, to_bits(desired), number(success), builder_.getInt32(failure), site_});
    succeeded = builder_.CreateICmpEQ(old, want);
    return from_bits(old, expected->getType());
  }
  void fence(norn_order order, bool signal_scope) {
    builder_.CreateCall(hooks_.fence(), {builder_.getInt32(order), builder_.getInt32(signal_scope), site_});
  }
  llvm::IRBuilder<>& builder() { return builder_; }

 private:
  Value* number(norn_order order) { return builder_.getInt32(order | unsampled_); }
  unsigned bits(llvm::Type* type) {
    return static_cast<unsigned>(layout_.getTypeStoreSizeInBits(type).getFixedValue());
  }
  Value* to_bits(Value* value) {
    return builder_.CreateBitOrPointerCast(value, llvm::IntegerType::get(value->getContext(), bits(value->getType())));
  }
  Value* from_bits(Value* value, llvm::Type* type) { return builder_.CreateBitOrPointerCast(value, type); }

  llvm::IRBuilder<> builder_;
  const llvm::DataLayout& layout_;
  Hooks& hooks_;
  llvm::Constant* site_;
  unsigned unsampled_;
};

void lower_update_by_loop(AtomicRMWInst& update, Hooks& hooks, llvm::Constant* site, bool unsampled) {
  Value* address = update.getPointerOperand();
  llvm::Type* type = update.getType();
  const norn_order order = order_of(update.getOrdering());
  const norn_order failure = order_of(llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(update.getOrdering()));
  llvm::LoadInst* first = nullptr;
  llvm::expandAtomicRMWToCmpXchg(
      &update, [&](llvm::IRBuilderBase& builder, Value* at, Value* loaded, Value* desired, llvm::Align,
                   llvm::AtomicOrdering, llvm::SyncScope::ID, Value*& succeeded, Value*& new_loaded) {
        for (Value* incoming : llvm::cast<llvm::PHINode>(loaded)->incoming_values()) {
          if (auto* load = dyn_cast<llvm::LoadInst>(incoming)) first = load;
        }
        // The builder is at the end of an unfinished block, so the call goes in before a marker.
        llvm::Instruction* marker = builder.CreateUnreachable();
        Lowering lowering(*marker, hooks, site, unsampled);
        new_loaded = lowering.compare_exchange(at, loaded, desired, order, failure, succeeded);
        marker->eraseFromParent();
      });
  assert(first != nullptr && "the loop starts with a load");
  Lowering lowering(*first, hooks, site, unsampled);
  first->replaceAllUsesWith(lowering.load(address, type, NORN_RELAXED));
  first->eraseFromParent();
}

}  // namespace

std::optional<AtomicFacts> atomic_facts(const llvm::Instruction& instruction) {
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const auto size = [&](const Value* value) { return layout.getTypeStoreSize(value->getType()).getFixedValue(); };
  const auto alone = [](llvm::SyncScope::ID scope) { return scope == llvm::SyncScope::SingleThread; };
  if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!load->isAtomic()) return std::nullopt;
    return AtomicFacts{NORN_SITE_ATOMIC_LOAD, order_of(load->getOrdering()),
                       const_cast<Value*>(load->getPointerOperand()), size(load), alone(load->getSyncScopeID())};
  }
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!store->isAtomic()) return std::nullopt;
    return AtomicFacts{NORN_SITE_ATOMIC_STORE, order_of(store->getOrdering()),
                       const_cast<Value*>(store->getPointerOperand()), size(store->getValueOperand()),
                       alone(store->getSyncScopeID())};
  }
  if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    return AtomicFacts{NORN_SITE_ATOMIC_RMW, order_of(update->getOrdering()),
                       const_cast<Value*>(update->getPointerOperand()), size(update), alone(update->getSyncScopeID())};
  }
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return AtomicFacts{NORN_SITE_ATOMIC_CAS, order_of(exchange->getSuccessOrdering()),
                       const_cast<Value*>(exchange->getPointerOperand()), size(exchange->getNewValOperand()),
                       alone(exchange->getSyncScopeID())};
  }
  if (const auto* fence = dyn_cast<llvm::FenceInst>(&instruction)) {
    return AtomicFacts{NORN_SITE_FENCE, order_of(fence->getOrdering()), nullptr, 0, alone(fence->getSyncScopeID())};
  }
  return std::nullopt;
}

void lower_atomic(llvm::Instruction& instruction, Hooks& hooks, llvm::Constant* site, bool unsampled) {
  Lowering lowering(instruction, hooks, site, unsampled);
  if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    load->replaceAllUsesWith(lowering.load(load->getPointerOperand(), load->getType(), order_of(load->getOrdering())));
  } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    lowering.store(store->getPointerOperand(), store->getValueOperand(), order_of(store->getOrdering()));
  } else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    const llvm::StringRef hook = hook_of(update->getOperation());
    if (hook.empty()) return lower_update_by_loop(*update, hooks, site, unsampled);
    update->replaceAllUsesWith(
        lowering.update(hook, update->getPointerOperand(), update->getValOperand(), order_of(update->getOrdering())));
  } else if (auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    Value* succeeded = nullptr;
    Value* old = lowering.compare_exchange(exchange->getPointerOperand(), exchange->getCompareOperand(),
                                           exchange->getNewValOperand(), order_of(exchange->getSuccessOrdering()),
                                           order_of(exchange->getFailureOrdering()), succeeded);
    llvm::IRBuilder<>& builder = lowering.builder();
    Value* result = builder.CreateInsertValue(llvm::PoisonValue::get(exchange->getType()), old, 0);
    exchange->replaceAllUsesWith(builder.CreateInsertValue(result, succeeded, 1));
  } else {
    auto* fence = llvm::cast<llvm::FenceInst>(&instruction);
    lowering.fence(order_of(fence->getOrdering()), fence->getSyncScopeID() == llvm::SyncScope::SingleThread);
  }
  instruction.eraseFromParent();
}

}  // namespace norn::compiler
