#include "compiler/naming/statements.h"

#include "compiler/emit/atomic_calls.h"
#include "compiler/naming/expression.h"
#include "compiler/naming/names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

namespace norn::compiler {
namespace {

using llvm::dyn_cast;

constexpr llvm::StringLiteral kMetadata = "norn.statements";
constexpr char kCall = 'c';

// Kinds that the optimiser turns into each other are one class: a copied struct may become a load and a store.
char class_of(norn_site_kind kind) {
  switch (kind) {
    case NORN_SITE_READ:
    case NORN_SITE_VPTR_READ:
    case NORN_SITE_RANGE_READ:
      return 'r';
    case NORN_SITE_WRITE:
    case NORN_SITE_VPTR_WRITE:
    case NORN_SITE_RANGE_WRITE:
      return 'w';
    case NORN_SITE_ATOMIC_LOAD:
      return 'l';
    case NORN_SITE_ATOMIC_STORE:
      return 's';
    case NORN_SITE_ATOMIC_RMW:
    case NORN_SITE_ATOMIC_CAS:
      return 'u';
    case NORN_SITE_FENCE:
      return 'f';
    case NORN_SITE_CALL:
      return kCall;
  }
  return '?';
}

class FunctionNoter final {
 public:
  using Lines = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

  FunctionNoter(llvm::Function& function, Lines& lines)
      : function_(function), lines_(lines), layout_(function.getParent()->getDataLayout()), namer_(function) {}

  void run() {
    for (llvm::Instruction& instruction : llvm::instructions(function_)) note(instruction);
  }

 private:
  void note(llvm::Instruction& instruction) {
    if (const std::optional<AtomicFacts> facts = atomic_facts(instruction)) {
      add(instruction, facts->kind, facts->address, facts->size, true);
    } else if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      add(instruction, NORN_SITE_READ, load->getPointerOperand(), size_of(load->getType()), true);
    } else if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
      add(instruction, NORN_SITE_WRITE, store->getPointerOperand(), size_of(store->getValueOperand()->getType()), true);
    } else if (const auto* block = dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
      const auto* length = dyn_cast<llvm::ConstantInt>(block->getLength());
      const uint64_t size = length == nullptr ? 0 : length->getZExtValue();
      add(instruction, NORN_SITE_RANGE_WRITE, block->getRawDest(), size, false);
      if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(block)) {
        add(instruction, NORN_SITE_RANGE_READ, copy->getRawSource(), size, false);
      }
    } else if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) {
      add(instruction, NORN_SITE_CALL, nullptr, 0, false);
    }
  }

  void add(const llvm::Instruction& instruction, norn_site_kind kind, const llvm::Value* address, uint64_t size,
           bool scalar) {
    const llvm::DebugLoc& at = instruction.getDebugLoc();
    if (!at || at.getLine() == 0 || (address != nullptr && is_private(address))) return;
    const std::string expression = address == nullptr ? "" : namer_.name(address, size, scalar, at);
    const std::string file = llvm::sys::path::filename(at->getFilename()).str();
    std::string line(1, class_of(kind));
    line += " " + std::to_string(at.getLine()) + " " + std::to_string(at.getCol()) + " " + expression;
    lines_[{file, function_name(at->getScope()->getSubprogram())}].insert(std::move(line));
  }

  // Most of what a function accesses before it is optimised are variables of its own.
  bool is_private(const llvm::Value* address) {
    const auto* slot = dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
    if (slot == nullptr) return false;
    const auto [known, fresh] = private_.try_emplace(slot, false);
    if (fresh) known->second = !llvm::PointerMayBeCaptured(slot, true, true);
    return known->second;
  }

  [[nodiscard]] uint64_t size_of(llvm::Type* type) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    return size.isScalable() ? 0 : size.getFixedValue();
  }

  llvm::Function& function_;
  Lines& lines_;
  const llvm::DataLayout& layout_;
  ExpressionNamer namer_;
  llvm::DenseMap<const llvm::AllocaInst*, bool> private_;
};

}  // namespace

llvm::PreservedAnalyses StatementsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (module.getNamedMetadata(kMetadata) != nullptr) return llvm::PreservedAnalyses::all();
  FunctionNoter::Lines lines;
  for (llvm::Function& function : module) {
    const bool marked = function.hasFnAttribute(llvm::Attribute::SanitizeThread) && !function.isDeclaration();
    if (marked && function.getSubprogram() != nullptr) FunctionNoter(function, lines).run();
  }
  if (lines.empty()) return llvm::PreservedAnalyses::all();
  llvm::LLVMContext& context = module.getContext();
  llvm::NamedMDNode* noted = module.getOrInsertNamedMetadata(kMetadata);
  for (const auto& [function, statements] : lines) {
    std::string text;
    for (const std::string& statement : statements) text += statement + "\n";
    noted->addOperand(llvm::MDTuple::get(
        context, {llvm::MDString::get(context, function.first), llvm::MDString::get(context, function.second),
                  llvm::MDString::get(context, text)}));
  }
  return llvm::PreservedAnalyses::all();
}

Statements::Statements(llvm::Module& module) {
  llvm::NamedMDNode* noted = module.getNamedMetadata(kMetadata);
  if (noted == nullptr) return;
  for (const llvm::MDNode* node : noted->operands()) {
    const auto text = [&](unsigned i) { return llvm::cast<llvm::MDString>(node->getOperand(i))->getString(); };
    Function& function = functions_[{text(0).str(), text(1).str()}];
    llvm::SmallVector<llvm::StringRef, 16> lines;
    text(2).split(lines, '\n', -1, false);
    for (const llvm::StringRef line : lines) {
      const char kind = line[0];
      const auto [row, rest] = line.drop_front(2).split(' ');
      const auto [column, expression] = rest.split(' ');
      Position position;
      if (row.getAsInteger(10, position.first) || column.getAsInteger(10, position.second)) continue;
      std::vector<std::string>& known = function.at[{position, kind}];
      if (!llvm::is_contained(known, expression)) known.push_back(expression.str());
      function.alike[{kind, expression.str()}].insert(position);
    }
  }
  module.eraseNamedMetadata(noted);
}

std::optional<Statements::Known> Statements::find(const SourceLocation& location, norn_site_kind kind,
                                                  llvm::StringRef expression) const {
  const auto function = functions_.find({location.file, location.function});
  if (function == functions_.end()) return std::nullopt;
  const auto& [at, alike] = function->second;
  const Position position{location.line, location.column};
  const auto known = [&](char of, const std::string& words) {
    const std::set<Position>& among = alike.find({of, words})->second;
    const auto here = among.find(position);
    const auto ordinal = here == among.end() ? 0 : static_cast<size_t>(std::distance(among.begin(), here));
    return Known{std::string(1, of) + " " + words, ordinal};
  };
  const char wanted = class_of(kind);
  if (const auto found = at.find({position, wanted}); found != at.end()) {
    const bool is_there = llvm::is_contained(found->second, expression);
    return known(wanted, is_there ? expression.str() : found->second.front());
  }
  // A call that the optimiser knows, and does itself.
  if (at.contains({position, kCall})) return known(kCall, "");
  // Whatever was moved to another's position is known if there is but one of its kind.
  if (const auto found = alike.find({wanted, expression.str()}); found != alike.end() && found->second.size() == 1) {
    return known(wanted, expression.str());
  }
  return std::nullopt;
}

}  // namespace norn::compiler
