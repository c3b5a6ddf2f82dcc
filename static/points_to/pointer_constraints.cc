// What variables and instructions say of pointers; calls apart.
#include <algorithm>
#include <cassert>
#include <numeric>

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "static/points_to/pointer_solver.h"
#include "static/points_to/virtual_tables.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

bool PointerSolver::carries_pointers(llvm::Type* type) const {
  if (type->isPointerTy()) return true;
  if (!type->isSized() || type->isFPOrFPVectorTy() || type->isTokenTy() || type->isVoidTy()) return false;
  return layout_.getTypeStoreSize(type).getKnownMinValue() >= static_cast<uint64_t>(kPointerBytes);
}

int64_t PointerSolver::size_of(llvm::Type* type) const {
  return type->isSized() ? static_cast<int64_t>(layout_.getTypeAllocSize(type).getKnownMinValue()) : kEndless;
}

void PointerSolver::add_global(const llvm::GlobalVariable& global) {
  // Nobody writes it, and it has no pointers: texts, tables of numbers. All are one.
  if (global.isConstant() && global.hasInitializer() && isa<llvm::ConstantData>(global.getInitializer())) {
    if (constants_ == ~0U) {
      constants_ = new_object(ObjectKind::kGlobal, &global, kEndless);
      objects_[constants_].whole = true;
    }
    of_origin_[&global] = {constants_};
    return;
  }
  const ObjectId object = new_object(global.isThreadLocal() ? ObjectKind::kThreadLocal : ObjectKind::kGlobal, &global,
                                     global.isDeclaration() ? kEndless : size_of(global.getValueType()));
  objects_[object].single = global.getValueType()->isSingleValueType();
  if (!global.getName().starts_with("_ZTV")) add_arrays(object, global.getValueType(), 0);
}

// Long arrays have one element.
void PointerSolver::add_arrays(ObjectId object, llvm::Type* type, int64_t at, unsigned depth) {
  if (depth > 4) return;
  if (const auto* array = dyn_cast<llvm::ArrayType>(type)) {
    const int64_t element = size_of(array->getElementType());
    if (static_cast<int64_t>(array->getNumElements()) > kShortArray && element > 0) {
      add_region(object, {at, at + element * static_cast<int64_t>(array->getNumElements()), element});
    } else {
      for (uint64_t i = 0; i < array->getNumElements(); ++i) {
        add_arrays(object, array->getElementType(), at + static_cast<int64_t>(i) * element, depth + 1);
      }
    }
  } else if (auto* structure = dyn_cast<llvm::StructType>(type); structure != nullptr && structure->isSized()) {
    const llvm::StructLayout* fields = layout_.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      add_arrays(object, structure->getElementType(i),
                 at + static_cast<int64_t>(fields->getElementOffset(i).getKnownMinValue()), depth + 1);
    }
  }
}

void PointerSolver::read_initializer(const llvm::GlobalVariable& global) {
  put_constant(of_origin_[&global].front(), 0, global.getInitializer());
}

void PointerSolver::put_constant(ObjectId object, int64_t at, const llvm::Constant* constant) {
  if (isa<llvm::ConstantData>(constant)) return;
  if (isa<llvm::ConstantAggregate>(constant)) {
    llvm::Type* type = constant->getType();
    for (unsigned i = 0; i < constant->getNumOperands(); ++i) {
      int64_t offset = 0;
      if (auto* structure = dyn_cast<llvm::StructType>(type)) {
        offset = static_cast<int64_t>(layout_.getStructLayout(structure)->getElementOffset(i).getKnownMinValue());
      } else {
        offset = static_cast<int64_t>(i) * size_of(constant->getOperand(i)->getType());
      }
      put_constant(object, at + offset, cast<llvm::Constant>(constant->getOperand(i)));
    }
    return;
  }
  if (!carries_pointers(constant->getType())) return;
  if (const Location where = location(object, at); where != kNoLocation) copy(node_of(constant), content(where));
}

PointerSolver::Node PointerSolver::node_of(const Value* value) {
  const auto [known, first] = of_value_.try_emplace(value, 0);
  if (!first) return known->second;
  const Node node = new_node();
  of_value_[value] = node;
  if (const auto* constant = dyn_cast<llvm::Constant>(value)) read_constant(*constant, node);
  return node;
}

void PointerSolver::read_constant(const llvm::Constant& constant, Node node) {
  if (const auto* alias = dyn_cast<llvm::GlobalAlias>(&constant)) {
    copy(node_of(alias->getAliasee()), node);
  } else if (const auto* function = dyn_cast<llvm::Function>(&constant)) {
    if (!of_origin_.contains(function)) new_object(ObjectKind::kFunction, function, 1);
    add(node, location(of_origin_[function].front(), 0));
  } else if (isa<llvm::GlobalVariable>(constant)) {
    add(node, location(of_origin_[&constant].front(), 0));
  } else if (isa<llvm::GlobalValue>(constant)) {
    return;
  } else if (const auto* step = dyn_cast<llvm::GEPOperator>(&constant)) {
    read_step(*step, node, false);
  } else {
    for (const llvm::Use& operand : constant.operands()) {
      if (isa<llvm::Constant>(operand.get()) && !isa<llvm::ConstantData>(operand.get()))
        copy(node_of(operand.get()), node);
    }
  }
}

// `turns`: it is done again and again to what it made.
void PointerSolver::read_step(const llvm::GEPOperator& gep, Node node, bool turns) {
  Step step;
  if (gep.getType()->isVectorTy()) {
    step = {0, true, {0, kEndless, 1}};
    add_step(node_of(gep.getPointerOperand()), node, step);
    return;
  }
  if (const MemberStep member = member_step(gep); member != MemberStep::kNone) {
    const Node from = node_of(gep.getPointerOperand());
    const bool of_object = member == MemberStep::kObject;
    for (const int64_t bytes : of_object ? members_.adjustments : members_.slots)
      add_step(from, node, {of_object ? bytes : bytes + 1, false, {0, 0, 0}});  // of a table one less is loaded
    return;
  }
  int64_t at = 0;
  int64_t period = 0;
  bool first = true;
  llvm::Type* outer = gep.getSourceElementType();  // what the index is into
  for (auto index = llvm::gep_type_begin(gep); index != llvm::gep_type_end(gep); ++index) {
    const auto* number = dyn_cast<llvm::ConstantInt>(index.getOperand());
    if (llvm::StructType* structure = index.getStructTypeOrNull()) {
      at += static_cast<int64_t>(layout_.getStructLayout(structure)
                                     ->getElementOffset(static_cast<unsigned>(number->getZExtValue()))
                                     .getKnownMinValue());
    } else {
      const auto element = static_cast<int64_t>(index.getSequentialElementStride(layout_).getKnownMinValue());
      if (number != nullptr) {
        at += number->getSExtValue() * element;
      } else {
        if (period == 0) {
          step.region.begin = at;
          step.region.end = kEndless;
          if (const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(first ? nullptr : outer))
            step.region.end = at + element * static_cast<int64_t>(array->getNumElements());
        }
        period = std::gcd(period, element);
      }
    }
    if (!first) outer = index.getIndexedType();
    first = false;
  }
  step.bytes = at;
  if (period != 0) {
    step.varies = true;
    step.region.period = period;
  } else if (turns && at != 0) {
    step.varies = true;
    step.region = {0, kEndless, std::abs(at)};
    step.bytes = at < 0 ? -1 : 0;
  }
  add_step(node_of(gep.getPointerOperand()), node, step, true);
}

void PointerSolver::add_step(Node from, Node to, const Step& step, bool only) {
  if (!step.varies && step.bytes == 0) return copy(from, to);
  nodes_[find(from)].steps.push_back({to, step, only});
  look_again(from);
}

void PointerSolver::load(const Value* address, const Value* to) {
  if (!carries_pointers(to->getType())) return;
  load_node(node_of(address), node_of(to), size_of(to->getType()), isa<llvm::LoadInst>(to));
}

void PointerSolver::load_node(Node address, Node to, int64_t size, bool only) {
  nodes_[find(address)].loads.push_back({to, size, only});
  look_again(address);
}

void PointerSolver::store(const Value* value, const Value* address) {
  if (!carries_pointers(value->getType()) || isa<llvm::ConstantData>(value)) return;
  store_node(node_of(value), node_of(address), size_of(value->getType()));
}

void PointerSolver::store_node(Node value, Node address, int64_t size) {
  nodes_[find(address)].stores.push_back({value, size, false});
  look_again(address);
}

void PointerSolver::copy_block(const Value* from, const Value* to, const Value* length) {
  const auto* number = length == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(length);
  const int64_t size = number == nullptr ? kEndless : static_cast<int64_t>(number->getZExtValue());
  copy_block(node_of(from), node_of(to), size);
}

// Any block that the one points to may come to any that the other does: through an object between them, that nobody
// points to, or there would be as many copies as pairs.
void PointerSolver::copy_block(Node source, Node target, int64_t size) {
  const ObjectId between = new_object(ObjectKind::kStack, nullptr, size);
  nodes_[find(source)].memory.push_back({between, size, true});
  nodes_[find(target)].memory.push_back({between, size, false});
  look_again(source);
  look_again(target);
}

PointerSolver::Node PointerSolver::returned_by(const llvm::Function& function) {
  const auto [known, first] = returned_.try_emplace(&function, 0);
  if (!first) return known->second;
  const Node node = new_node();
  returned_[&function] = node;
  for (const llvm::BasicBlock& block : function) {
    const auto* result = dyn_cast<llvm::ReturnInst>(block.getTerminator());
    const Value* value = result == nullptr ? nullptr : result->getReturnValue();
    if (value != nullptr && carries_pointers(value->getType()) && !isa<llvm::ConstantData>(value))
      copy(node_of(value), node);
  }
  return node;
}

// Steps of pointers that go round: of a phi to itself.
void PointerSolver::find_turning(const llvm::Function& function) {
  llvm::SmallPtrSet<const Value*, 16> done;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (gep == nullptr || turning_.contains(gep)) continue;
    llvm::SmallPtrSet<const Value*, 16> seen;
    llvm::SmallVector<const Value*, 16> open{gep->getPointerOperand()};
    while (!open.empty() && seen.size() < 64) {
      const Value* next = open.pop_back_val();
      if (next == gep) {
        turning_.insert(gep);
        break;
      }
      if (!seen.insert(next).second) continue;
      if (const auto* phi = dyn_cast<llvm::PHINode>(next)) {
        for (const llvm::Use& value : phi->incoming_values()) open.push_back(value.get());
      } else if (const auto* select = dyn_cast<llvm::SelectInst>(next)) {
        open.push_back(select->getTrueValue());
        open.push_back(select->getFalseValue());
      } else if (const auto* inner = dyn_cast<llvm::GetElementPtrInst>(next)) {
        open.push_back(inner->getPointerOperand());
      }
    }
  }
}

void PointerSolver::read_function(const llvm::Function& function) {
  find_turning(function);
  if (const ReturnSources* sources = returned_sources_.of(function); sources != nullptr && !sources->fresh.empty())
    objects_of_calls(function);
  for (const llvm::Argument& argument : function.args()) {
    if (!argument.hasByValAttr()) continue;
    const ObjectId copied = new_object(ObjectKind::kStack, &argument, size_of(argument.getParamByValType()));
    add(node_of(&argument), location(copied, 0));
  }
  llvm::DenseSet<const llvm::StoreInst*> passing = passing_tables(function);
  for (const llvm::StoreInst* store : stores_of_freed(function)) passing.insert(store);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr || !passing.contains(store)) {
      read(instruction);
    } else {
      node_of(store->getPointerOperand());
    }
  }
}

void PointerSolver::read(const llvm::Instruction& instruction) {
  // Whoever asks later finds it solved.
  for (const llvm::Use& operand : instruction.operands()) {
    if (operand->getType()->isPointerTy() && !isa<llvm::ConstantData>(operand.get())) node_of(operand.get());
  }
  if (const auto* variable = dyn_cast<llvm::AllocaInst>(&instruction)) {
    const auto* count = dyn_cast<llvm::ConstantInt>(variable->getArraySize());
    const int64_t one = size_of(variable->getAllocatedType());
    const ObjectId object = new_object(ObjectKind::kStack, variable,
                                       count == nullptr ? kEndless : one * static_cast<int64_t>(count->getZExtValue()));
    objects_[object].single = count != nullptr && count->isOne() && variable->getAllocatedType()->isSingleValueType();
    if (count != nullptr && count->isOne()) add_arrays(object, variable->getAllocatedType(), 0);
    add(node_of(variable), location(object, 0));
  } else if (const auto* loaded = dyn_cast<llvm::LoadInst>(&instruction)) {
    load(loaded->getPointerOperand(), loaded);
  } else if (const auto* stored = dyn_cast<llvm::StoreInst>(&instruction)) {
    store(stored->getValueOperand(), stored->getPointerOperand());
  } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    load(update->getPointerOperand(), update);
    store(update->getValOperand(), update->getPointerOperand());
  } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    if (carries_pointers(exchange->getNewValOperand()->getType())) {
      load_node(node_of(exchange->getPointerOperand()), node_of(exchange), kPointerBytes);
      store(exchange->getNewValOperand(), exchange->getPointerOperand());
    }
  } else if (const auto* step = dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    read_step(*cast<llvm::GEPOperator>(step), node_of(&instruction), turning_.contains(step));
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    read_call(*call);
  } else if (isa<llvm::LandingPadInst>(instruction)) {
    copy(exceptions_, node_of(&instruction));
  } else if (isa<llvm::VAArgInst>(instruction)) {
    load(instruction.getOperand(0), &instruction);
  } else if (carries_pointers(instruction.getType())) {
    read_arithmetic(instruction);
  }
}

// Whether an integer is made of a pointer, or a pointer of it, by what is seen in its function. Others that are
// computed are numbers: counters that lie where pointers may lie, too.
bool PointerSolver::is_of_pointer(const llvm::Instruction& computed) {
  const auto leads_on = [](const Value* value) {
    return isa<llvm::BinaryOperator, llvm::PHINode, llvm::SelectInst, llvm::CastInst, llvm::FreezeInst>(value);
  };
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> open{&computed};
  while (!open.empty() && seen.size() < 64) {
    const auto* value = open.pop_back_val();
    if (isa<llvm::PtrToIntOperator>(value)) return true;
    if (!leads_on(value) || !seen.insert(value).second) continue;
    for (const llvm::Use& operand : cast<llvm::Instruction>(value)->operands()) open.push_back(operand.get());
  }
  seen.clear();
  open.assign({&computed});
  while (!open.empty() && seen.size() < 64) {
    const auto* value = open.pop_back_val();
    if (isa<llvm::IntToPtrInst>(value)) return true;
    if (!leads_on(value) || !seen.insert(value).second) continue;
    for (const llvm::User* user : value->users()) open.push_back(user);
  }
  return false;
}

void PointerSolver::read_arithmetic(const llvm::Instruction& instruction) {
  const Node node = node_of(&instruction);
  if (isa<llvm::BinaryOperator>(instruction) && !is_of_pointer(instruction)) return;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Mul:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
    case llvm::Instruction::Shl:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return;
    case llvm::Instruction::Sub:
      if (isa<llvm::PtrToIntOperator>(instruction.getOperand(0)) &&
          isa<llvm::PtrToIntOperator>(instruction.getOperand(1)))
        return;
      [[fallthrough]];
    case llvm::Instruction::Add: {
      const auto* number = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      if (number != nullptr && number->getBitWidth() <= 64) {
        const int64_t bytes = number->getSExtValue();
        const bool minus = instruction.getOpcode() == llvm::Instruction::Sub;
        return add_step(node_of(instruction.getOperand(0)), node, {minus ? -bytes : bytes, false, {0, 0, 0}});
      }
      for (const llvm::Use& operand : instruction.operands()) {
        if (!isa<llvm::ConstantData>(operand.get()))
          add_step(node_of(operand.get()), node, {-1, true, {0, kEndless, 1}});
      }
      return;
    }
    default:
      // Bits of a pointer are masked, or put together: it is the same pointer.
      for (const llvm::Use& operand : instruction.operands()) {
        if (carries_pointers(operand->getType()) && !isa<llvm::ConstantData>(operand.get()) &&
            !isa<llvm::BasicBlock>(operand.get()))
          copy(node_of(operand.get()), node);
      }
  }
}

}  // namespace norn::statics
