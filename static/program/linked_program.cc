#include "static/program/linked_program.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "compiler/emit/labels.h"
#include "compiler/naming/expression.h"
#include "compiler/naming/names.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "norn/site.h"
#include "static/points_to/virtual_tables.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr llvm::StringLiteral kSites = "norn.site.numbers";
constexpr llvm::StringLiteral kName = "norn.name";

// How large a function may be to be inlined wherever it is called, in instructions, and what it may become of.
constexpr size_t kSmall = 40;
constexpr size_t kSmallWithLocks = 150;
constexpr size_t kLargestCaller = 6000;
// A loop with more turns creates threads that are not told apart.
constexpr unsigned kMostTurns = 8;
// How many instructions may be copied so that threads have functions of their own.
constexpr size_t kMostCopied = 30'000;

std::string text_of(const llvm::Constant* constant) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(constant->stripPointerCasts());
  if (global == nullptr || !global->hasInitializer()) return {};
  const auto* bytes = dyn_cast<llvm::ConstantDataSequential>(global->getInitializer());
  return bytes != nullptr && bytes->isString() ? bytes->getAsCString().str() : std::string();
}

}  // namespace

Program::Program() = default;
Program::~Program() = default;

std::string Program::name_of(const llvm::GlobalVariable& global) {
  if (const llvm::MDNode* node = global.getMetadata(kName))
    return cast<llvm::MDString>(node->getOperand(0))->getString().str();
  return global.getName().str();
}

Declaration Program::declaration_of(const llvm::GlobalVariable& global) {
  const llvm::MDNode* node = global.getMetadata(kName);
  if (node == nullptr) return {};
  const auto text = [&](unsigned i) { return cast<llvm::MDString>(node->getOperand(i))->getString(); };
  Declaration place{text(1).str(), text(2).str()};
  if (text(3).getAsInteger(10, place.line)) place.line = 0;
  return place;
}

size_t Program::instructions() const { return module_->getInstructionCount(); }

std::vector<SiteUse> Program::uses(const llvm::Instruction& instruction) {
  std::vector<SiteUse> uses;
  const llvm::MDNode* all = instruction.getMetadata(kSites);
  if (all == nullptr) return uses;
  for (const llvm::MDOperand& entry : all->operands()) {
    const auto* node = cast<llvm::MDTuple>(entry.get());
    const auto number = [&](unsigned i) {
      return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(i))->getZExtValue();
    };
    SiteUse use{static_cast<unsigned>(number(0)), static_cast<unsigned>(number(1)), number(2),
                static_cast<uint32_t>(number(3))};
    for (unsigned i = 4; i < node->getNumOperands(); ++i) use.calls.push_back(static_cast<unsigned>(number(i)));
    uses.push_back(std::move(use));
  }
  return uses;
}

bool Program::extend_identity(uint64_t& identity, unsigned site, unsigned& own) const {
  for (int at = static_cast<int>(site); at >= 0; at = sites_[static_cast<size_t>(at)].inlined_at) {
    identity = hash_next(identity, sites_[static_cast<size_t>(at)].id);
    identity ^= identity >> 32;
    if (!sites_[static_cast<size_t>(at)].library) return own = static_cast<unsigned>(at), true;
  }
  return false;
}

// A copy of library code belongs to the call that it is inlined at.
void Program::extend_labels(llvm::Instruction& instruction, unsigned call) const {
  const llvm::MDNode* all = instruction.getMetadata(kSites);
  const std::vector<SiteUse> uses = Program::uses(instruction);
  llvm::LLVMContext& context = instruction.getContext();
  llvm::SmallVector<llvm::Metadata*, 2> extended;
  for (size_t i = 0; i < uses.size(); ++i) {
    uint64_t identity = 0;
    unsigned own = 0;
    bool whole = extend_identity(identity, uses[i].site, own);
    for (const unsigned known : uses[i].calls) whole = whole || extend_identity(identity, known, own);
    const auto* node = cast<llvm::MDTuple>(all->getOperand(static_cast<unsigned>(i)).get());
    llvm::SmallVector<llvm::Metadata*, 8> operands(node->op_begin(), node->op_end());
    if (!whole) {
      operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), call)));
    }
    extended.push_back(llvm::MDTuple::get(context, operands));
  }
  instruction.setMetadata(kSites, llvm::MDTuple::get(context, extended));
}

// The sites become numbers: what the module says of them would have to go through the link, and into every copy.
void Program::take_labels(llvm::Module& module) {
  std::map<const llvm::Constant*, unsigned> numbers;
  const auto number_of = [&](const llvm::Constant* constant, auto&& again) -> int {
    const auto* global = dyn_cast<llvm::GlobalVariable>(constant->stripPointerCasts());
    if (global == nullptr || !global->hasInitializer()) return -1;
    const auto [known, fresh] = numbers.try_emplace(global, 0);
    if (!fresh) return static_cast<int>(known->second);
    const auto* fields = cast<llvm::ConstantStruct>(global->getInitializer());
    const auto number = [&](unsigned i) { return cast<llvm::ConstantInt>(fields->getOperand(i))->getZExtValue(); };
    Site site;
    site.file = text_of(fields->getOperand(0));
    site.directory = text_of(fields->getOperand(1));
    site.function = text_of(fields->getOperand(2));
    site.expression = text_of(fields->getOperand(3));
    if (!fields->getOperand(4)->isNullValue()) site.inlined_at = again(fields->getOperand(4), again);
    site.line = static_cast<uint32_t>(number(5));
    site.column = static_cast<uint32_t>(number(6));
    site.id = number(7);
    site.kind = static_cast<uint8_t>(number(8));
    site.library = (number(11) & NORN_SITE_LIBRARY) != 0;
    sites_.push_back(std::move(site));
    numbers[global] = static_cast<unsigned>(sites_.size() - 1);
    return static_cast<int>(sites_.size() - 1);
  };
  llvm::Type* word = llvm::Type::getInt64Ty(context_);
  const auto metadata = [&](uint64_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, value));
  };
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const std::vector<compiler::Label> labels = compiler::labels_of(instruction);
      if (labels.empty()) continue;
      llvm::SmallVector<llvm::Metadata*, 2> all;
      for (const compiler::Label& label : labels) {
        const int site = number_of(label.site, number_of);
        if (site < 0) continue;
        all.push_back(llvm::MDTuple::get(context_, {metadata(static_cast<uint64_t>(site)), metadata(label.operand),
                                                    metadata(label.size), metadata(label.flags)}));
      }
      instruction.setMetadata(compiler::kLabelMetadata, nullptr);
      instruction.setMetadata(kSites, llvm::MDTuple::get(context_, all));
    }
  }
}

bool Program::add_module(std::unique_ptr<llvm::Module> module, bool is_library, std::string& error) {
  llvm::ModuleAnalysisManager none;
  compiler::LabelPass().run(*module, none);
  take_labels(*module);
  for (llvm::GlobalVariable& global : llvm::make_early_inc_range(module->globals())) {
    if (global.getName().starts_with("norn.") && global.hasPrivateLinkage()) {
      if (global.use_empty()) global.eraseFromParent();
      continue;
    }
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    global.getDebugInfo(described);
    if (described.empty()) continue;
    const llvm::DIGlobalVariable* variable = described.front()->getVariable();
    const std::string name = compiler::global_name(variable);
    const auto text = [&](llvm::StringRef words) { return llvm::MDString::get(context_, words); };
    if (!name.empty())
      global.setMetadata(kName, llvm::MDTuple::get(context_, {text(name), text(variable->getFilename()),
                                                              text(variable->getDirectory()),
                                                              text(std::to_string(variable->getLine()))}));
  }
  llvm::stripNonLineTableDebugInfo(*module);
  module->setModuleInlineAsm("");
  if (module_ == nullptr) {
    module_ = std::move(module);
    return true;
  }
  // What the program defines goes before what a library does; what a linker was told to take twice is taken once.
  for (llvm::GlobalObject& object : module->global_objects()) {
    const llvm::GlobalValue* first = module_->getNamedValue(object.getName());
    if (object.isDeclaration() || object.hasLocalLinkage() || first == nullptr || first->isDeclaration()) continue;
    if (object.isWeakForLinker() || (!is_library && first->isWeakForLinker())) continue;
    object.setComdat(nullptr);
    object.setLinkage(llvm::GlobalValue::WeakAnyLinkage);
  }
  const std::string source = module->getSourceFileName();
  if (llvm::Linker::linkModules(*module_, std::move(module))) {
    error = "module " + source + " does not go with the others: build the program again, all of it";
    return false;
  }
  return true;
}

bool Program::load(const std::vector<const image::ProgramImage*>& files, std::string& error) {
  context_.setDiscardValueNames(true);
  context_.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {});
  for (const image::ProgramImage* file : files) {
    for (const image::Record& record : file->modules) {
      const std::string_view bitcode = record.value("bitcode");
      const llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode.data(), bitcode.size()), "module");
      llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(buffer, context_);
      if (!module) {
        llvm::consumeError(module.takeError());
        error = file->path + ": module " + std::string(record.value("source")) +
                " is not bitcode that this norn reads (LLVM 19): build the program again";
        return false;
      }
      if (!add_module(std::move(*module), file != files.front(), error)) {
        error.insert(0, file->path + ": ");
        return false;
      }
    }
  }
  if (module_ == nullptr) {
    error = files.front()->path + " has no image: build it with norn-cc or norn-c++";
    return false;
  }
  return true;
}

bool Program::load_text(const std::string& text, std::string& error) {
  llvm::SMDiagnostic diagnostic;
  module_ = llvm::parseAssemblyString(text, diagnostic, context_);
  if (module_ == nullptr) error = diagnostic.getMessage().str();
  return module_ != nullptr;
}

namespace {

bool has_locks(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    return callee != nullptr && callee->isDeclaration() && is_worth_inlining(callee->getName());
  });
}

// What its caller stands for.
bool is_library(const llvm::Function& function) {
  return function.getSubprogram() != nullptr && compiler::is_library_function(function.getSubprogram());
}

// A function in whose place its body may stand.
bool may_be_inlined(const llvm::Function& function) {
  return !function.isDeclaration() && !function.isVarArg() && !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.hasFnAttribute(llvm::Attribute::ReturnsTwice);
}

void make_plain(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (const auto attribute : {llvm::Attribute::OptimizeNone, llvm::Attribute::NoInline}) {
      function.removeFnAttr(attribute);
    }
    if (!function.isDeclaration() && function.getName() != "main") {
      function.setComdat(nullptr);
      if (!function.hasLocalLinkage()) function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* call = dyn_cast<llvm::CallBase>(&instruction)) call->removeFnAttr(llvm::Attribute::NoInline);
    }
  }
}

// Variables that a labelled copy of a block reads or writes stay as they are: taken to pieces, the copy would become
// other instructions, and lose its label. Each is given to a function that nobody knows.
llvm::Function* keep_copied(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context)}, false);
  llvm::Function* keeper = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "norn.keep", module);
  llvm::SmallPtrSet<llvm::AllocaInst*, 16> kept;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(&instruction);
      if (copy == nullptr || !instruction.hasMetadata(kSites)) continue;
      for (llvm::Value* end : {copy->getRawDest(), copy->getRawSource()}) {
        if (auto* slot = dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(end))) kept.insert(slot);
      }
    }
  }
  for (llvm::AllocaInst* slot : kept) llvm::CallInst::Create(type, keeper, {slot}, "", std::next(slot->getIterator()));
  return keeper;
}

// What LLVM's passes ask for.
struct LlvmAnalyses {
  LlvmAnalyses() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

void promote(llvm::Module& module) {
  LlvmAnalyses analyses;
  llvm::GlobalDCEPass().run(module, analyses.modules);  // before there is a function that nobody calls
  llvm::Function* keeper = keep_copied(module);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::InferFunctionAttrsPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)));
  passes.run(module, analyses.modules);
  for (llvm::User* call : llvm::make_early_inc_range(keeper->users())) cast<llvm::Instruction>(call)->eraseFromParent();
  keeper->eraseFromParent();
}

}  // namespace

void Program::inline_small() {
  // Inlined where exceptions are caught, calls become others, which keep attributes, but no labels.
  std::vector<llvm::MDNode*> kept;
  constexpr llvm::StringLiteral kKept = "norn.kept";
  llvm::DenseSet<const llvm::Function*> has_kept;
  const auto keep_labels = [&](llvm::Function& function) {
    if (!has_kept.insert(&function).second) return;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->doesNotThrow() || !call->hasMetadata(kSites)) continue;
      call->removeFnAttr(kKept);
      call->addFnAttr(llvm::Attribute::get(call->getContext(), kKept, std::to_string(kept.size())));
      kept.push_back(call->getMetadata(kSites));
    }
  };
  const auto give_back_labels = [&](llvm::Instruction& instruction) {
    auto* call = dyn_cast<llvm::InvokeInst>(&instruction);
    if (call == nullptr || call->hasMetadata(kSites) || !call->getAttributes().hasFnAttr(kKept)) return;
    size_t number = 0;
    if (!call->getAttributes().getFnAttr(kKept).getValueAsString().getAsInteger(10, number))
      call->setMetadata(kSites, kept[number]);
  };
  llvm::CallGraph graph(*module_);
  std::map<const llvm::Function*, size_t> sizes;
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component) {
    const bool recursive = component.hasCycle();
    for (llvm::CallGraphNode* node : *component) {
      llvm::Function* function = node->getFunction();
      if (function == nullptr || function->isDeclaration()) continue;
      size_t size = function->getInstructionCount();
      llvm::SmallVector<llvm::CallBase*, 16> calls;
      for (llvm::Instruction& instruction : llvm::instructions(*function)) {
        auto* call = dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr || isa<llvm::IntrinsicInst>(call)) continue;
        const llvm::Function* callee = call->getCalledFunction();
        if (callee == nullptr || callee == function || !may_be_inlined(*callee)) continue;
        if (const auto known = sizes.find(callee); known != sizes.end() && known->second != 0) calls.push_back(call);
      }
      llvm::DenseSet<const llvm::Instruction*> labelled;
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        if (!calls.empty() && instruction.hasMetadata(kSites)) labelled.insert(&instruction);
      }
      for (llvm::CallBase* call : calls) {
        const size_t callee = sizes[call->getCalledFunction()];
        if (size + callee > kLargestCaller) continue;
        int site = -1;
        for (const SiteUse& use : Program::uses(*call)) {
          if ((use.flags & compiler::kLabelCall) != 0) site = static_cast<int>(use.site);
        }
        if (isa<llvm::InvokeInst>(call)) keep_labels(*call->getCalledFunction());
        llvm::BasicBlock* block = call->getParent();
        const size_t blocks = call->getCalledFunction()->size();
        llvm::InlineFunctionInfo info;
        if (!llvm::InlineFunction(*call, info).isSuccess()) continue;
        size += callee;
        // The copies stand in the call's block and in those behind it.
        size_t left = blocks + 1;
        for (auto at = block->getIterator(); at != function->end() && left > 0; ++at, --left) {
          for (llvm::Instruction& instruction : *at) {
            give_back_labels(instruction);
            if (!instruction.hasMetadata(kSites) || !labelled.insert(&instruction).second) continue;
            if (site >= 0) extend_labels(instruction, static_cast<unsigned>(site));
          }
        }
      }
      const size_t now = function->getInstructionCount();
      const bool small = now <= kSmall || (now <= kSmallWithLocks && (has_locks(*function) || is_library(*function)));
      sizes[function] = !recursive && small ? now : 0;
    }
  }
}

namespace {

// Loops that create or join a few threads, as many as is known, become these creations, one after the other: then each
// thread is told apart, with what it is given. `for (i = 0; i < 2; i++) pthread_create(…, &parts[i])`
void unroll_creations(llvm::Module& module) {
  LlvmAnalyses analyses;
  llvm::LLVMContext& context = module.getContext();
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(2, true)));
  passes.addPass(llvm::SCCPPass());  // what depends on the number of the turn: `i == 0 ? reader : writer`
  for (llvm::Function& function : module) {
    const auto is_about_threads = [](const llvm::Instruction& instruction) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      return callee != nullptr && (callee->getName() == kFork || callee->getName() == kJoin);
    };
    if (!llvm::any_of(llvm::instructions(function), is_about_threads)) continue;
    bool any = false;
    auto& evolution = analyses.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : analyses.functions.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      const bool wanted = loop->isInnermost() && llvm::any_of(loop->blocks(), [&](const llvm::BasicBlock* block) {
                            return llvm::any_of(*block, is_about_threads);
                          });
      const unsigned turns = wanted ? evolution.getSmallConstantTripCount(loop) : 0;
      if (turns == 0 || turns > kMostTurns) continue;
      llvm::Metadata* full = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.full"));
      llvm::MDNode* id = llvm::MDNode::getDistinct(context, {nullptr, full});
      id->replaceOperandWith(0, id);
      loop->setLoopID(id);
      any = true;
    }
    if (!any) continue;
    passes.run(function, analyses.functions);
    analyses.functions.clear();
  }
}

// What std::thread runs is a virtual function of a state that it made: the one of the table that was stored there.
const llvm::Function* stored_function(const llvm::CallBase& fork) {
  const llvm::Value* state = fork.getArgOperand(1)->stripPointerCasts();
  const auto* slot = dyn_cast<llvm::LoadInst>(fork.getArgOperand(0));
  if (slot == nullptr) return nullptr;
  llvm::APInt bytes(64, 0);
  const auto* table = dyn_cast<llvm::LoadInst>(
      slot->getPointerOperand()->stripAndAccumulateConstantOffsets(fork.getDataLayout(), bytes, true));
  if (table == nullptr || table->getPointerOperand()->stripPointerCasts() != state) return nullptr;
  const llvm::DenseSet<const llvm::StoreInst*> passing = passing_tables(*fork.getFunction());
  const llvm::Function* found = nullptr;
  for (const llvm::User* user : state->users()) {
    const auto* store = dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != state || passing.contains(store)) continue;
    llvm::APInt offset = bytes;
    auto* stored = dyn_cast<llvm::GlobalVariable>(
        store->getValueOperand()->stripAndAccumulateConstantOffsets(fork.getDataLayout(), offset, true));
    if (found != nullptr || stored == nullptr || !stored->isConstant() || !stored->hasInitializer()) return nullptr;
    llvm::Constant* function = llvm::ConstantFoldLoadFromConst(const_cast<llvm::Constant*>(stored->getInitializer()),
                                                               slot->getType(), offset, fork.getDataLayout());
    found = function == nullptr ? nullptr : dyn_cast<llvm::Function>(function->stripPointerCasts());
    if (found == nullptr) return nullptr;
  }
  return found;
}

// Copies a function with all that it calls by name, as long as there is room.
llvm::Function* copy_with_callees(llvm::Function& root, size_t& room) {
  std::map<const llvm::Function*, llvm::Function*> copies;
  std::vector<llvm::Function*> open;
  const auto copy = [&](llvm::Function& function) -> llvm::Function* {
    const auto known = copies.find(&function);
    if (known != copies.end()) return known->second;
    const size_t size = function.getInstructionCount();
    if (function.isDeclaration() || !may_be_inlined(function) || size > room) return &function;
    room -= size;
    llvm::ValueToValueMapTy map;
    llvm::Function* copied = llvm::CloneFunction(&function, map);
    copied->setLinkage(llvm::GlobalValue::InternalLinkage);
    copies[&function] = copied;
    open.push_back(copied);
    return copied;
  };
  llvm::Function* result = copy(root);
  while (!open.empty()) {
    llvm::Function* function = open.back();
    open.pop_back();
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* call = dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && !callee->isDeclaration()) call->setCalledFunction(copy(*callee));
    }
  }
  return result;
}

// What a thread runs is its own: a function that a creation begins with is copied for it, with what that calls by name,
// and with what it is given if that is a constant. So what one thread does by a function that another calls, too, is
// not taken for what the other does.
void split_thread_roots(llvm::Module& module) {
  const llvm::Function* fork = module.getFunction(kFork);
  if (fork == nullptr) return;
  size_t room = kMostCopied;
  for (const llvm::Use& use : fork->uses()) {
    auto* call = dyn_cast<llvm::CallBase>(use.getUser());
    if (call == nullptr || !call->isCallee(&use)) continue;
    auto* root = dyn_cast<llvm::Function>(call->getArgOperand(0)->stripPointerCasts());
    if (root == nullptr) root = const_cast<llvm::Function*>(stored_function(*call));
    if (root == nullptr || root->isDeclaration()) continue;
    llvm::Function* copied = copy_with_callees(*root, room);
    if (copied == root) continue;
    call->setArgOperand(0, copied);
    auto* given = dyn_cast<llvm::Constant>(call->getArgOperand(1));
    if (given != nullptr && copied->arg_size() > 0 && copied->getArg(0)->getType() == given->getType())
      copied->getArg(0)->replaceAllUsesWith(given);
  }
}

// What follows from what each thread is given, and from there being threads at all. Of an argument that is a number the
// places in arrays become known; and libstdc++ counts without atomics only while there is one thread.
void fold_what_is_known(llvm::Module& module) {
  if (llvm::GlobalVariable* alone = module.getGlobalVariable("__libc_single_threaded", true)) {
    for (llvm::User* user : llvm::make_early_inc_range(alone->users())) {
      auto* load = dyn_cast<llvm::LoadInst>(user);
      if (load == nullptr) continue;
      load->replaceAllUsesWith(llvm::Constant::getNullValue(load->getType()));
      load->eraseFromParent();
    }
  }
  LlvmAnalyses analyses;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SCCPPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, analyses.functions);
  }
}

// A std::function has a manager, which is called with what it is to do: never with "where is what you call", unless the
// program asks for target(). What it would do then keeps the address of one std::function in another.
void drop_unasked_operations(llvm::Module& module) {
  constexpr llvm::StringLiteral kManager = "10_M_managerERSt9_Any_dataRKS";
  std::set<const llvm::FunctionType*> types;
  std::vector<llvm::Function*> managers;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !function.getName().contains(kManager) || function.arg_size() != 3) continue;
    managers.push_back(&function);
    types.insert(function.getFunctionType());
  }
  if (managers.empty()) return;
  std::set<uint64_t> asked;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || !types.contains(call->getFunctionType())) continue;
      const auto* operation = dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
      if (operation == nullptr) {
        // A manager passes on what it was asked itself.
        if (!function.getName().contains("10_M_manager")) return;
      } else {
        asked.insert(operation->getZExtValue());
      }
    }
  }
  for (llvm::Function* manager : managers) {
    for (llvm::Instruction& instruction : llvm::instructions(*manager)) {
      auto* choice = dyn_cast<llvm::SwitchInst>(&instruction);
      if (choice == nullptr || choice->getCondition() != manager->getArg(2)) continue;
      for (auto each = choice->case_begin(); each != choice->case_end();) {
        if (asked.contains(each->getCaseValue()->getZExtValue())) {
          ++each;
        } else {
          each->getCaseSuccessor()->removePredecessor(choice->getParent());
          each = choice->removeCase(each);
        }
      }
    }
    llvm::removeUnreachableBlocks(*manager);
  }
}

// Which arguments a function keeps is told by its attributes (publication.h).
void find_kept_arguments(llvm::Module& module) {
  LlvmAnalyses analyses;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::PostOrderFunctionAttrsPass()));
  passes.run(module, analyses.modules);
}

}  // namespace

void Program::prepare() {
  make_plain(*module_);
  link_models(*module_);
  promote(*module_);
  inline_small();
  promote(*module_);
  unroll_creations(*module_);
  split_thread_roots(*module_);
  promote(*module_);
  fold_what_is_known(*module_);
  drop_unasked_operations(*module_);
  find_kept_arguments(*module_);
}

}  // namespace norn::statics
