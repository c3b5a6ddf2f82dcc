#include "static/candidates/loop_shares.h"

#include <algorithm>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Path.h"

namespace norn::statics {

using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

constexpr unsigned kDeepest = 16;

const llvm::CallBase* giving_call(const llvm::User* user) {
  const auto* call = dyn_cast<llvm::CallBase>(user);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  const bool gives = callee != nullptr && (callee->getName().starts_with("__kmpc_for_static_init") ||
                                           callee->getName().starts_with("__kmpc_dispatch_next"));
  return gives ? call : nullptr;
}

// The call that wrote where a thread's share begins, if a value is loaded from there.
const llvm::CallBase* giver_of_load(const Value* value) {
  const auto* load = dyn_cast<llvm::LoadInst>(value);
  const auto* slot = load == nullptr ? nullptr : dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
  if (slot == nullptr) return nullptr;
  for (const llvm::User* user : slot->users()) {
    if (const llvm::CallBase* call = giving_call(user)) return call;
  }
  return nullptr;
}

// The call that gives an iteration its number: all that the value is made of, beside steps, was written by it.
const llvm::CallBase* giver_of(const Value* value) {
  const llvm::CallBase* giver = nullptr;
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> open{value};
  while (!open.empty()) {
    const Value* at = open.pop_back_val();
    if (isa<llvm::ConstantInt>(at) || !seen.insert(at).second) continue;
    if (seen.size() > 64) return nullptr;
    if (const llvm::CallBase* call = giver_of_load(at)) {
      if (giver != nullptr && giver != call) return nullptr;
      giver = call;
    } else if (isa<llvm::PHINode, llvm::CastInst, llvm::FreezeInst, llvm::SelectInst>(at) ||
               (isa<llvm::BinaryOperator>(at) &&
                llvm::cast<llvm::Instruction>(at)->getOpcode() == llvm::Instruction::Add)) {
      for (const llvm::Use& operand : llvm::cast<llvm::Instruction>(at)->operands()) open.push_back(operand.get());
    } else {
      return nullptr;
    }
  }
  return giver;
}

bool is_thread_number(const Value* value) {
  const auto* call = dyn_cast<llvm::CallBase>(value);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == "omp_get_thread_num";
}

// value = scale * of + constant: of a number that goes round, or a thread's own.
struct Linear {
  const Value* of = nullptr;
  int64_t scale = 1;
  int64_t constant = 0;
};

std::optional<Linear> linear(const Value* value, unsigned depth = 0) {
  if (depth > kDeepest) return std::nullopt;
  if (const auto* number = dyn_cast<llvm::ConstantInt>(value)) {
    if (number->getBitWidth() > 64) return std::nullopt;
    return Linear{nullptr, 0, number->getSExtValue()};
  }
  if (isa<llvm::PHINode>(value) || is_thread_number(value)) return Linear{value, 1, 0};
  const auto* instruction = dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return std::nullopt;
  if (isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::FreezeInst>(instruction))
    return linear(instruction->getOperand(0), depth + 1);
  if (!isa<llvm::BinaryOperator>(instruction)) return std::nullopt;
  std::optional<Linear> a = linear(instruction->getOperand(0), depth + 1);
  const std::optional<Linear> b = linear(instruction->getOperand(1), depth + 1);
  if (!a || !b) return std::nullopt;
  switch (instruction->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      if (a->of != nullptr && b->of != nullptr) return std::nullopt;
      const int64_t sign = instruction->getOpcode() == llvm::Instruction::Add ? 1 : -1;
      if (a->of == nullptr) return Linear{b->of, sign * b->scale, a->constant + sign * b->constant};
      return Linear{a->of, a->scale, a->constant + sign * b->constant};
    }
    case llvm::Instruction::Mul:
      if (b->of == nullptr) return Linear{a->of, a->scale * b->constant, a->constant * b->constant};
      if (a->of == nullptr) return Linear{b->of, b->scale * a->constant, b->constant * a->constant};
      return std::nullopt;
    case llvm::Instruction::Shl:
      if (b->of != nullptr || b->constant < 0 || b->constant > 32) return std::nullopt;
      return Linear{a->of, a->scale << b->constant, a->constant << b->constant};
    default:
      return std::nullopt;
  }
}

std::string shared_base(const Value* address, const llvm::Function& root, int64_t& offset, unsigned depth = 0) {
  if (depth > kDeepest) return {};
  llvm::APInt bytes(64, 0);
  const Value* base = address->stripAndAccumulateConstantOffsets(root.getDataLayout(), bytes, true);
  offset = bytes.getSExtValue();
  if (isa<llvm::GlobalVariable>(base)) {
    if (llvm::cast<llvm::GlobalVariable>(base)->isThreadLocal()) return {};
    return std::to_string(reinterpret_cast<uintptr_t>(base));
  }
  if (const auto* argument = dyn_cast<llvm::Argument>(base)) {
    // Of the first two, each thread has its own: its number.
    if (argument->getParent() != &root || argument->getArgNo() < 2) return {};
    return std::to_string(argument->getArgNo());
  }
  const auto* load = dyn_cast<llvm::LoadInst>(base);
  if (load == nullptr) return {};
  int64_t inner = 0;
  const std::string from = shared_base(load->getPointerOperand(), root, inner, depth + 1);
  return from.empty() ? from : "[" + from + "+" + std::to_string(inner) + "]";
}

// Where in a vector the pointer is that a member of std::vector loads; -1 if that is not known.
int64_t field_of(const llvm::LoadInst& load) {
  for (const llvm::DILocation* at = load.getDebugLoc().get(); at != nullptr; at = at->getInlinedAt()) {
    if (llvm::sys::path::filename(at->getFilename()) != "stl_vector.h") continue;
    return llvm::StringSwitch<int64_t>(at->getScope()->getSubprogram()->getName())
        .Cases("begin", "cbegin", "data", "operator[]", "front", 0)
        .Cases("end", "cend", "back", 8)
        .Default(-1);
  }
  return -1;
}

}  // namespace

std::string shared_place(const Value* address, const llvm::Function& root) {
  int64_t offset = 0;
  const std::string base = shared_base(address, root, offset);
  return base.empty() ? base : base + "+" + std::to_string(offset);
}

VectorOwner vector_owner(const Value* buffer, const llvm::Function& root) {
  const auto* load = dyn_cast<llvm::LoadInst>(buffer);
  const int64_t field = load == nullptr ? -1 : field_of(*load);
  if (field < 0) return {};
  VectorOwner owner;
  owner.place = shared_base(load->getPointerOperand(), root, owner.offset);
  owner.offset -= field;
  return owner;
}

bool VectorOwner::is_apart(const VectorOwner& other) const {
  constexpr int64_t kVector = 24;  // sizeof(std::vector)
  return !place.empty() && place == other.place && std::abs(offset - other.offset) >= kVector;
}

bool LoopShare::is_apart(const LoopShare& other) const {
  if (loop != other.loop || base != other.base || stride != other.stride) return false;
  return std::max(high, other.high) - std::min(low, other.low) <= std::abs(stride);
}

std::string LoopShare::text() const {
  return std::to_string(reinterpret_cast<uintptr_t>(loop)) + ":" + base + ":" + std::to_string(stride) + ":" +
         std::to_string(low) + ":" + std::to_string(high);
}

bool LoopShares::is_once_in_phase(int thread, const llvm::Instruction& loop) {
  const auto [known, fresh] = once_.try_emplace({thread, &loop}, false);
  if (!fresh) return known->second;
  if (!isa<llvm::CallBase>(loop) || giving_call(&loop) == nullptr) return known->second = true;  // a thread's number
  // Pieces of one loop are asked for again and again: it is that loop again if it was begun again.
  const llvm::Instruction* begins = &loop;
  if (llvm::cast<llvm::CallBase>(loop).getCalledFunction()->getName().starts_with("__kmpc_dispatch_next")) {
    begins = nullptr;
    const llvm::DominatorTree dominators(const_cast<llvm::Function&>(*loop.getFunction()));
    for (const llvm::Instruction& each : llvm::instructions(*loop.getFunction())) {
      const auto* call = dyn_cast<llvm::CallBase>(&each);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || !callee->getName().starts_with("__kmpc_dispatch_init")) continue;
      if (dominators.dominates(&each, &loop) && (begins == nullptr || dominators.dominates(begins, &each)))
        begins = &each;
    }
  }
  known->second = begins != nullptr && !threads_.phases(thread)->repeats(*begins);
  return known->second;
}

std::optional<LoopShare> LoopShares::of(int thread, const llvm::Instruction& instruction, const Value* address,
                                        uint64_t size) {
  const Thread& of = threads_.all()[static_cast<size_t>(thread)];
  if (threads_.phases(thread) == nullptr || instruction.getFunction() != of.root || size == 0) return std::nullopt;
  // Of teams within teams there may be several, with shares of their own.
  for (int above = of.parent; above >= 0; above = threads_.all()[static_cast<size_t>(above)].parent) {
    if (threads_.all()[static_cast<size_t>(above)].many) return std::nullopt;
  }
  const llvm::DataLayout& layout = instruction.getDataLayout();
  LoopShare share;
  share.high = static_cast<int64_t>(size);
  const Value* base = address->stripPointerCasts();
  const auto* steps = dyn_cast<llvm::GEPOperator>(base);
  for (; steps != nullptr && !steps->getType()->isVectorTy(); steps = dyn_cast<llvm::GEPOperator>(base)) {
    bool first = true;
    llvm::Type* outer = nullptr;
    for (auto index = llvm::gep_type_begin(*steps); index != llvm::gep_type_end(*steps); ++index) {
      if (llvm::StructType* structure = index.getStructTypeOrNull()) {
        const auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index.getOperand())->getZExtValue());
        const auto at =
            static_cast<int64_t>(layout.getStructLayout(structure)->getElementOffset(field).getKnownMinValue());
        share.low += at;
        share.high += at;
      } else {
        const auto element = static_cast<int64_t>(index.getSequentialElementStride(layout).getKnownMinValue());
        const std::optional<Linear> is = linear(index.getOperand());
        const llvm::Instruction* giver = nullptr;
        if (is && is->of != nullptr)
          giver = is_thread_number(is->of) ? &of.root->getEntryBlock().front() : giver_of(is->of);
        if (is && (is->of == nullptr || giver != nullptr)) {
          if (giver != nullptr) {
            if (share.loop != nullptr && share.loop != giver) return std::nullopt;
            share.loop = giver;
            share.stride += is->scale * element;
          }
          share.low += is->constant * element;
          share.high += is->constant * element;
        } else if (const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(first ? nullptr : outer)) {
          share.high += (static_cast<int64_t>(array->getNumElements()) - 1) * element;  // any element of it
        } else {
          return std::nullopt;
        }
      }
      outer = index.getIndexedType();
      first = false;
    }
    base = steps->getPointerOperand()->stripPointerCasts();
  }
  if (share.loop == nullptr || share.stride == 0 || !is_once_in_phase(thread, *share.loop)) return std::nullopt;
  share.base = shared_place(base, *of.root);
  if (share.base.empty()) return std::nullopt;
  return share;
}

}  // namespace norn::statics
