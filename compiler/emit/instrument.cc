#include "compiler/emit/instrument.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/analysis/call_effects.h"
#include "compiler/analysis/counting_reads.h"
#include "compiler/analysis/coverage.h"
#include "compiler/analysis/escape.h"
#include "compiler/emit/atomic_calls.h"
#include "compiler/emit/call_stack.h"
#include "compiler/emit/copies.h"
#include "compiler/emit/hoisted_ranges.h"
#include "compiler/emit/hook_calls.h"
#include "compiler/emit/inline_check.h"
#include "compiler/emit/labels.h"
#include "compiler/emit/region_calls.h"
#include "compiler/emit/registration.h"
#include "compiler/loops/waiting_loops.h"
#include "compiler/naming/expression.h"
#include "compiler/naming/globals.h"
#include "compiler/naming/locals.h"
#include "compiler/naming/names.h"
#include "compiler/naming/site_table.h"
#include "compiler/selection.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace norn::compiler {

using llvm::cast;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

namespace {

// Blocks up to this size are copied and filled by a few instructions at every optimisation level; longer ones may
// become calls of the C library, which the runtime would see a second time.
constexpr uint64_t kInlineBlock = 32;
// The longest that the code generator copies or fills by moves.
constexpr uint64_t kLongestInline = 128;

// One access of known bytes, done by `instruction`, which stays.
struct Access {
  Instruction* instruction;
  Value* address;
  uint64_t size;
  bool write;
  bool block = false;  // by memcpy and the like: may be a whole aggregate
  bool is_volatile = false;
  bool vptr = false;
  bool covered = false;
  bool reads_too = false;  // stands for a read before it
  bool counts = false;     // a read whose value goes into the write of its bytes after it, and nowhere else
  bool spins = false;      // emitted as part of a waiting loop's condition
  bool settled = false;    // emitted only if a waiting loop's condition asks
  llvm::Constant* site = nullptr;
  unsigned operand = 0;  // of the instruction: the address
};

// The lanes of a vector access under a mask.
struct LaneAccess {
  llvm::IntrinsicInst* instruction;
  Value* addresses;  // one pointer, or a vector of them
  Value* mask;
  llvm::FixedVectorType* type;
  bool write;
  bool compact;  // only as many elements as the mask has bits, one after the other
  unsigned address_operand;
  unsigned mask_operand;
  llvm::Constant* site = nullptr;
};

// A memcpy, memmove or memset that the runtime does.
struct BlockOperation {
  llvm::AnyMemIntrinsic* instruction;
  llvm::Constant* to_site = nullptr;  // a null pointer: need not be checked
  llvm::Constant* from_site = nullptr;
};

struct AtomicOperation {
  Instruction* instruction;
  AtomicFacts facts;
  llvm::Constant* site = nullptr;
};

// Operands that are addresses: of these an access needs no check.
using OperandSet = llvm::DenseSet<std::pair<const Instruction*, unsigned>>;

// The accesses of a module whose sites have these identities. Sites have theirs only when all are made, so it is asked
// of a copy.
OperandSet accesses_at(llvm::Module& module, const std::set<uint64_t>& sites) {
  OperandSet found;
  if (sites.empty()) return found;
  llvm::ValueToValueMapTy map;
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module, map);
  llvm::ModuleAnalysisManager none;
  LabelPass().run(*copy, none);
  for (llvm::Function& function : module) {
    for (Instruction& instruction : llvm::instructions(function)) {
      const auto* twin = llvm::dyn_cast_or_null<Instruction>(static_cast<Value*>(map.lookup(&instruction)));
      if (twin == nullptr) continue;
      for (const Label& label : labels_of(*twin)) {
        constexpr unsigned kStays = kLabelCall | kLabelAtomic | kLabelSpins;
        if ((label.flags & kStays) == 0 && sites.contains(identity_of(label.site)))
          found.insert({&instruction, label.operand});
      }
    }
  }
  return found;
}

bool is_of_profiler(const llvm::GlobalVariable& global) {
  return global.getName().starts_with("__profc_") || global.getName().starts_with("__llvm_gcov") ||
         global.getSection().starts_with("__llvm_prf");
}

// The address of a virtual table is stored only into virtual table pointers.
bool is_vtable_address(const Value* value) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(value));
  return global != nullptr && (global->getName().starts_with("_ZTV") || global->getName().starts_with("_ZTC"));
}

bool is_vptr_access(const Instruction& instruction) {
  if (const llvm::MDNode* tag = instruction.getMetadata(llvm::LLVMContext::MD_tbaa)) return tag->isTBAAVtableAccess();
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return is_vtable_address(store->getValueOperand());
  return false;
}

// A memory operand of assembly that synchronizes.
struct AssemblyOperation {
  llvm::CallBase* call;
  unsigned operand;  // the address
  uint64_t size;
  llvm::Constant* site;
};

// Assembly that synchronizes: its operands are not plain data.
bool is_atomic_assembly(llvm::StringRef text) {
  return text.contains("lock") || text.contains("xchg") || text.contains("fence") || text.contains("xbegin");
}

// asm volatile("" ::: "memory")
bool is_compiler_barrier(const llvm::InlineAsm& assembly, const llvm::CallBase& call) {
  return assembly.getAsmString().empty() && call.arg_empty() && assembly.hasSideEffects() &&
         llvm::StringRef(assembly.getConstraintString()).contains("~{memory}");
}

// Valgrind's client requests: rotations that change nothing, and the request's words behind the first operand
// (valgrind.h, x86-64).
bool is_client_request(llvm::StringRef text) { return text.contains("rolq $$3,") && text.contains("xchgq %rbx,%rbx"); }

class FunctionInstrumenter final {
 public:
  FunctionInstrumenter(llvm::Function& function, Hooks& hooks, SiteTable& sites, LocalsTable& locals,
                       LoopEmitter& emitter, LoopPlan& loops, bool asked, const Pruning& prune,
                       const CallEffects& effects, const Escape* escape, bool inline_checks, Profile profile,
                       bool labels, const OperandSet& left_out)
      : function_(function),
        prune_(prune),
        effects_(effects),
        escape_(escape),
        inline_checks_(inline_checks && !function.hasOptNone() && !function.hasFnAttribute(llvm::Attribute::Cold)),
        profile_(profile),
        labels_(labels),
        left_out_(left_out),
        layout_(function.getParent()->getDataLayout()),
        hooks_(hooks),
        sites_(sites),
        locals_(locals),
        emitter_(emitter),
        loops_(loops),
        asked_(asked),
        namer_(function) {}

  void run() {
    collect();
    // All names are found before anything is changed.
    describe();
    if (labels_) return label();
    leave_out();
    const std::vector<Local> locals = find_locals(function_, namer_, [&](llvm::AllocaInst* slot) {
      return escape_ != nullptr ? escape_->is_private(slot) : !llvm::PointerMayBeCaptured(slot, true, true);
    });
    emit();
    locals_.mark(function_, locals);
  }

  // The same of a function of which only what its atomics order counts.
  void run_atomics() {
    for (llvm::BasicBlock& block : function_) {
      for (Instruction& instruction : block) {
        if (atomic_facts(instruction)) collect_instruction(instruction);
      }
    }
    describe();
    for (const AtomicOperation& atomic : atomics_) {
      lower_atomic(*atomic.instruction, hooks_, atomic.site, profile_ == Profile::kSampling);
    }
  }

 private:
  void collect() {
    for (llvm::BasicBlock& block : function_) {
      for (Instruction& instruction : block) {
        Boundary boundary = collect_instruction(instruction);
        if (loops_.asks(&instruction)) boundary = Boundary::kFull;  // who leaves the loop has waited
        if (boundary != Boundary::kNone) boundaries_[&instruction] = boundary;
      }
    }
    if (prune_.covered) drop_covered();
  }

  void drop_covered() {
    std::vector<Check> checks;
    for (const Access& access : accesses_) {
      checks.push_back({access.instruction, access.address, access.size, access.write,
                        access.is_volatile || access.vptr || access.spins || (asked_ && !access.write), access.counts});
      if (access.write && may_be_waited_for(access)) boundaries_.try_emplace(access.instruction, Boundary::kSignal);
    }
    for (const BlockOperation& block : blocks_) boundaries_.try_emplace(block.instruction, Boundary::kSignal);
    for (const LaneAccess& lanes : lanes_) boundaries_.try_emplace(lanes.instruction, Boundary::kSignal);
    const std::vector<Coverage> coverage = find_covered(
        function_, checks, [&](const Instruction& instruction) { return boundaries_.lookup(&instruction); });
    for (size_t i = 0; i < accesses_.size(); ++i) {
      accesses_[i].covered = coverage[i].covered;
      accesses_[i].reads_too = coverage[i].reads_too || loops_.increments.contains(accesses_[i].instruction);
    }
  }

  // Whether another thread may wait in a loop for what is written: flags, counters and pointers are waited for,
  // numbers with a fraction are not.
  static bool may_be_waited_for(const Access& access) {
    const auto* store = dyn_cast<llvm::StoreInst>(access.instruction);
    return store == nullptr || !store->getValueOperand()->getType()->isFPOrFPVectorTy();
  }

  // Returns what it may mean to other threads, its own store apart.
  Boundary collect_instruction(Instruction& instruction) {
    if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return Boundary::kNone;
    if (const std::optional<AtomicFacts> facts = atomic_facts(instruction)) {
      const bool known_size = facts->address == nullptr || Hooks::has_access(facts->size);
      if (known_size && (facts->address == nullptr || !is_private(facts->address))) {
        atomics_.push_back({&instruction, *facts});
      }
      return Boundary::kFull;
    }
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!prune_.constants || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) {
        add({load, load->getPointerOperand(), size_of(load->getType()), false, false, load->isVolatile(),
             is_vptr_access(*load)});
      }
    } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      add({store, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), true, false,
           store->isVolatile(), is_vptr_access(*store)});
    } else if (auto* block = dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
      collect_block(*block);
    } else if (auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      collect_intrinsic(*intrinsic);
      return effects_.of(*intrinsic);
    } else if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      collect_call(*call);
      return prune_.calls || call->doesNotAccessMemory() ? effects_.of(*call) : Boundary::kFull;
    }
    return instruction.isVolatile() ? Boundary::kFull : Boundary::kNone;
  }

  void add(const Access& access) {
    if (access.size == 0 || is_private(access.address)) return;
    // What loops that wait read is emitted all the same.
    const bool waited_for = loops_.is_spin_read(access.instruction) || (asked_ && !access.write);
    const bool settled = is_settled(access.address);
    if (settled && !waited_for) return;
    accesses_.push_back(access);
    const auto* operand = llvm::find(access.instruction->operands(), access.address);
    assert(operand != access.instruction->op_end());
    accesses_.back().operand = operand->getOperandNo();
    accesses_.back().settled = settled;
    accesses_.back().spins = loops_.is_spin_read(access.instruction);
    const auto* load = dyn_cast<llvm::LoadInst>(access.instruction);
    accesses_.back().counts = load != nullptr && only_counts(*load);
  }

  void collect_block(llvm::AnyMemIntrinsic& block) {
    if (block.isAtomic()) return;
    const auto* length = dyn_cast<llvm::ConstantInt>(block.getLength());
    const uint64_t size = length == nullptr ? 0 : length->getZExtValue();
    if (length != nullptr && size == 0) return;
    auto* copy = dyn_cast<llvm::AnyMemTransferInst>(&block);
    // Short blocks stay where they are: the code generator has better ways than a call for them.
    const bool always = isa<llvm::MemCpyInlineInst, llvm::MemSetInlineInst>(block);
    const bool stays = always || (size != 0 && size <= kInlineBlock && !isa<llvm::AnyMemMoveInst>(block) &&
                                  (copy != nullptr || !function_.hasOptNone()));
    if (stays) {
      if (copy != nullptr) add({&block, copy->getRawSource(), size, false, true, false});
      add({&block, block.getRawDest(), size, true, true, false});
      return;
    }
    const bool to = !is_unchecked(block.getRawDest());
    const bool from = copy != nullptr && !is_unchecked(copy->getRawSource());
    // Also what need not be checked: the library's function, which the code generator calls for it, is interposed.
    if (to || from || length == nullptr || size > kLongestInline) blocks_.push_back({&block});
  }

  void collect_intrinsic(llvm::IntrinsicInst& intrinsic) {
    const auto lanes = [&](unsigned address, unsigned mask, llvm::Type* type, bool write, bool compact) {
      auto* vector = dyn_cast<llvm::FixedVectorType>(type);
      Value* at = intrinsic.getArgOperand(address);
      if (vector == nullptr || (at->getType()->isPointerTy() && is_unchecked(at))) return;
      lanes_.push_back({&intrinsic, at, intrinsic.getArgOperand(mask), vector, write, compact, address, mask});
    };
    switch (intrinsic.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
        return lanes(0, 2, intrinsic.getType(), false, false);
      case llvm::Intrinsic::masked_store:
        return lanes(1, 3, intrinsic.getArgOperand(0)->getType(), true, false);
      case llvm::Intrinsic::masked_gather:
        return lanes(0, 2, intrinsic.getType(), false, false);
      case llvm::Intrinsic::masked_scatter:
        return lanes(1, 3, intrinsic.getArgOperand(0)->getType(), true, false);
      case llvm::Intrinsic::masked_expandload:
        return lanes(0, 1, intrinsic.getType(), false, true);
      case llvm::Intrinsic::masked_compressstore:
        return lanes(1, 2, intrinsic.getArgOperand(0)->getType(), true, true);
      default:
        return;
    }
  }

  void collect_call(llvm::CallBase& call) {
    if (call.isInlineAsm()) return collect_assembly(call);
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (call.isByValArgument(i)) {
        add({&call, call.getArgOperand(i), size_of(call.getParamByValType(i)), false, true, false});
      }
    }
    if (is_traced_call(call)) calls_.push_back({&call, nullptr});
  }

  void collect_assembly(llvm::CallBase& call) {
    const auto* assembly = cast<llvm::InlineAsm>(call.getCalledOperand());
    if (is_client_request(assembly->getAsmString())) {
      if (call.arg_size() > 0) requests_.push_back(&call);
      return;
    }
    if (is_compiler_barrier(*assembly, call)) return barriers_.push_back(&call);
    const bool synchronizes = is_atomic_assembly(assembly->getAsmString());
    unsigned argument = 0;
    for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly->ParseConstraints()) {
      const bool output = constraint.Type == llvm::InlineAsm::isOutput;
      if (!constraint.hasArg()) continue;
      if (constraint.isIndirect) {
        if (llvm::Type* type = call.getParamElementType(argument); type != nullptr && type->isSized()) {
          if (!synchronizes) {
            add({&call, call.getArgOperand(argument), size_of(type), output, true, false});
          } else if (output && isa<llvm::CallInst>(call)) {
            assembly_.push_back({&call, argument, size_of(type), nullptr});
          }
        }
      }
      ++argument;
    }
  }

  // The last is written by the C library alone, which says so (sys/single_threaded.h); every copy of a std::shared_ptr
  // reads it.
  static bool is_unwritten(const llvm::GlobalVariable& global) {
    return global.isConstant() || (global.isDeclaration() && global.getName() == "__libc_single_threaded");
  }

  // Memory that no other thread can get at, or that nobody writes.
  bool is_private(Value* address) {
    if (!address->getType()->isPointerTy() || address->getType()->getPointerAddressSpace() != 0) return true;
    if (address->isSwiftError()) return true;
    Value* object = llvm::getUnderlyingObject(address, 0);
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(object)) {
      if (is_of_profiler(*global) || (prune_.constants && is_unwritten(*global))) return true;
    }
    // What is read through a virtual table pointer is a virtual table.
    if (const auto* load = dyn_cast<llvm::LoadInst>(object); load != nullptr && is_vptr_access(*load)) {
      return prune_.constants;
    }
    return (prune_.escape && escape_->is_private(address)) || (prune_.constants && escape_->is_unwritten(address));
  }

  // Memory that nobody writes once there are threads.
  bool is_settled(const Value* address) const { return prune_.early && escape_->is_unwritten_late(address); }
  bool is_unchecked(Value* address) { return is_private(address) || is_settled(address); }

  uint64_t size_of(llvm::Type* type) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    return size.isScalable() ? 0 : size.getFixedValue();
  }

  // Where an instruction stands in the source; for one that the optimiser left without a line, its neighbour's.
  llvm::DebugLoc location(const Instruction& instruction) const {
    const auto known = [](const llvm::DebugLoc& at) { return at && at.getLine() != 0; };
    if (known(instruction.getDebugLoc())) return instruction.getDebugLoc();
    for (const Instruction* near = instruction.getPrevNode(); near != nullptr; near = near->getPrevNode()) {
      if (known(near->getDebugLoc())) return near->getDebugLoc();
    }
    for (const Instruction* near = instruction.getNextNode(); near != nullptr; near = near->getNextNode()) {
      if (known(near->getDebugLoc())) return near->getDebugLoc();
    }
    llvm::DISubprogram* subprogram = function_.getSubprogram();
    if (subprogram == nullptr) return {};
    return llvm::DILocation::get(function_.getContext(), subprogram->getLine(), 0, subprogram);
  }

  llvm::Constant* site(const Instruction& instruction, SiteFacts facts, const Value* address, bool scalar) {
    if (address != nullptr) name(instruction, facts, address, scalar);
    return sites_.site(function_, location(instruction), facts);
  }

  void name(const Instruction& instruction, SiteFacts& facts, const Value* address, bool scalar) {
    const llvm::DebugLoc at = location(instruction);
    const bool inlined = at && at->getInlinedAt() != nullptr;
    if (inlined) facts.identity = namer_.identity(address, facts.size, scalar, at);
    facts.expression = namer_.name(address, facts.size, scalar, at);
    if (!inlined) facts.identity = facts.expression;
  }

  // Of values that the optimiser accesses together, the size of one: that is what the source says. 0: it is one value.
  uint64_t element_size(Instruction& instruction) const {
    if (!isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return 0;
    const auto* vector = dyn_cast<llvm::FixedVectorType>(llvm::getLoadStoreType(&instruction));
    return vector == nullptr ? 0 : size_of(vector->getElementType());
  }

  // What the access writes, if it is one value that the hook can be given.
  static Value* written_value(const Access& access) {
    auto* store = dyn_cast<llvm::StoreInst>(access.instruction);
    if (store == nullptr || !Hooks::takes_value(access.write, access.size)) return nullptr;
    Value* value = store->getValueOperand();
    const llvm::Type* type = value->getType();
    return type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy() ? value : nullptr;
  }

  // Of what name() named last. Where no debug information says it, the type of the instruction does, as far as it can.
  norn_value_type type_of_value(const Access& access) const {
    if (!isa<llvm::LoadInst, llvm::StoreInst>(access.instruction)) return NORN_VALUE_UNKNOWN;
    const llvm::Type* type = llvm::getLoadStoreType(access.instruction);
    if (type->isFloatTy() || type->isDoubleTy()) return NORN_VALUE_FLOAT;
    const norn_value_type named = value_type(namer_.named_type());
    if (named != NORN_VALUE_UNKNOWN && namer_.named_size() == access.size) return named;
    return type->isPointerTy() ? NORN_VALUE_POINTER : NORN_VALUE_UNKNOWN;
  }

  void describe() {
    llvm::SmallPtrSet<const Value*, 8> virtual_tables;  // pointers to them, where only names show it
    for (Access& access : accesses_) {
      if (access.covered) continue;
      if (virtual_tables.contains(llvm::getUnderlyingObject(access.address, 0))) {
        access.covered = true;
        continue;
      }
      SiteFacts facts;
      facts.size = access.size;
      facts.flags = access.is_volatile ? NORN_SITE_VOLATILE : 0;
      if (access.reads_too) facts.flags |= NORN_SITE_READS_TOO;
      if (access.counts) facts.flags |= NORN_SITE_COUNTS;
      name(*access.instruction, facts, access.address, !access.block);
      // Without optimisation accesses have no type tags.
      if (namer_.named_vptr() && isa<llvm::LoadInst, llvm::StoreInst>(access.instruction)) access.vptr = true;
      if (access.vptr && !access.write) virtual_tables.insert(access.instruction);
      facts.kind = access.vptr    ? (access.write ? NORN_SITE_VPTR_WRITE : NORN_SITE_VPTR_READ)
                   : access.block ? (access.write ? NORN_SITE_RANGE_WRITE : NORN_SITE_RANGE_READ)
                                  : (access.write ? NORN_SITE_WRITE : NORN_SITE_READ);
      if (const uint64_t element = element_size(*access.instruction); element != 0 && namer_.named_size() < access.size)
        facts.size = element;
      facts.flags |= static_cast<uint32_t>(type_of_value(access)) << NORN_SITE_TYPE_AT;
      if (written_value(access) != nullptr) facts.flags |= NORN_SITE_SAYS_VALUE;
      access.site = sites_.site(function_, location(*access.instruction), facts);
    }
    for (LaneAccess& lanes : lanes_) {
      SiteFacts facts;
      facts.kind = lanes.write ? NORN_SITE_WRITE : NORN_SITE_READ;
      facts.size = size_of(lanes.type->getElementType());
      const bool one = lanes.addresses->getType()->isPointerTy();
      lanes.site = site(*lanes.instruction, facts, one ? lanes.addresses : common_base(lanes.addresses), true);
    }
    for (BlockOperation& block : blocks_) {
      const auto* length = dyn_cast<llvm::ConstantInt>(block.instruction->getLength());
      SiteFacts facts;
      facts.size = length == nullptr ? 0 : length->getZExtValue();
      facts.flags = block.instruction->isVolatile() ? NORN_SITE_VOLATILE : 0;
      const auto side = [&](norn_site_kind kind, Value* address) -> llvm::Constant* {
        if (is_unchecked(address)) return llvm::ConstantPointerNull::get(cast<llvm::PointerType>(address->getType()));
        facts.kind = kind;
        return site(*block.instruction, facts, address, false);
      };
      block.to_site = side(NORN_SITE_RANGE_WRITE, block.instruction->getRawDest());
      if (auto* copy = dyn_cast<llvm::AnyMemTransferInst>(block.instruction)) {
        block.from_site = side(NORN_SITE_RANGE_READ, copy->getRawSource());
      }
    }
    for (AtomicOperation& atomic : atomics_) {
      SiteFacts facts;
      facts.kind = atomic.facts.kind;
      facts.order = atomic.facts.order;
      facts.size = atomic.facts.size;
      facts.flags = atomic.facts.signal_scope ? NORN_SITE_SIGNAL_SCOPE : 0;
      if (atomic.instruction->isVolatile()) facts.flags |= NORN_SITE_VOLATILE;
      atomic.site = site(*atomic.instruction, facts, atomic.facts.address, true);
    }
    for (AssemblyOperation& operation : assembly_) {
      SiteFacts facts;
      facts.kind = NORN_SITE_ATOMIC_RMW;
      facts.size = operation.size;
      operation.site = site(*operation.call, facts, operation.call->getArgOperand(operation.operand), true);
    }
    for (TracedCall& traced : calls_) {
      SiteFacts facts;
      facts.kind = NORN_SITE_CALL;
      const Value* object = nullptr;
      if (traced.call->arg_size() > 0 && traced.call->getArgOperand(0)->getType()->isPointerTy()) {
        object = traced.call->getArgOperand(0);
      }
      traced.site = site(*traced.call, facts, object, false);
      traced.call->removeFnAttr(llvm::Attribute::Memory);
    }
    emitter_.describe(
        function_, loops_, [&](const Instruction& access) { return words_for(access); },
        [&](const Instruction& at) { return location(at); });
  }

  // What a waiting loop reads or calls, in the source's words.
  std::string words_for(const Instruction& access) {
    if (const auto* call = dyn_cast<llvm::CallBase>(&access)) {
      const llvm::Function* callee = call->getCalledFunction();
      const llvm::DISubprogram* subprogram = callee == nullptr ? nullptr : callee->getSubprogram();
      if (subprogram != nullptr && !callee->isDeclaration()) return function_name(subprogram);
      if (call->arg_size() == 0 || !call->getArgOperand(0)->getType()->isPointerTy()) return "";
      return namer_.name(call->getArgOperand(0), 0, false, location(access));
    }
    const Value* address = llvm::getPointerOperand(&access);
    if (const std::optional<AtomicFacts> facts = atomic_facts(access)) address = facts->address;
    return address == nullptr ? "" : namer_.name(address, 0, true, location(access));
  }

  // The array that a vector of addresses points into.
  static const Value* common_base(const Value* addresses) {
    if (const auto* step = dyn_cast<llvm::GEPOperator>(addresses)) {
      if (step->getPointerOperand()->getType()->isPointerTy()) return step->getPointerOperand();
    }
    return nullptr;
  }

  // What needs no check. It was named with the others, so that these are called what they are called in other builds.
  void leave_out() {
    if (left_out_.empty()) return;
    for (Access& access : accesses_) {
      if (only_checks(access) && left_out_.contains({access.instruction, access.operand})) access.covered = true;
    }
    for (BlockOperation& block : blocks_) {
      for (llvm::Constant** site : {&block.to_site, &block.from_site}) {
        const unsigned operand = site == &block.to_site ? 0 : 1;
        if (*site != nullptr && left_out_.contains({block.instruction, operand}))
          *site = llvm::Constant::getNullValue((*site)->getType());
      }
    }
    std::erase_if(lanes_, [&](const LaneAccess& lanes) {
      return left_out_.contains({lanes.instruction, lanes.address_operand});
    });
  }

  // In place of all that emit() would do: what it would know of each instruction, as metadata of it (labels.h).
  void label() {
    std::map<Instruction*, std::vector<Label>> labels;
    for (const Access& access : accesses_) {
      if (access.covered || access.site == nullptr) continue;
      const unsigned spins = access.spins ? kLabelSpins : 0;
      labels[access.instruction].push_back(
          {access.site, access.operand, access.size, (access.write ? kLabelWrites : kLabelReads) | spins});
      if (access.reads_too) labels[access.instruction].back().flags |= kLabelReads;
    }
    for (const BlockOperation& block : blocks_) {
      const auto* length = dyn_cast<llvm::ConstantInt>(block.instruction->getLength());
      const uint64_t size = length == nullptr ? 0 : length->getZExtValue();
      const auto counts = [](const llvm::Constant* site) { return site != nullptr && !site->isNullValue(); };
      if (counts(block.to_site)) labels[block.instruction].push_back({block.to_site, 0, size, kLabelWrites});
      if (counts(block.from_site)) labels[block.instruction].push_back({block.from_site, 1, size, kLabelReads});
    }
    for (const LaneAccess& lanes : lanes_) {
      const llvm::TypeSize size = layout_.getTypeStoreSize(lanes.type);
      labels[lanes.instruction].push_back(
          {lanes.site, lanes.address_operand, size.getFixedValue(), lanes.write ? kLabelWrites : kLabelReads});
    }
    for (const AtomicOperation& atomic : atomics_) {
      if (atomic.facts.address == nullptr) continue;
      const auto* operand = llvm::find(atomic.instruction->operands(), atomic.facts.address);
      const bool reads = atomic.facts.kind != NORN_SITE_ATOMIC_STORE;
      const bool writes = atomic.facts.kind != NORN_SITE_ATOMIC_LOAD;
      labels[atomic.instruction].push_back({atomic.site, operand->getOperandNo(), atomic.facts.size,
                                            kLabelAtomic | (reads ? kLabelReads : 0U) | (writes ? kLabelWrites : 0U) |
                                                (is_asked(*atomic.instruction) ? kLabelSpins : 0U)});
    }
    for (const AssemblyOperation& operation : assembly_) {
      labels[operation.call].push_back(
          {operation.site, operation.operand, operation.size, kLabelAtomic | kLabelReads | kLabelWrites});
    }
    for (const TracedCall& traced : calls_) labels[traced.call].push_back({traced.site, 0, 0, kLabelCall});
    for (const auto& [instruction, of_it] : labels) attach_labels(*instruction, of_it);
  }

  // Whether it is part of the condition of a loop that waits.
  [[nodiscard]] bool is_asked(const Instruction& instruction) const { return loops_.asks(&instruction); }

  void emit() {
    emitter_.emit(function_, loops_);
    const auto itself = [](Instruction* instruction) { return instruction; };
    std::vector<TracedCall> calls;
    if (profile_ == Profile::kSampling && is_worth_copying()) {
      Copies copies(function_, sampling_question(function_, hooks_));
      const llvm::DenseSet<const llvm::BasicBlock*> blocks = checked_blocks();
      copies.make([&](const llvm::BasicBlock& block) { return blocks.contains(&block); });
      // First of all the copy: it is known by what stands for it in the other.
      emit_copy([&](Instruction* instruction) { return copies.checked(instruction); }, true, calls);
      emit_copy(itself, false, calls);
    } else {
      if (profile_ == Profile::kTrace) {
        const llvm::DenseSet<const llvm::BasicBlock*> blocks = checked_blocks();
        emit_region_calls(function_, hooks_, Copies::can_be_made(function_),
                          [&](const llvm::BasicBlock& block) { return blocks.contains(&block); });
      }
      if (prune_.runs && inline_checks_ && profile_ == Profile::kFull) emit_loops();
      emit_copy(itself, true, calls);
    }
    trace_calls(function_, calls);
  }

  // Loops whose accesses can all be reported before they begin.
  void emit_loops() {
    if (asked_ || !loops_.loops.empty()) return;
    std::vector<RunAccess> candidates;
    std::vector<size_t> which;
    llvm::DenseSet<const Instruction*> others;   // that want a call of their own
    llvm::DenseSet<const Instruction*> signals;  // that other threads may wait for
    for (size_t i = 0; i < accesses_.size(); ++i) {
      const Access& access = accesses_[i];
      const bool may_signal = access.write && may_be_waited_for(access);
      if (access.covered) {
        if (may_signal) others.insert(access.instruction);
        continue;
      }
      const bool simple = only_checks(access) && !access.block && !access.vptr && !access.is_volatile;
      if (!simple) others.insert(access.instruction);
      if (may_signal) signals.insert(access.instruction);
      candidates.push_back({access.instruction, access.address, access.size, access.write, may_signal, access.site});
      which.push_back(i);
    }
    for (const BlockOperation& block : blocks_) others.insert(block.instruction);
    for (const LaneAccess& lanes : lanes_) others.insert(lanes.instruction);
    for (const TracedCall& traced : calls_) others.insert(traced.call);
    const auto divides = [&](const Instruction& instruction) {
      if (others.contains(&instruction)) return true;
      return !signals.contains(&instruction) && boundaries_.lookup(&instruction) != Boundary::kNone;
    };
    for (const RunCopy& copy : emit_hoisted_ranges(function_, hooks_, candidates, divides)) {
      if (copy.hoisted) continue;
      Access access = accesses_[which[copy.access]];
      access.instruction = copy.instead;
      access.address = copy.instead->getOperand(access.operand);
      accesses_.push_back(access);
    }
  }

  // Whether a check stands there that need not: what is emitted of a loop that waits, and of a volatile variable, which
  // may be a flag, orders threads.
  [[nodiscard]] bool only_checks(const Access& access) const {
    return !access.covered && !access.spins && !access.settled && !(access.write && access.is_volatile);
  }
  static bool is_checked(const BlockOperation& block) {
    const auto counts = [](const llvm::Constant* site) { return site != nullptr && !site->isNullValue(); };
    return counts(block.to_site) || counts(block.from_site);
  }

  // What it does there is looked at where its caller is.
  static bool calls_library(const TracedCall& traced) {
    const llvm::Function* callee = traced.call->getCalledFunction();
    return callee != nullptr && callee->isDeclaration() && !callee->isIntrinsic();
  }

  [[nodiscard]] bool is_worth_copying() const {
    const bool any = llvm::any_of(accesses_, [&](const Access& access) { return only_checks(access); }) ||
                     llvm::any_of(blocks_, is_checked) || !lanes_.empty() || !atomics_.empty() ||
                     llvm::any_of(calls_, calls_library);
    return any && Copies::can_be_made(function_);
  }

  [[nodiscard]] llvm::DenseSet<const llvm::BasicBlock*> checked_blocks() const {
    llvm::DenseSet<const llvm::BasicBlock*> blocks;
    for (const Access& access : accesses_) {
      if (only_checks(access)) blocks.insert(access.instruction->getParent());
    }
    for (const BlockOperation& block : blocks_) {
      if (is_checked(block)) blocks.insert(block.instruction->getParent());
    }
    for (const LaneAccess& lanes : lanes_) blocks.insert(lanes.instruction->getParent());
    for (const AtomicOperation& atomic : atomics_) blocks.insert(atomic.instruction->getParent());
    for (const TracedCall& traced : calls_) {
      if (calls_library(traced)) blocks.insert(traced.call->getParent());
    }
    return blocks;
  }

  // Into a copy of the function's body, in which `here` finds the instructions. Without `checks` nothing is checked
  // there; what orders threads is emitted all the same. Adds the copy's calls to `calls`.
  void emit_copy(llvm::function_ref<Instruction*(Instruction*)> here, bool checks, std::vector<TracedCall>& calls) {
    const auto known = [&](auto* instruction) {
      return cast<std::remove_pointer_t<decltype(instruction)>>(here(instruction));
    };
    // Where copies meet, an operand may have become another value.
    for (const Access& access : accesses_) {
      if (access.covered) continue;
      Access copy = access;
      copy.instruction = here(access.instruction);
      copy.address = copy.instruction->getOperand(access.operand);
      emit_access(copy, *access.instruction, checks);
    }
    for (BlockOperation block : blocks_) {
      block.instruction = known(block.instruction);
      emit_block(block, checks);
    }
    for (const AtomicOperation& atomic : atomics_) {
      lower_atomic(*here(atomic.instruction), hooks_, atomic.site, !checks);
    }
    for (LaneAccess lanes : lanes_) {
      if (!checks) break;
      lanes.instruction = known(lanes.instruction);
      lanes.addresses = lanes.instruction->getArgOperand(lanes.address_operand);
      lanes.mask = lanes.instruction->getArgOperand(lanes.mask_operand);
      emit_lanes(lanes);
    }
    for (const AssemblyOperation& operation : assembly_) {
      llvm::CallBase* call = known(operation.call);
      Value* address = call->getArgOperand(operation.operand);
      llvm::IRBuilder<> builder(call);
      builder.CreateCall(hooks_.assembly(true), {address, builder.getInt64(operation.size), operation.site});
      builder.SetInsertPoint(call->getNextNode());
      builder.CreateCall(hooks_.assembly(false), {address, builder.getInt64(operation.size), operation.site});
    }
    for (llvm::CallBase* barrier : barriers_) llvm::IRBuilder<>(here(barrier)).CreateCall(hooks_.cut(), {});
    for (llvm::CallBase* request : requests_) {
      llvm::IRBuilder<> builder(here(request));
      Value* words = known(request)->getArgOperand(0);
      if (words->getType()->isIntegerTy()) words = builder.CreateIntToPtr(words, builder.getPtrTy());
      if (words->getType()->isPointerTy()) builder.CreateCall(hooks_.client_request(), {words});
    }
    for (const TracedCall& traced : calls_) {
      calls.push_back({known(traced.call), checks ? traced.site : unsampled(traced.site)});
    }
  }

  // How a call site says that the code around it is not looked at.
  static llvm::Constant* unsampled(llvm::Constant* site) {
    llvm::LLVMContext& context = site->getContext();
    return llvm::ConstantExpr::getGetElementPtr(
        llvm::Type::getInt8Ty(context), site,
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), NORN_UNSAMPLED_CALL));
  }

  // `original`: of which the instruction is a copy, or itself.
  void emit_access(const Access& access, const Instruction& original, bool checks) {
    llvm::IRBuilder<> builder(access.instruction);
    if (access.spins) {
      return emitter_.emit_read(builder, loops_, &original, access.address, access.size, access.site);
    }
    if (asked_ && !access.write) emitter_.emit_called_read(builder, access.address, access.size, access.site);
    if (access.settled || (!checks && only_checks(access))) return;
    if (access.vptr && access.size == sizeof(void*)) {
      if (auto* store = dyn_cast<llvm::StoreInst>(access.instruction)) {
        Value* value = builder.CreateBitOrPointerCast(store->getValueOperand(), builder.getPtrTy());
        builder.CreateCall(hooks_.vptr(true), {access.address, value, access.site});
      } else if (inline_checks_) {
        emit_inline_check(builder, hooks_, access.address, access.size, false, llvm::Align(alignof(void*)),
                          access.site);
      } else {
        builder.CreateCall(hooks_.vptr(false), {access.address, access.site});
      }
    } else if (access.write && access.is_volatile && Hooks::has_access(access.size)) {
      // It may be a flag: the runtime is to hear of each.
      builder.CreateCall(hooks_.access(true, access.size), hook_arguments(builder, access.address, access.size, true,
                                                                          access.site, written_value(access)));
    } else {
      emit_check(builder, access.address, access.size, access.write, access.site, alignment(*access.instruction),
                 written_value(access));
    }
  }

  // What the code says of the address; an access without a type of its own says nothing.
  llvm::Align alignment(const Instruction& instruction) const {
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) return load->getAlign();
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return store->getAlign();
    return llvm::Align(1);
  }

  void emit_check(llvm::IRBuilder<>& builder, Value* address, uint64_t size, bool write, llvm::Constant* site,
                  llvm::Align align = llvm::Align(1), Value* value = nullptr) {
    if (inline_checks_ && Hooks::has_access(size)) {
      emit_inline_check(builder, hooks_, address, size, write, align, site, value);
    } else if (Hooks::has_access(size)) {
      builder.CreateCall(hooks_.access(write, size), hook_arguments(builder, address, size, write, site, value));
    } else {
      builder.CreateCall(hooks_.range(write), {address, builder.getInt64(size), site});
    }
  }

  void emit_block(const BlockOperation& block, bool checks) {
    llvm::IRBuilder<> builder(block.instruction);
    llvm::Constant* nothing = llvm::ConstantPointerNull::get(builder.getPtrTy());
    Value* length = builder.CreateZExtOrTrunc(block.instruction->getLength(), builder.getInt64Ty());
    Value* to = block.instruction->getRawDest();
    if (auto* copy = dyn_cast<llvm::AnyMemTransferInst>(block.instruction)) {
      builder.CreateCall(
          hooks_.copy(isa<llvm::AnyMemMoveInst>(copy)),
          {to, copy->getRawSource(), length, checks ? block.to_site : nothing, checks ? block.from_site : nothing});
    } else {
      Value* byte = builder.CreateZExt(cast<llvm::AnyMemSetInst>(block.instruction)->getValue(), builder.getInt32Ty());
      builder.CreateCall(hooks_.fill(), {to, byte, length, checks ? block.to_site : nothing});
    }
    block.instruction->eraseFromParent();
  }

  void emit_lanes(const LaneAccess& lanes) {
    const unsigned count = lanes.type->getNumElements();
    const uint64_t size = size_of(lanes.type->getElementType());
    llvm::IRBuilder<> builder(lanes.instruction);
    if (lanes.compact) {
      Value* bits = builder.CreateBitCast(lanes.mask, builder.getIntNTy(count));
      Value* set = builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits);
      Value* bytes = builder.CreateMul(builder.CreateZExtOrTrunc(set, builder.getInt64Ty()), builder.getInt64(size));
      builder.CreateCall(hooks_.range(lanes.write), {lanes.addresses, bytes, lanes.site});
      return;
    }
    for (unsigned lane = 0; lane < count; ++lane) {
      builder.SetInsertPoint(lanes.instruction);
      Value* set = builder.CreateExtractElement(lanes.mask, lane);
      if (const auto* constant = dyn_cast<llvm::ConstantInt>(set)) {
        if (constant->isZero()) continue;
      } else {
        builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(set, lanes.instruction->getIterator(), false));
        builder.SetCurrentDebugLocation(lanes.instruction->getDebugLoc());
      }
      Value* address = lanes.addresses->getType()->isPointerTy() ? nth(builder, lanes, lane)
                                                                 : builder.CreateExtractElement(lanes.addresses, lane);
      emit_check(builder, address, size, lanes.write, lanes.site);
    }
  }

  static Value* nth(llvm::IRBuilder<>& builder, const LaneAccess& lanes, unsigned lane) {
    if (lane == 0) return lanes.addresses;
    return builder.CreateConstInBoundsGEP1_64(lanes.type->getElementType(), lanes.addresses, lane);
  }

  llvm::Function& function_;
  const Pruning& prune_;
  const CallEffects& effects_;
  const Escape* escape_;  // null: not asked for
  const bool inline_checks_;
  const Profile profile_;
  const bool labels_;
  const OperandSet& left_out_;
  const llvm::DataLayout& layout_;
  Hooks& hooks_;
  SiteTable& sites_;
  LocalsTable& locals_;
  LoopEmitter& emitter_;
  LoopPlan& loops_;
  bool asked_;  // some condition of a loop may call the function
  ExpressionNamer namer_;
  std::vector<Access> accesses_;
  std::vector<LaneAccess> lanes_;
  std::vector<BlockOperation> blocks_;
  std::vector<AtomicOperation> atomics_;
  std::vector<AssemblyOperation> assembly_;
  std::vector<llvm::CallBase*> barriers_;  // for the compiler
  std::vector<llvm::CallBase*> requests_;
  std::vector<TracedCall> calls_;
  llvm::DenseMap<const Instruction*, Boundary> boundaries_;  // those that are not kNone
};

// What was found out about its use of memory was about the function without hooks.
void forget_effects(llvm::Function& function) {
  if (!function.doesNotAccessMemory()) function.removeFnAttr(llvm::Attribute::Memory);
  function.removeFnAttr(llvm::Attribute::NoSync);
}

}  // namespace

llvm::PreservedAnalyses InstrumentPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  return work_on(module, false);
}

llvm::PreservedAnalyses InstrumentPass::work_on(llvm::Module& module, bool labels) {
  if (!is_supported(module) || module.getNamedMetadata(kInstrumentedMark) != nullptr)
    return llvm::PreservedAnalyses::all();
  const OperandSet left_out = accesses_at(module, left_out_);
  module.getOrInsertNamedMetadata(kInstrumentedMark);

  Hooks hooks(module);
  SiteTable sites(module);
  LocalsTable locals(module, sites);
  std::vector<llvm::Function*> marked, exempt;
  for (llvm::Function& function : module) {
    const bool all = function.hasFnAttribute(llvm::Attribute::SanitizeThread);
    if (!all && !function.hasFnAttribute(kOnlyAtomics)) continue;
    function.removeFnAttr(llvm::Attribute::SanitizeThread);
    function.removeFnAttr(kOnlyAtomics);
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage()) {
      (all ? marked : exempt).push_back(&function);
    }
  }
  const CallEffects effects(module);
  Pruning prune = prune_;
  prune.early &= whole_program_;
  std::optional<Early> early;
  if (prune.early) early.emplace(module);
  std::optional<Escape> escape;
  if (prune.escape || prune.constants || prune.early) escape.emplace(module, early ? &*early : nullptr);
  // All loops are found before anything is changed: what a function says of its callees is said of the program's own
  // code.
  CallSummaries summaries;
  LoopFinder finder(summaries);
  LoopEmitter emitter(module, hooks, sites);
  std::vector<LoopPlan> loops;
  loops.reserve(marked.size());
  for (llvm::Function* function : marked) loops.push_back(finder.find(*function));
  const llvm::DenseSet<const llvm::Function*> asked = finder.asked_by_conditions(marked);
  for (size_t i = 0; i < marked.size(); ++i) {
    llvm::Function* function = marked[i];
    FunctionInstrumenter(*function, hooks, sites, locals, emitter, loops[i], asked.contains(function), prune, effects,
                         escape ? &*escape : nullptr, inline_checks_, profile_, labels, left_out)
        .run();
    if (!labels) forget_effects(*function);
  }
  if (labels) {
    sites.finish();
    return llvm::PreservedAnalyses::none();
  }
  for (llvm::Function* function : exempt) {
    LoopPlan none;
    FunctionInstrumenter(*function, hooks, sites, locals, emitter, none, false, prune, effects,
                         escape ? &*escape : nullptr, inline_checks_, profile_, labels, left_out)
        .run_atomics();
    forget_effects(*function);
  }
  const bool any_global = emit_globals(module, sites);
  locals.finish();
  if (any_global || !sites.empty()) emit_registration(module);
  sites.finish();

  if (left_ == DebugInfo::kLines) llvm::stripNonLineTableDebugInfo(module);
  if (left_ == DebugInfo::kNone) llvm::StripDebugInfo(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace norn::compiler
