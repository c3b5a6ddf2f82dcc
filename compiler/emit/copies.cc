#include "compiler/emit/copies.h"

#include <memory>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "norn/abi.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::cast;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

namespace {

llvm::GlobalVariable* counters_variable(llvm::Module& module) {
  constexpr llvm::StringLiteral kName = "__norn_regions";
  if (auto* known = module.getGlobalVariable(kName)) return known;
  return new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

// The runtime finds it by its section.
llvm::GlobalVariable* new_number(llvm::Function& function) {
  llvm::GlobalVariable* region = new_region_number(function);
  region->setExternallyInitialized(true);
  region->setSection("norn_regions");
  return region;
}

// What the phis of `to` take from `from`.
std::vector<Value*> values_from(BasicBlock* from, BasicBlock* to) {
  std::vector<Value*> values;
  for (llvm::PHINode& phi : to->phis()) values.push_back(phi.getIncomingValueForBlock(from));
  return values;
}

void add_edge(BasicBlock* from, BasicBlock* to, llvm::ArrayRef<Value*> values) {
  for (auto [phi, value] : llvm::zip_equal(to->phis(), values)) phi.addIncoming(value, from);
}

// Whether it is what a load or a store computes by itself: a base, an index times 1, 2, 4 or 8, and a constant.
bool is_address(const Instruction& value) {
  const auto* address = dyn_cast<llvm::GetElementPtrInst>(&value);
  if (address == nullptr || !address->getType()->isPointerTy()) return false;
  const llvm::DataLayout& layout = value.getModule()->getDataLayout();
  const unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
  llvm::MapVector<Value*, llvm::APInt> indices;
  llvm::APInt constant(bits, 0);
  if (!address->collectOffset(layout, bits, indices, constant) || indices.size() > 1) return false;
  return indices.empty() || (indices.begin()->second.isPowerOf2() && indices.begin()->second.ule(8));
}

// Once more before each access in another block, as the code generator would do it: where two values meet it no longer
// can, and a register would be needed for each address instead of one for their base. Returns whether there was any.
bool compute_where_used(Instruction& address) {
  bool any = false;
  for (llvm::Use& use : llvm::make_early_inc_range(address.uses())) {
    auto* user = cast<Instruction>(use.getUser());
    const auto* further = dyn_cast<llvm::GetElementPtrInst>(user);
    const bool accesses =
        llvm::getLoadStorePointerOperand(user) == &address || (further != nullptr && further->hasAllConstantIndices());
    if (!accesses || user->getParent() == address.getParent()) continue;
    if (isa<llvm::StoreInst>(user) && cast<llvm::StoreInst>(user)->getValueOperand() == &address) continue;
    Instruction* again = address.clone();
    again->insertBefore(user);
    use.set(again);
    any = true;
  }
  return any;
}

bool is_everywhere(const Instruction& value, const llvm::DominatorTree& dominators) {
  return llvm::all_of(value.uses(), [&](const llvm::Use& use) { return dominators.dominates(&value, use); });
}

// There is no debug value where only one of two values is known.
void forget_debug_values(Instruction& value, const llvm::DominatorTree& dominators) {
  llvm::SmallVector<llvm::DbgVariableIntrinsic*> intrinsics;
  llvm::SmallVector<llvm::DbgVariableRecord*> records;
  llvm::findDbgUsers(intrinsics, &value, &records);
  for (llvm::DbgVariableIntrinsic* user : intrinsics) {
    if (!dominators.dominates(&value, user)) user->setKillLocation();
  }
  for (llvm::DbgVariableRecord* record : records) {
    if (!dominators.dominates(value.getParent(), record->getParent())) record->setKillLocation();
  }
}

}  // namespace

CopyQuestion sampling_question(llvm::Function& function, Hooks& hooks) {
  // Of regions, by their first blocks.
  auto numbers = std::make_shared<llvm::DenseMap<const BasicBlock*, llvm::GlobalVariable*>>();
  const auto number_of = [&function, numbers](const BasicBlock& next) {
    llvm::GlobalVariable*& known = (*numbers)[&next];
    if (known == nullptr) known = new_number(function);
    return known;
  };
  // The answer to a glance comes right after it.
  auto number = std::make_shared<Value*>(nullptr);
  return {[&function, number_of, number](llvm::IRBuilder<>& builder, const BasicBlock& next) {
            *number = builder.CreateLoad(builder.getInt32Ty(), number_of(next));
            Value* counters = builder.CreateLoad(builder.getPtrTy(), counters_variable(*function.getParent()));
            Value* offset = builder.CreateMul(builder.CreateZExt(*number, builder.getInt64Ty()),
                                              builder.getInt64(sizeof(norn_region)));
            Value* counter = builder.CreatePtrAdd(counters, offset);
            static_assert(offsetof(norn_region, left) == 0);
            Value* left = builder.CreateSub(builder.CreateLoad(builder.getInt32Ty(), counter), builder.getInt32(1));
            builder.CreateStore(left, counter);
            return builder.CreateICmpSLT(left, builder.getInt32(0));
          },
          [&hooks, number](llvm::IRBuilder<>& builder, const BasicBlock& /*next*/) {
            llvm::CallInst* answer = builder.CreateCall(hooks.sample(), {*number});
            answer->setCallingConv(llvm::CallingConv::PreserveAll);
            return builder.CreateIsNotNull(answer);
          }};
}

bool Copies::can_be_made(const llvm::Function& function) {
  if (function.callsFunctionThatReturnsTwice() || function.isPresplitCoroutine()) return false;
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken() || isa<llvm::IndirectBrInst, llvm::CallBrInst>(block.getTerminator())) return false;
    for (const Instruction& instruction : block) {
      if (instruction.getType()->isTokenTy()) return false;
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->cannotDuplicate()) return false;
    }
  }
  return true;
}

void Copies::make(llvm::function_ref<bool(const BasicBlock&)> is_checked) {
  separate_entry();
  regions_ = find_loop_regions(function_, is_checked);
  clone();
  ask(entry_, entry_->getSingleSuccessor());
  for (const Region& region : regions_) join(region);
  for (const auto& [region, goes_on] : strides_) count_strides(*region, goes_on);
  merge_values();
}

Instruction* Copies::checked(const Instruction* instruction) const {
  return cast<Instruction>(checked_.lookup(instruction));
}

std::vector<BasicBlock*> Copies::checked_turns() const {
  std::vector<BasicBlock*> turns{checked(body_)};
  for (const Region& region : regions_) turns.push_back(checked(region.again));
  return turns;
}

BasicBlock* Copies::checked(const BasicBlock* block) const { return cast<BasicBlock>(checked_.lookup(block)); }

void Copies::separate_entry() {
  entry_ = &function_.getEntryBlock();
  std::vector<llvm::AllocaInst*> variables;
  for (Instruction& instruction : *entry_) {
    auto* variable = dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable != nullptr && variable->isStaticAlloca()) variables.push_back(variable);
  }
  auto place = entry_->begin();
  for (llvm::AllocaInst* variable : variables) {
    if (&*place == variable) {
      ++place;
    } else {
      variable->moveBefore(*entry_, place);
    }
  }
  body_ = entry_->splitBasicBlock(place, "norn.body");
}

void Copies::clone() {
  for (BasicBlock& block : function_) {
    if (&block != entry_) blocks_.push_back(&block);
  }
  llvm::SmallVector<BasicBlock*, 32> clones;
  llvm::ValueToValueMapTy map;
  for (BasicBlock* block : blocks_) {
    clones.push_back(llvm::CloneBasicBlock(block, map, ".checked", &function_));
    map[block] = clones.back();
  }
  llvm::remapInstructionsInBlocks(clones, map);
  // That map follows values when uses are replaced; what stands for what does not change. Branches will be others.
  for (const auto& [value, copy] : map) {
    if (!isa<llvm::BranchInst>(value)) checked_[value] = copy;
  }
}

// `at` ends with a branch to `next`, or to its clone: now it goes to the one whose turn it is. Returns the block that
// leads to `next`.
BasicBlock* Copies::ask(BasicBlock* at, BasicBlock* next) {
  BasicBlock* own = at->getSingleSuccessor();
  BasicBlock* copy = checked(next);
  const std::vector<Value*> values = values_from(at, own);
  own->removePredecessor(at, true);
  at->getTerminator()->eraseFromParent();

  llvm::LLVMContext& context = function_.getContext();
  auto* goes_on = BasicBlock::Create(context, "norn.on", &function_, at->getNextNode());
  llvm::IRBuilder<> builder(at);
  llvm::MDNode* unlikely = llvm::MDBuilder(context).createUnlikelyBranchWeights();
  Value* glanced = question_.glance(builder, *next);
  if (question_.answer) {
    auto* asks = BasicBlock::Create(context, "norn.ask", &function_);
    builder.CreateCondBr(glanced, asks, goes_on, unlikely);
    builder.SetInsertPoint(asks);
    builder.CreateCondBr(question_.answer(builder, *next), copy, goes_on);
    add_edge(asks, copy, values);
  } else {
    builder.CreateCondBr(glanced, copy, goes_on, unlikely);
    add_edge(at, copy, values);
  }
  // The only one that leads on from here: a loop shall have one end, for those who optimise it further.
  builder.SetInsertPoint(goes_on);
  builder.CreateBr(next);
  add_edge(goes_on, next, values);
  return goes_on;
}

void Copies::join(const Region& region) {
  ask(checked(region.again), region.header);
  if (region.asks == Region::Asks::kAlways) ask(region.again, region.header);
  if (region.asks == Region::Asks::kSometimes) {
    strides_.push_back({&region, ask(llvm::SplitEdge(region.again, region.header), region.header)});
  }
  for (BasicBlock* left : region.left) go_home(region, left);
}

// Who leaves the loop goes on in the copy it came from.
void Copies::go_home(const Region& region, BasicBlock* left) {
  BasicBlock* next = left->getSingleSuccessor();
  BasicBlock* copy = checked(next);
  const std::vector<Value*> values = values_from(left, next);
  const std::vector<Value*> copied = values_from(checked(left), copy);
  for (BasicBlock* block : {left, checked(left)}) {
    llvm::IRBuilder<> builder(block->getTerminator());
    homes_.push_back({&region, builder.CreateCondBr(llvm::PoisonValue::get(builder.getInt1Ty()), copy, next)});
    block->getTerminator()->eraseFromParent();
  }
  add_edge(left, copy, values);
  add_edge(checked(left), next, copied);
}

// Lets the unchecked copy ask at the end of each kRegionStride-th iteration only. `goes_on`: where it then goes on.
void Copies::count_strides(const Region& region, BasicBlock* goes_on) {
  BasicBlock* question = region.again->getSingleSuccessor();
  llvm::IRBuilder<> builder(region.header, region.header->begin());
  llvm::PHINode* left = builder.CreatePHI(builder.getInt32Ty(), 3, "norn.left");
  builder.SetInsertPoint(region.again->getTerminator());
  Value* fewer = builder.CreateSub(left, builder.getInt32(1));
  llvm::MDNode* unlikely = llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
  builder.CreateCondBr(builder.CreateIsNull(fewer), question, goes_on, unlikely);
  region.again->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(goes_on, goes_on->begin());
  llvm::PHINode* counted = builder.CreatePHI(builder.getInt32Ty(), 3);
  for (BasicBlock* before : llvm::predecessors(goes_on)) {
    counted->addIncoming(before == region.again ? fewer : builder.getInt32(kRegionStride), before);
  }
  for (BasicBlock* before : llvm::predecessors(region.header)) {
    left->addIncoming(before == goes_on ? static_cast<Value*>(counted) : builder.getInt32(kRegionStride), before);
  }
}

// A value and its copy are one variable of the program: where control may come from both, they meet in a phi.
void Copies::merge_values() {
  llvm::DominatorTree dominators(function_);
  llvm::SSAUpdaterBulk merger;
  llvm::Type* boolean = llvm::Type::getInt1Ty(function_.getContext());
  for (const Region& region : regions_) {
    const unsigned home = merger.AddVariable("norn.home", boolean);
    merger.AddAvailableValue(home, region.enter, llvm::ConstantInt::getFalse(boolean));
    merger.AddAvailableValue(home, checked(region.enter), llvm::ConstantInt::getTrue(boolean));
    for (const Home& leave : homes_) {
      if (leave.region == &region && dominators.isReachableFromEntry(leave.branch->getParent())) {
        merger.AddUse(home, &leave.branch->getOperandUse(0));
      }
    }
  }
  std::vector<Instruction*> values;
  for (BasicBlock* block : llvm::post_order(&function_)) {
    for (Instruction& instruction : llvm::reverse(*block)) {
      if (checked_.contains(&instruction)) values.push_back(&instruction);
    }
  }
  compute_addresses(values, dominators);
  for (Instruction* value : values) {
    if (!is_whole(*value, dominators)) add_merged(*value, dominators, merger);
  }
  merger.RewriteAllUses(&dominators);
}

// All of them, before any value is merged: an address that is computed again uses its base in a block where it was not
// used before, and that use has to be merged as well. A loop has two ways in here, so no order of the blocks has all
// users of a value before it: this goes on until nothing changes.
void Copies::compute_addresses(llvm::ArrayRef<Instruction*> values, const llvm::DominatorTree& dominators) const {
  std::vector<Instruction*> addresses;
  llvm::copy_if(values, std::back_inserter(addresses), [](const Instruction* value) { return is_address(*value); });
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction* address : addresses) {
      if (is_whole(*address, dominators)) continue;
      changed |= compute_where_used(*address);
      changed |= compute_where_used(*checked(address));
    }
  }
}

// Whether neither the value nor its copy is used where the other may be meant.
bool Copies::is_whole(const Instruction& value, const llvm::DominatorTree& dominators) const {
  return is_everywhere(value, dominators) && is_everywhere(*checked(&value), dominators);
}

void Copies::add_merged(Instruction& value, const llvm::DominatorTree& dominators, llvm::SSAUpdaterBulk& merger) const {
  Instruction* copy = checked(&value);
  const unsigned variable = merger.AddVariable(value.getName(), value.getType());
  for (Instruction* defined : {&value, copy}) {
    merger.AddAvailableValue(variable, defined->getParent(), defined);
    for (llvm::Use& use : defined->uses()) {
      const auto* user = cast<Instruction>(use.getUser());
      const auto* phi = dyn_cast<llvm::PHINode>(user);
      const BasicBlock* block = phi != nullptr ? phi->getIncomingBlock(use) : user->getParent();
      if (block != defined->getParent() && dominators.isReachableFromEntry(block)) merger.AddUse(variable, &use);
    }
    forget_debug_values(*defined, dominators);
  }
}

}  // namespace norn::compiler
