#include "static/program/incomplete.h"

#include <set>

#include "compiler/naming/names.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "static/program/library_accesses.h"
#include "static/program/library_models.h"

namespace norn::statics {
namespace {

std::string name_of(const llvm::Function& function) {
  return function.getSubprogram() != nullptr ? compiler::function_name(function.getSubprogram())
                                             : compiler::function_name(function.getName());
}

// The function of the source that an instruction is of.
std::string name_of(const llvm::Instruction& instruction) {
  if (const llvm::DILocation* at = instruction.getDebugLoc().get())
    return compiler::function_name(at->getScope()->getSubprogram());
  const llvm::Function& function = *instruction.getFunction();
  return function.getName() == kMain ? "main" : name_of(function);
}

bool is_of_system(const std::string& library) {
  for (const char* name : {"libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "ld-linux", "libpthread.so", "libdl.so",
                           "librt.so", "libomp.so", "libatomic.so", "libz.so", "linux-vdso"})
    if (library.starts_with(name)) return true;
  return false;
}

}  // namespace

std::vector<Incompleteness> find_incomplete(const std::vector<const image::ProgramImage*>& files,
                                            const llvm::Module& module, const PointsTo& points_to) {
  std::set<std::string> assembly;
  std::set<std::string> integers;
  std::set<std::string> dynamic;
  std::set<std::string> not_modelled;
  std::set<std::string> nowhere;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      // A model's own code is known. (The program's, as its main, may have become part of one.)
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->getCalledFunction() != nullptr) {
        const llvm::StringRef name = call->getCalledFunction()->getName();
        if (does_more(name)) not_modelled.insert(name == "__norn_moves" ? "qsort" : name.str());
      }
      if (is_of_model(instruction)) continue;
      if (call != nullptr) {
        if (call->isInlineAsm()) {
          const auto* code = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
          if (!code->getAsmString().empty() && !call->doesNotAccessMemory()) assembly.insert(name_of(instruction));
        } else if (const llvm::Function* callee = call->getCalledFunction()) {
          if (callee->getName() == "dlopen" || callee->getName() == "dlsym") dynamic.insert(name_of(instruction));
        } else if (points_to.callees(*call).empty() && points_to.of(call->getCalledOperand()).empty() &&
                   !llvm::isa<llvm::ConstantData>(call->getCalledOperand())) {
          nowhere.insert(name_of(instruction));
        }
      } else if (const auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction)) {
        if (points_to.of(cast).empty()) integers.insert(name_of(instruction));
      }
    }
  }
  std::set<std::string> holes;
  std::set<std::string> libraries;
  for (const image::ProgramImage* file : files) {
    for (const image::Hole& hole : file->holes) holes.insert(hole.functions.begin(), hole.functions.end());
    for (const image::NeededLibrary& library : file->libraries) {
      if (library.modules == 0 && !is_of_system(library.name)) libraries.insert(library.name);
    }
    if (file->is_linked && !file->knows_holes)
      holes.insert("whatever the stripped symbol table of " + file->path + " had");
  }
  std::vector<Incompleteness> causes;
  const auto add = [&](const char* what, const std::set<std::string>& where, bool may_be_anything) {
    if (!where.empty()) causes.push_back({what, {where.begin(), where.end()}, may_be_anything});
  };
  add("holes, functions without bitcode", holes, true);
  add("libraries without an image", libraries, true);
  add("inline assembly", assembly, false);
  add("pointers made of integers", integers, false);
  add("code loaded while it runs (dlopen)", dynamic, true);
  add("calls of the C library that are not modelled", not_modelled, true);
  add("calls through pointers that lead to nothing that is seen", nowhere, true);
  return causes;
}

std::string words_of(const Incompleteness& cause) {
  constexpr size_t kShown = 8;
  std::string words = "incomplete: " + cause.what + ": ";
  for (size_t i = 0; i < cause.where.size() && i < kShown; ++i) words += (i == 0 ? "" : ", ") + cause.where[i];
  if (cause.where.size() > kShown) words += ", and " + std::to_string(cause.where.size() - kShown) + " more";
  return words;
}

}  // namespace norn::statics
