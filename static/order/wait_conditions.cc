#include "static/order/wait_conditions.h"

#include <algorithm>
#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace norn::statics {

using llvm::APInt;
using llvm::dyn_cast;
using llvm::Value;

namespace {

constexpr unsigned kDeepest = 8;

// The one load that a value is computed of, with constants.
const Value* load_of(const Value* value, const Waits& waits, unsigned depth = 0) {
  const auto* instruction = dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || depth > kDeepest) return nullptr;
  if (const auto wait = waits.find(instruction); wait != waits.end())
    return wait->second.is_call ? nullptr : instruction;
  if (!llvm::isa<llvm::ICmpInst, llvm::BinaryOperator, llvm::CastInst, llvm::FreezeInst>(instruction)) return nullptr;
  const Value* found = nullptr;
  for (const llvm::Use& operand : instruction->operands()) {
    if (llvm::isa<llvm::ConstantInt>(operand.get())) continue;
    if (found != nullptr) return nullptr;
    found = load_of(operand.get(), waits, depth + 1);
    if (found == nullptr) return nullptr;
  }
  return found;
}

// Its value if the load gave that one.
std::optional<APInt> value_of(const Value* value, const Value* load, const APInt& loaded) {
  if (value == load) return loaded.zextOrTrunc(value->getType()->getIntegerBitWidth());
  if (const auto* number = dyn_cast<llvm::ConstantInt>(value)) return number->getValue();
  const auto* instruction = dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || !value->getType()->isIntegerTy()) return std::nullopt;
  std::optional<APInt> a = value_of(instruction->getOperand(0), load, loaded);
  if (!a) return std::nullopt;
  const unsigned bits = value->getType()->getIntegerBitWidth();
  switch (instruction->getOpcode()) {
    case llvm::Instruction::ZExt:
      return a->zext(bits);
    case llvm::Instruction::SExt:
      return a->sext(bits);
    case llvm::Instruction::Trunc:
      return a->trunc(bits);
    case llvm::Instruction::Freeze:
      return a;
    default:
      break;
  }
  if (instruction->getNumOperands() < 2) return std::nullopt;
  const std::optional<APInt> b = value_of(instruction->getOperand(1), load, loaded);
  if (!b) return std::nullopt;
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(instruction))
    return APInt(1, llvm::ICmpInst::compare(*a, *b, compare->getPredicate()) ? 1 : 0);
  switch (instruction->getOpcode()) {
    case llvm::Instruction::And:
      return *a & *b;
    case llvm::Instruction::Or:
      return *a | *b;
    case llvm::Instruction::Xor:
      return *a ^ *b;
    case llvm::Instruction::Add:
      return *a + *b;
    case llvm::Instruction::Sub:
      return *a - *b;
    default:
      return std::nullopt;
  }
}

void collect(const Value* condition, bool truth, const Waits& waits, std::vector<const Value*>& result,
             unsigned depth = 0) {
  using namespace llvm::PatternMatch;
  if (depth > kDeepest) return;
  Value* a = nullptr;
  Value* b = nullptr;
  auto* pattern = const_cast<Value*>(condition);
  if ((truth && match(pattern, m_LogicalAnd(m_Value(a), m_Value(b)))) ||
      (!truth && match(pattern, m_LogicalOr(m_Value(a), m_Value(b))))) {
    collect(a, truth, waits, result, depth + 1);
    collect(b, truth, waits, result, depth + 1);
    return;
  }
  if (match(pattern, m_Not(m_Value(a)))) return collect(a, !truth, waits, result, depth + 1);
  const Value* load = load_of(condition, waits);
  if (load == nullptr || !load->getType()->isIntegerTy()) return;
  const WaitFor& wait = waits.at(llvm::cast<llvm::Instruction>(load));
  const bool never = std::all_of(wait.first.begin(), wait.first.end(), [&](const APInt& first) {
    const std::optional<APInt> value = value_of(condition, load, first);
    return value && value->isZero() == truth;
  });
  if (never) result.push_back(load);
}

}  // namespace

std::vector<const Value*> implied_loads(const Value* condition, bool truth, const Waits& waits) {
  std::vector<const Value*> result;
  collect(condition, truth, waits, result);
  return result;
}

}  // namespace norn::statics
