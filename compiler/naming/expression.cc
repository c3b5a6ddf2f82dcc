#include "compiler/naming/expression.h"

#include <algorithm>

#include "compiler/naming/names.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace norn::compiler {

using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::Value;

namespace {

constexpr int kDeepest = 16;  // steps back from an address; a longer expression helps nobody
constexpr int kMostSteps = 256;
constexpr size_t kLongest = 120;  // characters
constexpr unsigned kElsewhere = 1U << 16;

// "*p" as the start of a longer expression: "(*p)".
std::string operand(const std::string& text) {
  return !text.empty() && (text[0] == '*' || text[0] == '&') ? "(" + text + ")" : text;
}

// An object and a part of it, in one expression.
std::string joined(const std::string& object, const Part& part) {
  if (part.captured) return part.path;
  return part.path.empty() ? object : operand(object) + part.path;
}

// A pointer that came from `base` by adding to it.
bool moves_from(const Value* value, const Value* base) {
  while (const auto* step = dyn_cast<llvm::GEPOperator>(value->stripPointerCasts())) value = step->getPointerOperand();
  return value->stripPointerCasts() == base;
}

// Functions of the standard library that give back what they were given.
bool gives_its_argument(llvm::StringRef name) {
  constexpr llvm::StringRef kNames[] = {"forward",     "move",     "move_if_noexcept", "addressof",
                                        "__addressof", "as_const", "launder"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

std::string global_name(const llvm::DIGlobalVariable* variable) {
  std::string name = variable->getName().str();
  const llvm::DIScope* scope = variable->getScope();
  if (const auto* member = variable->getStaticDataMemberDeclaration()) scope = member->getScope();
  if (const auto* type = dyn_cast_or_null<llvm::DIType>(scope); type != nullptr && !type->getName().empty()) {
    return type->getName().str() + "::" + name;
  }
  while (llvm::isa_and_nonnull<llvm::DILexicalBlockBase>(scope)) scope = scope->getScope();
  if (const auto* function = dyn_cast_or_null<llvm::DISubprogram>(scope)) {
    return function_name(function) + "::" + name;
  }
  return name;
}

ExpressionNamer::ExpressionNamer(llvm::Function& function) : layout_(function.getParent()->getDataLayout()) {
  // A record says what a variable is; one that tracks assignments also says where it lies.
  const auto bind_record = [this](auto& record, bool is_address, const Value* slot) {
    const llvm::DebugLoc& at = record.getDebugLoc();
    const Binding binding{record.getVariable(), record.getExpression(), at ? at->getInlinedAt() : nullptr, is_address};
    if (slot != nullptr) {
      Binding lies = binding;
      lies.is_address = true;
      bind(slot, lies);
    }
    if (record.getNumVariableLocationOps() == 1 && !record.isKillLocation()) {
      bind(record.getVariableLocationOp(0), binding);
    }
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      const bool tracks = record.isDbgAssign() && !record.isKillAddress();
      bind_record(record, record.isDbgDeclare(), tracks ? record.getAddress() : nullptr);
    }
    if (auto* intrinsic = dyn_cast<llvm::DbgVariableIntrinsic>(&instruction)) {
      const auto* assign = dyn_cast<llvm::DbgAssignIntrinsic>(intrinsic);
      const bool tracks = assign != nullptr && !assign->isKillAddress();
      bind_record(*intrinsic, isa<llvm::DbgDeclareInst>(intrinsic), tracks ? assign->getAddress() : nullptr);
    }
  }
}

void ExpressionNamer::bind(const Value* value, const Binding& binding) {
  if (value == nullptr || isa<llvm::ConstantData>(value)) return;
  auto& known = bindings_[value];
  const bool again = llvm::any_of(known, [&](const Binding& other) {
    return other.variable == binding.variable && other.inlined_at == binding.inlined_at &&
           other.expression == binding.expression;
  });
  if (!again) known.push_back(binding);
}

std::string ExpressionNamer::name(const Value* address, uint64_t size, bool scalar, const llvm::DebugLoc& at) {
  at_ = at.get();
  budget_ = kMostSteps;
  merging_.clear();
  const std::optional<Place> found = place(address, size, scalar, 0);
  named_vptr_ = found && found->vptr;
  named_type_ = found ? found->type : nullptr;
  if (!found || found->text.size() > kLongest) return "";
  // The slot of a reference is not what it refers to.
  const llvm::DIType* pointee = nullptr;
  if (indirection(found->type, pointee) == Indirection::kReference) return "&" + found->text;
  return found->text;
}

std::string ExpressionNamer::identity(const Value* address, uint64_t size, bool scalar, const llvm::DebugLoc& at) {
  innermost_ = true;
  std::string found = name(address, size, scalar, at);
  innermost_ = false;
  return found;
}

std::optional<ExpressionNamer::Place> ExpressionNamer::place(const Value* address, uint64_t size, bool scalar,
                                                             int depth) {
  if (depth > kDeepest || --budget_ < 0) return std::nullopt;
  const Value* base = address;
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> strides;
  bool unknown = false;
  while (true) {
    base = base->stripPointerCasts();
    const auto* step = dyn_cast<llvm::GEPOperator>(base);
    if (step == nullptr || step->getType()->isVectorTy()) break;
    // A variable bound to the address, however it was computed, names it better than its computation does.
    if (innermost_ ? bound_innermost(base) : bound(base, true)) break;
    const unsigned bits = layout_.getIndexTypeSizeInBits(step->getType());
    llvm::MapVector<Value*, llvm::APInt> variable;
    llvm::APInt constant(bits, 0);
    if (!step->collectOffset(layout_, bits, variable, constant)) {
      unknown = true;
    } else {
      offset += constant.getSExtValue();
      for (const auto& [index, scale] : variable) strides.push_back(scale.getSExtValue());
    }
    base = step->getPointerOperand();
  }
  std::optional<Pointer> from = pointer(base, depth);
  if (!from) return std::nullopt;
  offset += from->offset;
  if (unknown || from->moving) {
    const uint64_t element = byte_size(from->pointee);
    strides.push_back(static_cast<int64_t>(std::max<uint64_t>(element, 1)));
  }
  return place_in(*from, Bytes{offset, strides, size, scalar});
}

std::optional<ExpressionNamer::Place> ExpressionNamer::place_in(const Pointer& pointer, Bytes bytes) {
  if (pointer.form == Pointer::Form::kAddressOf) {
    const Part part = part_at(pointer.pointee, bytes);
    Place place{joined(pointer.text, part), part.type, part.to_elements, part.hidden, part.vptr};
    if (part.captured) return place;
    // Beyond the one object that is named: a reference to the first element of something.
    const uint64_t size = byte_size(pointer.pointee);
    const bool beyond = size != 0 && (bytes.offset < 0 || bytes.offset >= static_cast<int64_t>(size));
    if ((!bytes.strides.empty() || beyond) && part.path.find('[') == std::string::npos && !part.hidden) {
      place.text = pointer.text + "[]";
      place.type = nullptr;
    }
    return place;
  }

  const bool one = is_open_ended(pointer.pointee);
  const auto size = one ? INT64_MAX : static_cast<int64_t>(byte_size(pointer.pointee));
  int64_t index = 0;
  bool indexed = pointer.to_elements;
  llvm::SmallVector<int64_t, 4> inner;
  if (size == 0) {
    indexed |= !bytes.strides.empty();
  } else {
    for (const int64_t stride : bytes.strides) {
      if (std::abs(stride) < size) inner.push_back(stride);
    }
    indexed |= inner.size() != bytes.strides.size() || bytes.size > static_cast<uint64_t>(size);
    index = bytes.offset >= 0 ? bytes.offset / size : -((-bytes.offset + size - 1) / size);
  }
  const Part part = part_at(pointer.pointee, Bytes{bytes.offset - index * size, inner, bytes.size, bytes.scalar});
  // A step through the object that is not one through an array in it leads elsewhere: an unrolled loop starts from
  // whatever address was at hand.
  const bool in_array = part.path.find('[') != std::string::npos && !part.leaps;
  if (!inner.empty() && !in_array && !part.hidden && !part.captured && is_record(pointer.pointee)) return std::nullopt;
  Place place{"", part.type, part.to_elements, part.hidden, part.vptr};
  const std::string& text = pointer.text;
  const bool member = part.path.starts_with(".");
  if (part.captured) {
    place.text = part.path;
  } else if (pointer.hidden && is_library_scope(pointer.pointee)) {
    place.text = text + part.path;  // a node of a container: part of the container, for the programmer
  } else if (indexed) {
    place.text = operand(text) + "[]" + part.path;
  } else if (index != 0) {
    place.text = operand(text) + "[" + std::to_string(index) + "]" + part.path;
  } else if (part.path.empty()) {
    place.text = "*" + text;
  } else if (member) {
    place.text = operand(text) + "->" + part.path.substr(1);
  } else {
    place.text = "(*" + text + ")" + part.path;
  }
  return place;
}

ExpressionNamer::Pointer ExpressionNamer::of_place(Place place) {
  Pointer pointer;
  const Indirection kind = indirection(place.type, pointer.pointee);
  pointer.form = kind == Indirection::kReference ? Pointer::Form::kAddressOf
                 : place.text == "this"          ? Pointer::Form::kThis
                                                 : Pointer::Form::kValue;
  pointer.text = std::move(place.text);
  pointer.to_elements = place.to_elements;
  pointer.hidden = place.hidden;
  return pointer;
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::of_binding(const Binding& binding) {
  const llvm::DILocalVariable* variable = binding.variable;
  if (variable->getName().empty()) return std::nullopt;
  if (variable->getName() != "this" && (variable->isArtificial() || is_reserved_name(variable->getName()))) {
    return std::nullopt;
  }

  Place place{variable->getName().str(), variable->getType()};
  bool is_address = binding.is_address;
  int64_t offset = 0;
  for (const auto operation : binding.expression->expr_ops()) {
    switch (operation.getOp()) {
      case llvm::dwarf::DW_OP_LLVM_fragment: {
        // An address in a variable: what lies there is known when it is known how much is accessed.
        if (is_address) {
          offset = static_cast<int64_t>(operation.getArg(0) / 8);
          break;
        }
        const Part part = part_at(
            place.type,
            Bytes{static_cast<int64_t>(operation.getArg(0) / 8), {}, operation.getArg(1) / 8, !binding.is_address});
        place = {joined(place.text, part), part.type, part.to_elements, part.hidden, part.vptr};
        break;
      }
      case llvm::dwarf::DW_OP_stack_value:
        break;
      case llvm::dwarf::DW_OP_deref:
        if (is_address) return std::nullopt;  // a slot with the variable's address: structural() knows it
        is_address = true;
        break;
      default:
        return std::nullopt;
    }
  }
  if (is_address) {
    Pointer pointer;
    pointer.form = Pointer::Form::kAddressOf;
    pointer.text = std::move(place.text);
    pointer.pointee = place.type;
    pointer.offset = offset;
    return pointer;
  }
  if (is_record(place.type)) {
    // A class that is nothing but a pointer: an iterator, a unique_ptr.
    const Part part = part_at(place.type, Bytes{0, {}, sizeof(void*), true});
    place = {joined(place.text, part), part.type, part.to_elements, part.hidden, part.vptr};
  }
  const llvm::DIType* pointee = nullptr;
  if (indirection(place.type, pointee) == Indirection::kNone) return std::nullopt;
  return of_place(std::move(place));
}

std::optional<LocalName> ExpressionNamer::local(const llvm::AllocaInst& slot) const {
  const auto known = bindings_.find(&slot);
  if (known == bindings_.end()) return std::nullopt;
  for (const Binding& binding : known->second) {
    const auto elements = binding.expression->getElements();
    const bool lies_there = binding.is_address || (!elements.empty() && elements[0] == llvm::dwarf::DW_OP_deref);
    if (!lies_there || is_library_function(binding.variable->getScope()->getSubprogram())) continue;
    std::optional<Pointer> found = of_binding(binding);
    if (!found || found->form != Pointer::Form::kAddressOf || found->text == "this") continue;
    const auto piece = binding.expression->getFragmentInfo();
    if (!piece) return LocalName{std::move(found->text), found->pointee, binding.variable};
    const Part part = part_at(found->pointee, Bytes{found->offset, {}, piece->SizeInBits / 8, false});
    return LocalName{joined(found->text, part), part.type, binding.variable};
  }
  return std::nullopt;
}

ExpressionNamer::Nearness ExpressionNamer::nearness(const Binding& binding) const {
  const llvm::DISubprogram* function = binding.variable->getScope()->getSubprogram();
  unsigned frame = 0;
  for (const llvm::DILocation* location = at_; location != nullptr; location = location->getInlinedAt(), ++frame) {
    if (location->getInlinedAt() == binding.inlined_at && location->getScope()->getSubprogram() == function) {
      return {frame, is_library_function(function)};
    }
  }
  return {kElsewhere, is_library_function(function)};
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::bound(const Value* value, bool own) const {
  const auto known = bindings_.find(value);
  if (known == bindings_.end()) return std::nullopt;
  std::optional<Pointer> best;
  unsigned best_rank = ~0U;
  for (const Binding& binding : known->second) {
    const Nearness near = nearness(binding);
    const bool elsewhere = near.frame == kElsewhere;
    if (own && (near.library || elsewhere)) continue;
    // Another function's `this`, or a variable inside the library, would mislead at this line.
    if (elsewhere && !binding.is_address && (near.library || binding.variable->getName() == "this")) continue;
    std::optional<Pointer> pointer = of_binding(binding);
    if (!pointer) continue;
    // A slot is named by the variable that lies in it, and only then by one that points to it.
    const bool indirect = isa<llvm::AllocaInst>(value) && pointer->form != Pointer::Form::kAddressOf;
    const unsigned rank = near.frame + (near.library ? 2 * kElsewhere : 0) + (indirect ? 4 * kElsewhere : 0);
    if (rank < best_rank) {
      best = std::move(pointer);
      best_rank = rank;
    }
  }
  return best;
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::bound_innermost(const Value* value) const {
  const auto known = bindings_.find(value);
  if (known == bindings_.end()) return std::nullopt;
  for (const Binding& binding : known->second) {
    if (nearness(binding).frame != 0) continue;
    if (std::optional<Pointer> pointer = of_binding(binding)) return pointer;
  }
  return std::nullopt;
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::of_global(const llvm::GlobalVariable& global) {
  Pointer pointer;
  pointer.form = Pointer::Form::kAddressOf;
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
  global.getDebugInfo(described);
  if (!described.empty() && described.front()->getVariable()->getName().empty()) return std::nullopt;  // a literal
  if (!described.empty()) {
    const llvm::DIGlobalVariable* variable = described.front()->getVariable();
    pointer.text = global_name(variable);
    // Inside the function a local static is written by its bare name.
    if (llvm::isa_and_nonnull<llvm::DILocalScope>(variable->getScope())) pointer.text = variable->getName().str();
    pointer.pointee = bare_type(variable->getType());
    if (const auto fragment = described.front()->getExpression()->getFragmentInfo()) {
      const Part part =
          part_at(pointer.pointee,
                  Bytes{static_cast<int64_t>(fragment->OffsetInBits / 8), {}, fragment->SizeInBits / 8, false});
      pointer.text = joined(pointer.text, part);
      pointer.pointee = part.type;
    }
    return pointer;
  }
  if (global.hasPrivateLinkage() || !global.hasName() || global.getName().starts_with(".str")) return std::nullopt;
  const std::string name = function_name(global.getName());
  if (name.find(' ') != std::string::npos) return std::nullopt;  // "guard variable for …", "vtable for …"
  pointer.text = name;
  return pointer;
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::pointer(const Value* value, int depth) {
  if (depth > kDeepest || --budget_ < 0) return std::nullopt;
  value = value->stripPointerCasts();
  if (innermost_) {
    if (std::optional<Pointer> own = bound_innermost(value)) return own;
  }
  if (const auto* global = dyn_cast<llvm::GlobalVariable>(value)) return of_global(*global);
  if (std::optional<Pointer> own = bound(value, !isa<llvm::AllocaInst>(value))) return own;
  if (std::optional<Pointer> found = structural(value, depth + 1)) return found;
  return bound(value, false);
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::structural(const Value* value, int depth) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(value)) {
    const Value* slot = load->getPointerOperand();
    // A slot that holds the address of a variable: a class passed or returned by hidden reference.
    if (const auto known = bindings_.find(slot); known != bindings_.end()) {
      for (const Binding& binding : known->second) {
        const auto elements = binding.expression->getElements();
        if (!binding.is_address || elements.size() != 1 || elements[0] != llvm::dwarf::DW_OP_deref) continue;
        Pointer pointer;
        pointer.form = Pointer::Form::kAddressOf;
        pointer.text = binding.variable->getName().str();
        pointer.pointee = binding.variable->getType();
        return pointer;
      }
    }
    std::optional<Place> found = place(slot, sizeof(void*), true, depth);
    if (!found) return std::nullopt;
    return of_place(std::move(*found));
  }
  if (const auto* call = dyn_cast<llvm::CallBase>(value)) return of_call(*call, depth);
  if (isa<llvm::PHINode, llvm::SelectInst>(value)) return of_merge(value, depth);
  if (const auto* freeze = dyn_cast<llvm::FreezeInst>(value)) return pointer(freeze->getOperand(0), depth);
  // Atomic pointers are loaded as integers.
  if (llvm::Operator::getOpcode(value) == llvm::Instruction::IntToPtr) {
    return structural(cast<llvm::Operator>(value)->getOperand(0), depth);
  }
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(value)) {
    std::optional<Place> found = place(update->getPointerOperand(), sizeof(void*), true, depth);
    if (!found) return std::nullopt;
    return of_place(std::move(*found));
  }
  if (isa<llvm::GEPOperator>(value)) {
    std::optional<Place> found = place(value, 0, true, depth);
    if (!found) return std::nullopt;
    Pointer pointer;
    pointer.form = Pointer::Form::kAddressOf;
    pointer.text = std::move(found->text);
    pointer.pointee = found->type;
    return pointer;
  }
  return std::nullopt;
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::of_call(const llvm::CallBase& call, int depth) {
  if (const Value* same = call.getReturnedArgOperand()) {
    if (same->getType()->isPointerTy()) return pointer(same, depth);
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->hasName()) return std::nullopt;
  if (callee->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) return pointer(call.getArgOperand(0), depth);
  if (callee->isIntrinsic() || call.returnDoesNotAlias()) return std::nullopt;
  if (callee->getName() == "__errno_location") return Pointer{Pointer::Form::kAddressOf, "errno"};
  if (callee->getName().starts_with("_ZTW")) {  // the function that gives a thread_local its first value
    const std::string symbol = ("_Z" + callee->getName().drop_front(4)).str();
    for (const std::string& name : {symbol, llvm::demangle(symbol)}) {
      if (const auto* variable = callee->getParent()->getNamedGlobal(name)) return of_global(*variable);
    }
    return Pointer{Pointer::Form::kAddressOf, llvm::demangle(symbol)};
  }

  const llvm::DISubprogram* function = callee->getSubprogram();
  std::string name = function != nullptr ? function->getName().str() : base_name(callee->getName());
  if (!llvm::StringRef(name).starts_with("operator")) name = name.substr(0, name.find('<'));
  Pointer result;
  Indirection kind = Indirection::kPointer;
  bool method = false;
  bool library = callee->getName().starts_with("_ZNSt") || callee->getName().starts_with("_ZNKSt") ||
                 callee->getName().starts_with("_ZSt") || callee->getName().starts_with("_ZN9__gnu_cxx");
  if (function != nullptr && function->getType() != nullptr) {
    const auto types = function->getType()->getTypeArray();
    if (types.size() > 0) kind = indirection(types[0], result.pointee);
    method = types.size() > 1 && types[1] != nullptr && types[1]->isArtificial();
    library |= is_library_function(function);
  } else {
    method = library && !callee->getName().starts_with("_ZSt");
    if (name == "operator[]" || name == "operator*") kind = Indirection::kReference;
  }
  if (kind == Indirection::kNone) return std::nullopt;
  result.form = kind == Indirection::kReference ? Pointer::Form::kAddressOf : Pointer::Form::kValue;

  std::string object;  // what the function was called on, or with
  std::optional<Pointer> argument;
  if (call.arg_size() > 0 && call.getArgOperand(0)->getType()->isPointerTy()) {
    argument = pointer(call.getArgOperand(0), depth);
    if (argument) {
      if (argument->form == Pointer::Form::kAddressOf && argument->offset == 0) {
        object = argument->text;
      } else if (std::optional<Place> whole = place(call.getArgOperand(0), 0, false, depth)) {
        object = whole->text;
      }
    }
  }
  if (library && argument && (gives_its_argument(name) || (is_reserved_name(name) && !method))) return argument;
  if (method && !object.empty()) {
    if (name == "operator[]") {
      result.text = operand(object) + "[]";
    } else if (name == "operator->" || (library && (name == "get" || name == "data" || is_reserved_name(name)))) {
      result.text = object;
      result.to_elements = name == "data";
      result.hidden = is_reserved_name(name);
    } else if (name == "operator*") {
      result.text = "*" + object;
    } else if (object[0] == '*') {
      result.text = operand(object.substr(1)) + "->" + name + "()";
    } else {
      result.text = object + "." + name + "()";
    }
    return result;
  }
  if (llvm::StringRef(name).starts_with("operator") || is_reserved_name(name)) return std::nullopt;
  result.text = name + "()";
  return result;
}

std::optional<ExpressionNamer::Pointer> ExpressionNamer::of_merge(const Value* value, int depth) {
  if (llvm::is_contained(merging_, value)) return std::nullopt;
  merging_.push_back(value);
  llvm::SmallVector<const Value*, 4> incoming;
  if (const auto* phi = dyn_cast<llvm::PHINode>(value)) {
    for (const llvm::Use& use : phi->incoming_values()) incoming.push_back(use.get());
  } else {
    const auto* select = cast<llvm::SelectInst>(value);
    incoming = {select->getTrueValue(), select->getFalseValue()};
  }
  // The variable that the merge is, where one of the values it may have still knows: the optimiser forgets phis first.
  std::optional<Pointer> agreed;
  bool one_variable = true;
  for (const Value* one : incoming) {
    std::optional<Pointer> found = bound(one, true);
    if (!found) continue;
    if (agreed && (agreed->text != found->text || agreed->offset != found->offset)) one_variable = false;
    agreed = std::move(found);
  }
  if (agreed && one_variable) {
    merging_.pop_back();
    return agreed;
  }
  agreed.reset();
  bool moving = false;
  for (const Value* one : incoming) {
    if (one == value || isa<llvm::ConstantPointerNull, llvm::UndefValue>(one)) continue;
    if (moves_from(one, value)) {
      moving = true;
      continue;
    }
    const Value* base = one->stripPointerCasts();
    while (const auto* step = dyn_cast<llvm::GEPOperator>(base)) {
      if (bound(base, true)) break;
      base = step->getPointerOperand()->stripPointerCasts();
      moving = true;
    }
    std::optional<Pointer> found = pointer(base, depth);
    if (!found ||
        (agreed && (agreed->text != found->text || agreed->form != found->form || agreed->offset != found->offset))) {
      merging_.pop_back();
      return std::nullopt;
    }
    agreed = std::move(found);
  }
  merging_.pop_back();
  if (agreed && moving) agreed->moving = true;
  return agreed;
}

}  // namespace norn::compiler
