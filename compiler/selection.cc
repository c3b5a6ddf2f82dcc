#include "compiler/selection.h"

#include <memory>

#include "compiler/emit/hook_calls.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Assumptions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SpecialCaseList.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace norn::compiler {
namespace {

bool listed(const llvm::SpecialCaseList& skip, llvm::StringRef prefix, llvm::StringRef query) {
  return !query.empty() && (skip.inSection("thread", prefix, query) || skip.inSection("norn", prefix, query));
}

bool skipped(const llvm::SpecialCaseList& skip, const llvm::Function& function) {
  if (listed(skip, "fun", function.getName()) || listed(skip, "src", function.getParent()->getSourceFileName()) ||
      listed(skip, "mainfile", function.getParent()->getSourceFileName())) {
    return true;
  }
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  return subprogram != nullptr && subprogram->getFile() != nullptr && listed(skip, "src", subprogram->getFilename());
}

}  // namespace

llvm::PreservedAnalyses SelectionPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!is_supported(module) || module.getNamedMetadata(kInstrumentedMark) != nullptr)
    return llvm::PreservedAnalyses::all();
  std::unique_ptr<llvm::SpecialCaseList> skip;
  if (!skip_lists_.empty()) {
    std::string error;
    skip = llvm::SpecialCaseList::create(skip_lists_, *llvm::vfs::getRealFileSystem(), error);
    if (skip == nullptr) {
      llvm::errs() << "norn: skip list: " << error << "\n";
      std::exit(1);
    }
  }
  llvm::SmallPtrSet<const llvm::Function*, 4> resolvers;
  for (const llvm::GlobalIFunc& ifunc : module.ifuncs()) resolvers.insert(ifunc.getResolverFunction());

  for (llvm::Function& function : module) {
    const bool left_out = function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked) ||
                          function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) ||
                          function.getName().starts_with(kHookPrefix) || resolvers.contains(&function);
    const bool exempt = !left_out && (llvm::getAssumptions(function).contains(kExempt) ||
                                      (skip != nullptr && skipped(*skip, function)));
    if (exempt) function.addFnAttr(kOnlyAtomics);
    if (left_out || exempt) {
      function.removeFnAttr(llvm::Attribute::SanitizeThread);
    } else {
      function.addFnAttr(llvm::Attribute::SanitizeThread);
    }
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace norn::compiler
