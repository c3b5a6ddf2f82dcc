#include "compiler/emit/image_section.h"

#include "compiler/emit/hook_calls.h"
#include "compiler/naming/statements.h"
#include "image/image_record.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace norn::compiler {
namespace {

constexpr llvm::StringLiteral kOpenMpHooks = "__norn_omp_";  // what OpenMpPass calls
constexpr llvm::StringLiteral kImageMark = "norn.image";     // named metadata of a module that has its image in it

// As every assembler reads it, GNU's too: -S, -save-temps and -fno-integrated-as write it into files.
std::string assembly_of(llvm::StringRef bytes) {
  constexpr size_t kLine = 128;
  std::string text = (llvm::Twine(".pushsection ") + image::kModuleSection + ",\"\",@progbits\n").str();
  text.reserve(text.size() + bytes.size() * 7 / 2);
  while (!bytes.empty()) {
    text += ".ascii \"";
    for (const char byte : bytes.take_front(kLine)) {
      if (llvm::isAlnum(byte)) {
        text += byte;
        continue;
      }
      const auto value = static_cast<unsigned char>(byte);
      for (const char digit : {'\\', static_cast<char>('0' + (value >> 6)), static_cast<char>('0' + (value >> 3) % 8),
                               static_cast<char>('0' + value % 8)}) {
        text += digit;
      }
    }
    text += "\"\n";
    bytes = bytes.drop_front(std::min(kLine, bytes.size()));
  }
  return text + ".popsection\n";
}

}  // namespace

llvm::PreservedAnalyses ImagePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!is_supported(module) || module.getNamedMetadata(kInstrumentedMark) != nullptr ||
      module.getNamedMetadata(kImageMark) != nullptr)
    return llvm::PreservedAnalyses::all();
  llvm::SmallString<0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);

  std::vector<image::Field> fields{{"source", module.getSourceFileName()}, {"llvm", LLVM_VERSION_STRING}};
  for (const std::string& flag : flags_) fields.push_back({"flag", flag});
  for (const llvm::Function& function : module) {
    if (!function.isDeclarationForLinker()) fields.push_back({"function", function.getName().str()});
  }
  fields.push_back({"bitcode", bitcode.str().str()});
  module.appendModuleInlineAsm(assembly_of(image::packed(image::RecordKind::kModule, fields)));
  module.getOrInsertNamedMetadata(kImageMark);
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses PlainPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const Statements noted(module);  // removes them
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::SanitizeThread);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && callee->getName().starts_with(kOpenMpHooks)) instruction.eraseFromParent();
    }
  }
  if (left_ == DebugInfo::kLines) llvm::stripNonLineTableDebugInfo(module);
  if (left_ == DebugInfo::kNone) llvm::StripDebugInfo(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace norn::compiler
