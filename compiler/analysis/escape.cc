#include "compiler/analysis/escape.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <vector>

#include "compiler/analysis/library.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace norn::compiler {

using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

using Node = unsigned;      // something that holds pointers: a value, a field
using Location = unsigned;  // an object and an offset in it
using Object = unsigned;

constexpr Object kWorld = 0;
constexpr Location kAnywhere = 0;   // in the world
constexpr Node kWorldContents = 0;  // what the world's memory holds
constexpr uint64_t kPointerBytes = 8;
constexpr int64_t kFields = 32;          // told apart in one object, 8 bytes each
constexpr int64_t kSomeField = kFields;  // an offset that is not known

enum class Kind : uint8_t { kWorld, kVariable, kHeap, kThreadLocal, kGlobal };

}  // namespace

class Escape::Solver {
 public:
  Solver(const llvm::Module& module, const Early* early)
      : module_(module), early_(early), layout_(module.getDataLayout()) {
    new_node();
    new_object(Kind::kWorld);
    locations_.push_back({kWorld, kSomeField});
    add(kWorldContents, kAnywhere);
    read_globals();
    for (const llvm::Function& function : module) read_function(function);
    solve();
  }

  [[nodiscard]] bool is_private(const Value* address) const {
    return all_of(address, [](const ObjectFacts& object) {
      return !object.in_world && object.kind != Kind::kWorld && object.kind != Kind::kGlobal;
    });
  }

  [[nodiscard]] bool is_unwritten(const Value* address) const {
    return all_of(address, [](const ObjectFacts& object) {
      return !object.in_world && object.kind == Kind::kGlobal && !object.written;
    });
  }

  [[nodiscard]] bool is_unwritten_late(const Value* address) const {
    return all_of(address, [](const ObjectFacts& object) {
      return !object.in_world && object.kind == Kind::kGlobal && !object.written_late;
    });
  }

 private:
  struct ObjectFacts {
    Kind kind;
    bool in_world = false;  // others may know its address
    bool written = false;
    bool written_late = false;                   // at a moment that may not be early
    Node all = 0;                                // what any of its fields may hold
    Node stray = 0;                              // what was stored at an unknown offset: any field may hold it
    llvm::SmallVector<Location, 4> locations{};  // by field; kNoLocation where none is known yet
    llvm::SmallVector<Node, 4> fields{};         // by field; 0 where none is
  };
  struct Place {
    Object object;
    int64_t field;
  };
  struct Step {
    Node to;
    int64_t bytes;  // kUnknownStep: any number
  };
  struct Transfer {
    Node with;  // what is loaded into, or stored
    uint64_t size;
    bool late = true;
  };
  struct Copy {
    Node from;
    bool late;
  };
  struct NodeFacts {
    llvm::SparseBitVector<> points_to;
    llvm::SparseBitVector<> fresh;  // of them, not yet passed on
    std::vector<Node> copies{};
    std::vector<Step> steps{};
    std::vector<Transfer> loads{};
    std::vector<Transfer> stores{};
    std::vector<Node> copied_to{};    // memcpy: what this points to, to where those point
    std::vector<Copy> copied_from{};  // the other end
    bool exposed = false;             // its memory's contents are shown to the world, which may change them
    bool exposed_late = false;
    bool waiting = false;
  };

  static constexpr Location kNoLocation = ~0U;
  static constexpr int64_t kUnknownStep = INT64_MIN;

  // ---- The graph ------------------------------------------------------------------------------------------------

  Node new_node() {
    nodes_.emplace_back();
    return static_cast<Node>(nodes_.size() - 1);
  }

  Object new_object(Kind kind) {
    ObjectFacts object{kind};
    object.all = kind == Kind::kWorld ? kWorldContents : new_node();
    object.stray = kind == Kind::kWorld ? kWorldContents : new_node();
    if (kind != Kind::kWorld) nodes_[object.stray].copies.push_back(object.all);
    objects_.push_back(std::move(object));
    return static_cast<Object>(objects_.size() - 1);
  }

  Location location(Object object, int64_t field) {
    if (object == kWorld || objects_[object].in_world) return kAnywhere;
    ObjectFacts& facts = objects_[object];
    const auto index = static_cast<size_t>(field);
    if (facts.locations.size() <= index) facts.locations.resize(index + 1, kNoLocation);
    if (facts.locations[index] == kNoLocation) {
      facts.locations[index] = static_cast<Location>(locations_.size());
      locations_.push_back({object, field});
    }
    return facts.locations[index];
  }

  Node field_node(Object object, int64_t field) {
    if (object == kWorld) return kWorldContents;
    if (field >= kFields) return objects_[object].stray;
    const auto index = static_cast<size_t>(field);
    if (objects_[object].fields.size() <= index) objects_[object].fields.resize(index + 1, 0);
    if (objects_[object].fields[index] == 0) {
      const Node node = new_node();
      objects_[object].fields[index] = node;
      copy(node, objects_[object].all);
    }
    return objects_[object].fields[index];
  }

  // Locations keep offsets in fields; a step by less than a field stays in it.
  Location shifted(Location from, int64_t bytes) {
    const Place place = locations_[from];
    if (place.object == kWorld) return kAnywhere;
    if (place.field == kSomeField || bytes == kUnknownStep) return location(place.object, kSomeField);
    const auto field_bytes = static_cast<int64_t>(kPointerBytes);
    if (bytes % field_bytes != 0) return location(place.object, kSomeField);
    const int64_t field = place.field + bytes / field_bytes;
    return location(place.object, field < 0 || field >= kFields ? kSomeField : field);
  }

  void add(Node node, Location where) {
    if (objects_[locations_[where].object].in_world) where = kAnywhere;
    NodeFacts& facts = nodes_[node];
    if (!facts.points_to.test_and_set(where)) return;
    facts.fresh.set(where);
    wake(node);
  }

  void wake(Node node) {
    if (nodes_[node].waiting) return;
    nodes_[node].waiting = true;
    waiting_.push_back(node);
  }

  void copy(Node from, Node to) {
    if (from == to || llvm::is_contained(nodes_[from].copies, to)) return;
    nodes_[from].copies.push_back(to);
    const llvm::SparseBitVector<> known = nodes_[from].points_to;
    for (const Location where : known) add(to, where);
  }

  // What was there before a constraint was added is passed to it with the rest.
  void look_again(Node node) {
    nodes_[node].fresh = nodes_[node].points_to;
    if (!nodes_[node].fresh.empty()) wake(node);
  }

  // ---- Solving --------------------------------------------------------------------------------------------------

  void solve() {
    while (!waiting_.empty()) {
      const Node node = waiting_.front();
      waiting_.pop_front();
      nodes_[node].waiting = false;
      const llvm::SparseBitVector<> fresh = std::move(nodes_[node].fresh);
      nodes_[node].fresh.clear();
      for (const Location where : fresh) pass_on(node, where);
    }
  }

  // Nodes are added meanwhile, so nothing is held by reference.
  void pass_on(Node node, Location where) {
    const Place place = locations_[where];
    if (node == kWorldContents) join_world(place.object);
    for (size_t i = 0; i < nodes_[node].copies.size(); ++i) add(nodes_[node].copies[i], where);
    for (size_t i = 0; i < nodes_[node].steps.size(); ++i) {
      const Step step = nodes_[node].steps[i];
      add(step.to, shifted(where, step.bytes));
    }
    for (size_t i = 0; i < nodes_[node].loads.size(); ++i) load_from(place, nodes_[node].loads[i]);
    for (size_t i = 0; i < nodes_[node].stores.size(); ++i) store_to(place, nodes_[node].stores[i]);
    if (nodes_[node].exposed) expose(place.object, nodes_[node].exposed_late);
    for (size_t i = 0; i < nodes_[node].copied_to.size(); ++i) {
      const Node other = nodes_[node].copied_to[i];
      const llvm::SparseBitVector<> known = nodes_[other].points_to;
      for (const Location to : known) copy_contents(place.object, locations_[to].object);
    }
    for (size_t i = 0; i < nodes_[node].copied_from.size(); ++i) {
      const Copy other = nodes_[node].copied_from[i];
      write(place.object, other.late);
      const llvm::SparseBitVector<> known = nodes_[other.from].points_to;
      for (const Location from : known) copy_contents(locations_[from].object, place.object);
    }
  }

  void join_world(Object object) {
    if (object == kWorld || objects_[object].in_world) return;
    objects_[object].in_world = true;
    expose(object, true);
  }

  void write(Object object, bool late) {
    objects_[object].written = true;
    objects_[object].written_late |= late;
  }

  void expose(Object object, bool late) {
    if (object == kWorld) return;
    write(object, late);
    copy(objects_[object].all, kWorldContents);
    add(objects_[object].stray, kAnywhere);
  }

  // All beyond the last field that is told apart are one.
  [[nodiscard]] static int64_t field_count(uint64_t size) {
    return std::min(static_cast<int64_t>((size + kPointerBytes - 1) / kPointerBytes), kFields + 1);
  }

  void load_from(Place place, Transfer load) {
    if (place.object == kWorld) return add(load.with, kAnywhere);
    if (place.field == kSomeField) return copy(objects_[place.object].all, load.with);
    copy(objects_[place.object].stray, load.with);
    for (int64_t i = 0; i < field_count(load.size); ++i) copy(field_node(place.object, place.field + i), load.with);
  }

  void store_to(Place place, Transfer store) {
    write(place.object, store.late);
    if (store.size < kPointerBytes) return;
    if (place.object == kWorld) return copy(store.with, kWorldContents);
    for (int64_t i = 0; i < field_count(store.size); ++i) copy(store.with, field_node(place.object, place.field + i));
  }

  // Field by field would need the distance of the two; any field it is.
  void copy_contents(Object from, Object to) {
    copy(from == kWorld ? kWorldContents : objects_[from].all, objects_[to].stray);
  }

  // ---- The module -----------------------------------------------------------------------------------------------

  void read_globals() {
    for (const llvm::GlobalVariable& global : module_.globals()) {
      // Those in sections of their own may be found by the section.
      if (!global.hasLocalLinkage() || global.isConstant() || global.hasSection()) continue;
      const Object object = new_object(global.isThreadLocal() ? Kind::kThreadLocal : Kind::kGlobal);
      of_global_.try_emplace(&global, object);
      // All threads see what a global variable holds, and what they may put there is not followed.
      if (!global.isThreadLocal()) {
        copy(objects_[object].all, kWorldContents);
        add(objects_[object].stray, kAnywhere);
      } else {
        add(objects_[object].stray, kAnywhere);  // its first value
      }
    }
    for (const llvm::GlobalVariable& global : module_.globals()) {
      if (global.hasInitializer()) publish(global.getInitializer());
    }
    for (const llvm::GlobalAlias& alias : module_.aliases()) publish(alias.getAliasee());
    for (const llvm::GlobalIFunc& ifunc : module_.ifuncs()) publish(ifunc.getResolver());
  }

  // What constant data refers to is known to everybody.
  void publish(const llvm::Constant* constant) {
    llvm::SmallVector<const llvm::Constant*, 8> open{constant};
    while (!open.empty()) {
      const llvm::Constant* next = open.pop_back_val();
      if (!published_.insert(next).second) continue;
      if (const auto global = of_global_.find(next); global != of_global_.end()) {
        add(kWorldContents, location(global->second, 0));
      }
      if (isa<llvm::GlobalValue>(next)) continue;
      for (const llvm::Use& operand : next->operands()) {
        if (const auto* inner = dyn_cast<llvm::Constant>(operand.get())) open.push_back(inner);
      }
    }
  }

  // Values of other types cannot hold a pointer: too small, or with a fraction.
  [[nodiscard]] bool carries_pointers(llvm::Type* type) const {
    if (type->isPointerTy()) return true;
    if (!type->isSized() || type->isFPOrFPVectorTy() || type->isTokenTy()) return false;
    return layout_.getTypeStoreSize(type).getKnownMinValue() >= kPointerBytes;
  }

  Node node_of(const Value* value) {
    const auto [known, first] = of_value_.try_emplace(value, 0);
    if (!first) return known->second;
    const Node node = new_node();
    of_value_[value] = node;
    if (const auto* constant = dyn_cast<llvm::Constant>(value)) read_constant(*constant, node);
    return node;
  }

  void read_constant(const llvm::Constant& constant, Node node) {
    if (const auto global = of_global_.find(&constant); global != of_global_.end()) {
      add(node, location(global->second, 0));
    } else if (isa<llvm::GlobalValue>(constant)) {
      add(node, kAnywhere);
    } else if (const auto* step = dyn_cast<llvm::GEPOperator>(&constant)) {
      read_step(*step, node);
    } else {
      for (const llvm::Use& operand : constant.operands()) {
        if (isa<llvm::Constant>(operand.get())) copy(node_of(operand.get()), node);
      }
    }
  }

  void read_step(const llvm::GEPOperator& step, Node node) {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(step.getType()), 0);
    const bool known = !step.getType()->isVectorTy() && step.accumulateConstantOffset(layout_, offset);
    const Node base = node_of(step.getPointerOperand());
    nodes_[base].steps.push_back({node, known ? offset.getSExtValue() : kUnknownStep});
    look_again(base);
  }

  void give_to_world(const Value* value) {
    if (carries_pointers(value->getType())) copy(node_of(value), kWorldContents);
  }

  // Whether others may see it done.
  [[nodiscard]] bool is_late(const llvm::Instruction& instruction) const {
    return early_ == nullptr || !early_->is_early(instruction);
  }

  void expose_contents(const Value* pointer, bool late) {
    if (!carries_pointers(pointer->getType())) return;
    const Node node = node_of(pointer);
    nodes_[node].exposed = true;
    nodes_[node].exposed_late |= late;
    look_again(node);
  }

  void load(const Value* address, Node to, llvm::Type* type) {
    if (!carries_pointers(type)) return;
    const Node node = node_of(address);
    nodes_[node].loads.push_back({to, layout_.getTypeStoreSize(type).getKnownMinValue()});
    look_again(node);
  }

  void store(const Value* value, const Value* address, bool late) {
    const bool carries = carries_pointers(value->getType());
    const Node what = carries ? node_of(value) : 0;
    const Node node = node_of(address);
    const uint64_t size = carries ? layout_.getTypeStoreSize(value->getType()).getKnownMinValue() : 0;
    nodes_[node].stores.push_back({what, size, late});
    look_again(node);
  }

  void copy_memory(const Value* from, const Value* to, bool late) {
    const Node source = node_of(from);
    const Node target = node_of(to);
    nodes_[source].copied_to.push_back(target);
    nodes_[target].copied_from.push_back({source, late});
    look_again(source);
    look_again(target);
  }

  // Whether its callers are all known: they stand in the module and call it by name.
  static bool is_closed(const llvm::Function& function) {
    return function.hasLocalLinkage() && !function.hasAddressTaken(nullptr, false, true, false);
  }

  static bool is_seen(const llvm::Function* function) {
    return function != nullptr && !function->isDeclaration() && !function->isInterposable() &&
           !function->hasFnAttribute(llvm::Attribute::Naked);
  }

  Node returned_by(const llvm::Function& function) {
    const auto [known, first] = returned_.try_emplace(&function, 0);
    if (first) {
      const Node node = new_node();
      returned_[&function] = node;
      return node;
    }
    return known->second;
  }

  void read_function(const llvm::Function& function) {
    if (function.isDeclaration()) return;
    const bool closed = is_closed(function);
    for (const llvm::Argument& argument : function.args()) {
      if (!carries_pointers(argument.getType())) continue;
      const Node node = node_of(&argument);
      if (argument.hasByValAttr()) {
        const Object copied = new_object(Kind::kVariable);
        add(node, location(copied, 0));
        add(objects_[copied].stray, kAnywhere);
      } else if (!closed) {
        add(node, kAnywhere);
      }
    }
    if (!closed) copy(returned_by(function), kWorldContents);
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) read(instruction);
    }
  }

  void read(const llvm::Instruction& instruction) {
    if (const auto* variable = dyn_cast<llvm::AllocaInst>(&instruction)) {
      add(node_of(variable), location(new_object(Kind::kVariable), 0));
    } else if (const auto* loaded = dyn_cast<llvm::LoadInst>(&instruction)) {
      load(loaded->getPointerOperand(), node_of(loaded), loaded->getType());
    } else if (const auto* stored = dyn_cast<llvm::StoreInst>(&instruction)) {
      store(stored->getValueOperand(), stored->getPointerOperand(), is_late(instruction));
    } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      load(update->getPointerOperand(), node_of(update), update->getType());
      store(update->getValOperand(), update->getPointerOperand(), is_late(instruction));
    } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      load(exchange->getPointerOperand(), node_of(exchange), exchange->getNewValOperand()->getType());
      store(exchange->getNewValOperand(), exchange->getPointerOperand(), is_late(instruction));
    } else if (const auto* step = dyn_cast<llvm::GEPOperator>(&instruction)) {
      read_step(*step, node_of(&instruction));
    } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      read_call(*call);
    } else if (const auto* result = dyn_cast<llvm::ReturnInst>(&instruction)) {
      const Value* value = result->getReturnValue();
      if (value != nullptr && carries_pointers(value->getType())) {
        copy(node_of(value), returned_by(*instruction.getFunction()));
      }
    } else if (isa<llvm::LandingPadInst, llvm::VAArgInst>(instruction)) {
      add(node_of(&instruction), kAnywhere);
    } else if (isa<llvm::TruncInst>(instruction)) {
      // Half a pointer: who knows.
      if (carries_pointers(instruction.getOperand(0)->getType())) give_to_world(instruction.getOperand(0));
    } else if (carries_pointers(instruction.getType()) && !is_distance(instruction)) {
      for (const llvm::Use& operand : instruction.operands()) {
        if (carries_pointers(operand->getType())) copy(node_of(operand.get()), node_of(&instruction));
      }
    }
  }

  // The difference of two pointers, products, quotients: numbers.
  static bool is_distance(const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Sub:
        return isa<llvm::PtrToIntOperator>(instruction.getOperand(0)) &&
               isa<llvm::PtrToIntOperator>(instruction.getOperand(1));
      case llvm::Instruction::Mul:
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
        return true;
      default:
        return false;
    }
  }

  // ---- Calls ----------------------------------------------------------------------------------------------------

  void read_call(const llvm::CallBase& call) {
    if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) return read_intrinsic(*intrinsic);
    const llvm::Function* callee = call.isInlineAsm() ? nullptr : call.getCalledFunction();
    if (callee != nullptr && callee->isDeclaration() && read_library_call(call, *callee)) return;
    if (is_seen(callee) && callee->getFunctionType() == call.getFunctionType()) return read_seen_call(call, *callee);
    read_unseen_call(call);
  }

  void read_seen_call(const llvm::CallBase& call, const llvm::Function& callee) {
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const Value* given = call.getArgOperand(i);
      if (!carries_pointers(given->getType())) continue;
      if (i >= callee.arg_size()) {
        give_to_world(given);
      } else if (call.isByValArgument(i)) {
        copy_memory(given, callee.getArg(i), is_late(call));
      } else {
        copy(node_of(given), node_of(callee.getArg(i)));
      }
    }
    if (carries_pointers(call.getType())) copy(returned_by(callee), node_of(&call));
  }

  void read_unseen_call(const llvm::CallBase& call) {
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const Value* given = call.getArgOperand(i);
      if (call.isByValArgument(i) || (given->getType()->isPointerTy() && call.doesNotCapture(i))) {
        const bool writes = !call.isByValArgument(i) && !call.onlyReadsMemory(i);
        expose_contents(given, writes && is_late(call));
      } else {
        give_to_world(given);
      }
    }
    for (unsigned i = 0; i < call.getNumOperandBundles(); ++i) {
      for (const llvm::Use& input : call.getOperandBundleAt(i).Inputs) give_to_world(input.get());
    }
    if (!carries_pointers(call.getType())) return;
    if (call.returnDoesNotAlias()) {
      const Object fresh = new_object(Kind::kHeap);
      add(objects_[fresh].stray, kAnywhere);
      add(node_of(&call), location(fresh, 0));
    } else {
      add(node_of(&call), kAnywhere);
    }
  }

  // Functions whose use of their arguments is known.
  bool read_library_call(const llvm::CallBase& call, const llvm::Function& callee) {
    switch (library_role(callee.getName())) {
      case LibraryRole::kUnknown:
        return false;
      case LibraryRole::kAllocates:
        add(node_of(&call), location(new_object(Kind::kHeap), 0));
        return true;
      case LibraryRole::kReallocates:
        add(node_of(&call), location(new_object(Kind::kHeap), 0));
        copy_memory(call.getArgOperand(0), &call, is_late(call));
        return true;
      case LibraryRole::kFrees:
        return true;
      case LibraryRole::kLooks:
        if (!carries_pointers(call.getType())) return true;
        for (const llvm::Use& argument : call.args()) {
          if (argument->getType()->isPointerTy()) copy(node_of(argument.get()), node_of(&call));
        }
        return true;
      case LibraryRole::kString:
        read_string_call(call);
        return true;
      case LibraryRole::kStringMoves:
        read_string_call(call);
        for (const llvm::Use& from : call.args()) {
          for (const llvm::Use& to : call.args()) {
            if (from != to && from->getType()->isPointerTy() && to->getType()->isPointerTy()) {
              copy_memory(from, to, is_late(call));
            }
          }
        }
        return true;
    }
    return false;
  }

  // A member of std::string: may give it a new buffer; returns itself, a new buffer, or a place in the old one.
  void read_string_call(const llvm::CallBase& call) {
    if (call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy()) return read_unseen_call(call);
    const Node buffer = new_node();
    add(buffer, location(new_object(Kind::kHeap), 0));
    const Node self = node_of(call.getArgOperand(0));
    nodes_[self].steps.push_back({buffer, kUnknownStep});  // a short string lies in the object itself
    nodes_[self].stores.push_back({buffer, kPointerBytes, is_late(call)});
    look_again(self);
    if (!carries_pointers(call.getType())) return;
    copy(buffer, node_of(&call));
    load(call.getArgOperand(0), node_of(&call), call.getArgOperand(0)->getType());
    for (const llvm::Use& argument : call.args()) {
      if (argument->getType()->isPointerTy()) copy(node_of(argument.get()), node_of(&call));
    }
  }

  void read_intrinsic(const llvm::IntrinsicInst& intrinsic) {
    if (intrinsic.isAssumeLikeIntrinsic() && !carries_pointers(intrinsic.getType())) return;
    if (const auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&intrinsic)) {
      return copy_memory(transfer->getRawSource(), transfer->getRawDest(), is_late(intrinsic));
    }
    if (const auto* fill = dyn_cast<llvm::AnyMemSetInst>(&intrinsic))
      return store(fill->getValue(), fill->getRawDest(), is_late(intrinsic));
    switch (intrinsic.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_gather:
      case llvm::Intrinsic::masked_expandload:
        load(intrinsic.getArgOperand(0), node_of(&intrinsic), intrinsic.getType());
        if (intrinsic.arg_size() > 2 && carries_pointers(intrinsic.getType())) {
          copy(node_of(intrinsic.getArgOperand(intrinsic.arg_size() - 1)), node_of(&intrinsic));
        }
        return;
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_scatter:
      case llvm::Intrinsic::masked_compressstore:
        return store(intrinsic.getArgOperand(0), intrinsic.getArgOperand(1), is_late(intrinsic));
      case llvm::Intrinsic::stacksave:
      case llvm::Intrinsic::stackrestore:
        return;
      default:
        break;
    }
    const bool pure = intrinsic.doesNotAccessMemory() || intrinsic.isAssumeLikeIntrinsic() ||
                      intrinsic.onlyAccessesInaccessibleMemory();
    if (!pure) return read_unseen_call(intrinsic);
    if (!carries_pointers(intrinsic.getType())) return;
    for (const llvm::Use& argument : intrinsic.args()) {
      if (carries_pointers(argument->getType())) copy(node_of(argument.get()), node_of(&intrinsic));
    }
  }

  // ---- Answers --------------------------------------------------------------------------------------------------

  template <typename Holds>
  [[nodiscard]] bool all_of(const Value* address, Holds holds) const {
    const auto known = of_value_.find(address);
    if (known == of_value_.end()) {
      const auto global = of_global_.find(address);
      return global != of_global_.end() && holds(objects_[global->second]);
    }
    const llvm::SparseBitVector<>& points_to = nodes_[known->second].points_to;
    if (points_to.empty()) return false;  // nothing that is known
    for (const Location where : points_to) {
      if (!holds(objects_[locations_[where].object])) return false;
    }
    return true;
  }

  const llvm::Module& module_;
  const Early* early_;
  const llvm::DataLayout& layout_;
  std::vector<NodeFacts> nodes_;
  std::vector<ObjectFacts> objects_;
  std::vector<Place> locations_;
  std::deque<Node> waiting_;
  llvm::DenseMap<const Value*, Node> of_value_;
  llvm::DenseMap<const Value*, Object> of_global_;
  llvm::DenseMap<const llvm::Function*, Node> returned_;
  llvm::SmallPtrSet<const llvm::Constant*, 32> published_;
};

Escape::Escape(const llvm::Module& module, const Early* early) : solver_(std::make_unique<Solver>(module, early)) {}
Escape::~Escape() = default;

bool Escape::is_private(const Value* address) const { return solver_->is_private(address); }
bool Escape::is_unwritten(const Value* address) const { return solver_->is_unwritten(address); }
bool Escape::is_unwritten_late(const Value* address) const { return solver_->is_unwritten_late(address); }

}  // namespace norn::compiler
