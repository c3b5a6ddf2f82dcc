#include "compiler/emit/probes.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/emit/atomic_calls.h"
#include "compiler/emit/copies.h"
#include "compiler/emit/image_section.h"
#include "compiler/emit/labels.h"
#include "compiler/emit/registration.h"
#include "compiler/emit/two_loops.h"
#include "compiler/loops/waiting_loops.h"
#include "compiler/selection.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "norn/abi.h"

namespace norn::compiler {

using llvm::cast;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

namespace {

constexpr uint64_t kAlignment = 8;
constexpr unsigned kLargestFunction = 4'000;  // instructions, of one that stands twice

// Storing the pointer to a virtual table that is there already is no race, and a probe does not know what is there.
bool is_of_vptr(const llvm::Constant* site) {
  const auto* fields = cast<llvm::ConstantStruct>(cast<llvm::GlobalVariable>(site)->getInitializer());
  constexpr unsigned kKind = 8;
  const uint64_t kind = cast<llvm::ConstantInt>(fields->getOperand(kKind))->getZExtValue();
  return kind == NORN_SITE_VPTR_READ || kind == NORN_SITE_VPTR_WRITE;
}

struct AccessProbe {
  Instruction* instruction;
  unsigned operand;  // the address
  bool by_length;    // of a block whose size is known when it is done
  uint64_t site;
  uint64_t size;
  uint8_t flags;
};

// What orders threads: an atomic, a fence, or assembly that is one.
struct OrderProbe {
  Instruction* instruction;
  int operand;  // the address; -1: a fence
  norn_order order;
  bool releases;
  bool acquires;
};

class Prober final {
 public:
  Prober(llvm::Module& module, const ProbeSites& sites) : module_(module), sites_(sites) {
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* i8 = llvm::Type::getInt8Ty(context);
    type_ = llvm::StructType::get(context, {llvm::Type::getInt64Ty(context), llvm::Type::getInt32Ty(context), i8, i8,
                                            llvm::Type::getInt16Ty(context)});
    static_assert(offsetof(norn_probe, active) == 13);
  }

  // Before anything is changed. `labelled`: the function's accesses have labels.
  void collect(llvm::Function& function, bool labelled) {
    for (Instruction& instruction : llvm::instructions(function)) {
      collect_order(instruction);
      if (!labelled) continue;
      for (const Label& label : labels_of(instruction)) collect_access(instruction, label);
      instruction.setMetadata(kLabelMetadata, nullptr);
    }
  }

  void emit(const std::vector<LoopPlan>& loops) {
    for (const LoopPlan& plan : loops) emit_leaves(plan);
    for (const auto& [function, probes] : accesses_) emit_accesses(*function, probes);
    for (const OrderProbe& probe : orders_) emit_order(probe);
  }

  [[nodiscard]] bool uses_openmp() const {
    return llvm::any_of(module_, [](const llvm::Function& function) {
      return function.getName().starts_with("__kmpc_") || function.getName().starts_with("GOMP_");
    });
  }

 private:
  void collect_access(Instruction& instruction, const Label& label) {
    if ((label.flags & (kLabelCall | kLabelSpins)) != 0 || is_of_vptr(label.site)) return;
    Value* address = instruction.getOperand(label.operand);
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instruction);
    auto* block = dyn_cast<llvm::AnyMemIntrinsic>(&instruction);
    // Of lanes under a mask nobody knows here which are accessed.
    if (!address->getType()->isPointerTy() || (intrinsic != nullptr && block == nullptr)) return;
    const uint64_t site = identity_of(label.site);
    if (!sites_.all && !sites_.sites.contains(site)) return;
    const unsigned writes = (label.flags & kLabelWrites) != 0 ? NORN_PROBE_WRITES : 0;
    const unsigned atomic = (label.flags & kLabelAtomic) != 0 ? NORN_PROBE_ATOMIC : 0;
    const bool by_length = label.size == 0 && block != nullptr;
    if (!by_length && (label.size == 0 || label.size > UINT32_MAX)) return;
    accesses_[instruction.getFunction()].push_back(
        {&instruction, label.operand, by_length, site, label.size, static_cast<uint8_t>(writes | atomic)});
    if (atomic != 0 && isa<llvm::CallBase>(instruction))
      orders_.push_back({&instruction, static_cast<int>(label.operand), NORN_SEQ_CST, true, true});
  }

  void collect_order(Instruction& instruction) {
    const std::optional<AtomicFacts> facts = atomic_facts(instruction);
    if (!facts || facts->signal_scope || instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) return;
    if (facts->address == nullptr) return orders_.push_back({&instruction, -1, facts->order, false, true});
    norn_order order = facts->order;
    // The stronger of its two counts.
    if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
        exchange != nullptr && llvm::isAcquireOrStronger(exchange->getFailureOrdering())) {
      order = order == NORN_RELEASE || order == NORN_ACQ_REL || order == NORN_SEQ_CST ? NORN_ACQ_REL : NORN_ACQUIRE;
    }
    int operand = 0;
    while (instruction.getOperand(static_cast<unsigned>(operand)) != facts->address) ++operand;
    orders_.push_back(
        {&instruction, operand, order, facts->kind != NORN_SITE_ATOMIC_LOAD, facts->kind != NORN_SITE_ATOMIC_STORE});
  }

  // A byte that somebody else sets. The load is a plain one, so that it becomes part of the comparison: no pass comes
  // after this one that would take it out of a loop with a call.
  [[nodiscard]] static Value* is_set(llvm::IRBuilder<>& builder, Value* byte) {
    return builder.CreateIsNotNull(builder.CreateAlignedLoad(builder.getInt8Ty(), byte, llvm::Align(1)));
  }

  // A call before `at` that is made only if the byte is set.
  void emit_call(Instruction* at, Value* byte, llvm::StringRef hook, llvm::ArrayRef<Value*> arguments) {
    llvm::IRBuilder<> builder(at);
    llvm::MDNode* unlikely = llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights();
    Instruction* end = llvm::SplitBlockAndInsertIfThen(is_set(builder, byte), at->getIterator(), false, unlikely);
    builder.SetInsertPoint(end);
    builder.SetCurrentDebugLocation(at->getDebugLoc());
    llvm::SmallVector<llvm::Type*, 3> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    llvm::FunctionCallee callee =
        module_.getOrInsertFunction(hook, llvm::FunctionType::get(builder.getVoidTy(), types, false));
    if (auto* function = dyn_cast<llvm::Function>(callee.getCallee())) {
      function->setCallingConv(llvm::CallingConv::PreserveMost);
      function->setDoesNotThrow();
      function->addFnAttr(llvm::Attribute::Cold);
      function->addFnAttr(llvm::Attribute::NonLazyBind);
    }
    builder.CreateCall(callee, arguments)->setCallingConv(llvm::CallingConv::PreserveMost);
  }

  // The function's entries are one array, which lies in the function's comdat and goes with it. Copies of a statement
  // share one, but not those of loops that are chosen by themselves.
  //
  // Code stands twice, with and without probes, where that lets it ask less often: the loops of two_loops.h, or the
  // whole function.
  void emit_accesses(llvm::Function& function, const std::vector<AccessProbe>& probes) {
    llvm::SmallPtrSet<const Instruction*, 16> probed;
    for (const AccessProbe& probe : probes) probed.insert(probe.instruction);
    const auto has_probe = [&](const Instruction& instruction) { return probed.contains(&instruction); };
    const bool twice = function.getInstructionCount() <= kLargestFunction && !function.hasOptNone() &&
                       Copies::can_be_made(function) && is_asked_less_often(function, has_probe);
    const std::vector<TwoLoops> loops = twice ? std::vector<TwoLoops>{} : copy_loops(function, has_probe);
    const size_t groups = twice ? 1 : loops.size();
    const auto group_of = [&](const AccessProbe& probe) {
      size_t group = 0;
      while (!twice && group < groups && !loops[group].blocks.contains(probe.instruction->getParent())) ++group;
      return group;
    };
    std::vector<llvm::Constant*> entries(groups, entry(0, 0, NORN_PROBE_LOOP, 0));
    std::map<std::tuple<size_t, uint64_t, uint64_t, uint8_t>, size_t> known;
    std::vector<size_t> places;
    for (const AccessProbe& probe : probes) {
      const size_t group = group_of(probe);
      const uint64_t size = probe.by_length ? 0 : probe.size;
      const auto [place, fresh] = known.try_emplace({group, probe.site, size, probe.flags}, entries.size());
      if (fresh) {
        const size_t back = group == groups ? 0 : entries.size() - group;
        entries.push_back(entry(probe.site, size, probe.flags, back <= UINT16_MAX ? back : 0));
      }
      places.push_back(place->second);
    }
    llvm::GlobalVariable* table = new_table(function, entries);
    for (size_t i = 0; i < loops.size(); ++i) {
      llvm::IRBuilder<> builder(loops[i].choice);
      loops[i].choice->setCondition(is_set(builder, byte_of(table, i, offsetof(norn_probe, active))));
      loops[i].choice->setMetadata(llvm::LLVMContext::MD_prof,
                                   llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
    }
    if (!twice) {
      for (size_t i = 0; i < probes.size(); ++i) emit_access(probes[i], table, places[i]);
      return;
    }
    Copies copies(function, {[&](llvm::IRBuilder<>& builder, const llvm::BasicBlock& /*next*/) {
                    return is_set(builder, byte_of(table, 0, offsetof(norn_probe, active)));
                  }});
    copies.make([&](const llvm::BasicBlock& block) { return llvm::any_of(block, has_probe); });
    for (size_t i = 0; i < probes.size(); ++i) {
      AccessProbe probe = probes[i];
      probe.instruction = copies.checked(probe.instruction);
      emit_access(probe, table, places[i]);
    }
    for (llvm::BasicBlock* turn : copies.checked_turns()) count_turn(*turn, table);
    // What orders threads does so in both.
    for (size_t i = 0, count = orders_.size(); i < count; ++i) {
      OrderProbe copy = orders_[i];
      if (copy.instruction->getFunction() != &function) continue;
      copy.instruction = copies.checked(copy.instruction);
      orders_.push_back(copy);
    }
  }

  // How often code with probes may still be executed is counted where that code is, so that the other copy does not
  // pay. Without a lock: threads may count one for two.
  void count_turn(llvm::BasicBlock& turn, llvm::GlobalVariable* table) {
    llvm::IRBuilder<> builder(turn.getTerminator());
    llvm::Constant* size = byte_of(table, 0, offsetof(norn_probe, size));
    llvm::Constant* active = byte_of(table, 0, offsetof(norn_probe, active));
    Value* left = builder.CreateAlignedLoad(builder.getInt32Ty(), size, llvm::Align(4));
    left = builder.CreateSub(left, builder.CreateZExt(builder.CreateIsNotNull(left), builder.getInt32Ty()));
    builder.CreateAlignedStore(left, size, llvm::Align(4));
    Value* goes_on = builder.CreateZExt(builder.CreateIsNotNull(left), builder.getInt8Ty());
    Value* now = builder.CreateAlignedLoad(builder.getInt8Ty(), active, llvm::Align(1));
    builder.CreateAlignedStore(builder.CreateAnd(now, goes_on), active, llvm::Align(1));
  }

  llvm::GlobalVariable* new_table(llvm::Function& function, const std::vector<llvm::Constant*>& entries) {
    auto* type = llvm::ArrayType::get(type_, entries.size());
    auto* table = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::PrivateLinkage,
                                           llvm::ConstantArray::get(type, entries), "norn.probes");
    table->setExternallyInitialized(true);  // who has tasks writes it
    table->setSection("norn_probes");
    table->setAlignment(llvm::Align(kAlignment));
    if (function.hasComdat()) table->setComdat(function.getComdat());
    return table;
  }

  static llvm::Constant* byte_of(llvm::GlobalVariable* table, size_t place, size_t offset) {
    llvm::LLVMContext& context = table->getContext();
    return llvm::ConstantExpr::getInBoundsGetElementPtr(
        llvm::Type::getInt8Ty(context), table,
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), place * sizeof(norn_probe) + offset));
  }

  [[nodiscard]] llvm::Constant* entry(uint64_t site, uint64_t size, uint64_t flags, uint64_t group) const {
    const auto number = [&](unsigned field, uint64_t value) {
      return llvm::ConstantInt::get(type_->getElementType(field), value);
    };
    return llvm::ConstantStruct::get(
        type_, {number(0, site), number(1, size), number(2, flags), number(3, 0), number(4, group)});
  }

  void emit_access(const AccessProbe& probe, llvm::GlobalVariable* table, size_t place) {
    Value* address = probe.instruction->getOperand(probe.operand);
    Value* active = byte_of(table, place, offsetof(norn_probe, active));
    Value* own = byte_of(table, place, 0);
    if (!probe.by_length) return emit_call(probe.instruction, active, "__norn_probe", {address, own});
    llvm::IRBuilder<> builder(probe.instruction);
    Value* length = cast<llvm::AnyMemIntrinsic>(probe.instruction)->getLength();
    length = builder.CreateZExtOrTrunc(length, builder.getInt64Ty());
    emit_call(probe.instruction, active, "__norn_probe_range", {address, own, length});
  }

  llvm::GlobalVariable* following() {
    constexpr llvm::StringLiteral kName = "__norn_following";
    if (auto* known = module_.getGlobalVariable(kName)) return known;
    auto* variable = new llvm::GlobalVariable(module_, llvm::Type::getInt8Ty(module_.getContext()), false,
                                              llvm::GlobalValue::ExternalLinkage, nullptr, kName);
    // The executable has it: code that goes into no shared object reaches it directly.
    if (module_.getPICLevel() == llvm::PICLevel::NotPIC || module_.getPIELevel() != llvm::PIELevel::Default)
      variable->setDSOLocal(true);
    return variable;
  }

  void emit_order(const OrderProbe& probe) {
    llvm::Type* i32 = llvm::Type::getInt32Ty(module_.getContext());
    Value* order = llvm::ConstantInt::get(i32, probe.order);
    if (probe.operand < 0) return emit_call(probe.instruction, following(), "__norn_probe_fence", {order});
    Value* address = probe.instruction->getOperand(static_cast<unsigned>(probe.operand));
    Instruction* after = probe.instruction->isTerminator() ? nullptr : probe.instruction->getNextNode();
    if (probe.releases) emit_call(probe.instruction, following(), "__norn_probe_release", {address, order});
    if (probe.acquires && after != nullptr) emit_call(after, following(), "__norn_probe_acquire", {address, order});
  }

  void emit_leaves(const LoopPlan& plan) {
    LeftBlocks blocks = split_leaves(plan);
    std::set<llvm::BasicBlock*> done;
    for (const LoopPlan::Leave& leave : plan.leaves) {
      llvm::BasicBlock* block = blocks[{leave.from, leave.to}];
      if (block == nullptr || leave.wait != nullptr || !done.insert(block).second) continue;
      emit_call(block->getTerminator(), following(), "__norn_probe_waited", {});
    }
  }

  llvm::Module& module_;
  const ProbeSites& sites_;
  llvm::StructType* type_;
  llvm::MapVector<llvm::Function*, std::vector<AccessProbe>> accesses_;
  std::vector<OrderProbe> orders_;
};

// Of the sites only identities were wanted.
void drop_tables(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> tables;
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.getSection() == "norn_sites" || global.getSection() == "norn_loops") tables.push_back(&global);
  }
  for (llvm::GlobalVariable* table : tables) {
    if (table->hasInitializer()) table->setInitializer(nullptr);
  }
  for (llvm::GlobalVariable* table : tables) {
    assert(table->use_empty());
    table->eraseFromParent();
  }
  for (llvm::GlobalVariable& global : llvm::make_early_inc_range(module.globals())) {
    global.removeDeadConstantUsers();
    const bool is_ours = global.getName().starts_with("norn.") && global.hasPrivateLinkage();
    if (is_ours && global.use_empty() && global.getSection() != "norn_probes") global.eraseFromParent();
  }
}

// Of a list that a user gave: one line, and no stack of the compiler's.
[[noreturn]] void refuse_list(llvm::StringRef name, const llvm::Twine& why) {
  llvm::report_fatal_error("norn: list of probes " + name + ": " + why, /*gen_crash_diag=*/false);
}

}  // namespace

ProbeSites ProbeSites::of(llvm::StringRef name) {
  ProbeSites sites;
  sites.all = name == "all";
  if (sites.all || name.empty()) return sites;
  auto file = llvm::MemoryBuffer::getFile(name, true);
  if (!file) refuse_list(name, file.getError().message());
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, false);
  for (const llvm::StringRef line : lines) {
    uint64_t site = 0;
    if (line.trim().getAsInteger(16, site)) refuse_list(name, "no identity of a site: " + line);
    sites.sites.insert(site);
  }
  return sites;
}

llvm::PreservedAnalyses ProbePass::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  if (!is_supported(module) || module.getNamedMetadata(kInstrumentedMark) != nullptr)
    return llvm::PreservedAnalyses::all();
  std::vector<llvm::Function*> marked, exempt;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    if (function.hasFnAttribute(llvm::Attribute::SanitizeThread)) marked.push_back(&function);
    if (function.hasFnAttribute(kOnlyAtomics)) exempt.push_back(&function);
  }
  CallSummaries summaries;
  LoopFinder finder(summaries);
  std::vector<LoopPlan> loops;
  loops.reserve(marked.size());
  for (llvm::Function* function : marked) loops.push_back(finder.find(*function));
  LabelPass().run(module, analyses);
  Prober prober(module, sites_);
  for (llvm::Function* function : marked) prober.collect(*function, true);
  for (llvm::Function* function : exempt) prober.collect(*function, false);
  drop_tables(module);
  prober.emit(loops);
  emit_probe_registration(module, prober.uses_openmp() ? NORN_PROBES_OPENMP : 0);
  PlainPass(left_).run(module, analyses);
  return llvm::PreservedAnalyses::none();
}

}  // namespace norn::compiler
