#include "compiler/whole_program.h"

#include <cstdlib>

#include "compiler/emit/hook_calls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace norn::compiler {
namespace {

constexpr llvm::StringLiteral kDeferredMark = "norn.deferred";  // {debug information to leave, rules, profile}

}  // namespace

llvm::PreservedAnalyses DeferPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!is_supported(module) || module.getNamedMetadata(kInstrumentedMark) != nullptr)
    return llvm::PreservedAnalyses::all();
  llvm::LLVMContext& context = module.getContext();
  auto* left = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<uint64_t>(left_));
  auto* profile = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<uint64_t>(profile_));
  module.getOrInsertNamedMetadata(kDeferredMark)
      ->addOperand(
          llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(left), llvm::MDString::get(context, prune_),
                                      llvm::ConstantAsMetadata::get(profile)}));
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses LinkPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  llvm::NamedMDNode* notes = module.getNamedMetadata(kDeferredMark);
  if (notes == nullptr || notes->getNumOperands() == 0) return llvm::PreservedAnalyses::all();
  if (module.getNamedMetadata(kInstrumentedMark) != nullptr) {
    llvm::errs() << "norn: some of the bitcode was compiled with -fnorn-whole-program and some without: compile all of "
                    "it the same way\n";
    std::exit(1);
  }
  // Most debug information that any file wanted; the rules of the first; all is checked if any file is to be.
  auto left = DebugInfo::kNone;
  auto profile = Profile::kTrace;
  const auto number = [](const llvm::MDNode* note, unsigned operand) {
    return llvm::mdconst::extract<llvm::ConstantInt>(note->getOperand(operand))->getZExtValue();
  };
  for (const llvm::MDNode* note : notes->operands()) {
    left = std::min(left, static_cast<DebugInfo>(number(note, 0)));
    profile = std::min(profile, static_cast<Profile>(number(note, 2)));
  }
  const llvm::StringRef rules = llvm::cast<llvm::MDString>(notes->getOperand(0)->getOperand(1))->getString();
  std::vector<std::string> names;
  for (const llvm::StringRef name : llvm::split(rules, ',')) {
    if (!name.empty()) names.push_back(name.str());
  }
  module.eraseNamedMetadata(notes);
  return InstrumentPass(left, Pruning::of(names), true, profile, true).run(module, analyses);
}

}  // namespace norn::compiler
