// What the statements of the program access, as they were before the optimiser came: what a site is known by, so that a
// race has the same identity at every level of optimisation.
//
//     account.balance += amount;      bank.cpp, deposit(Account&, int): read and write of account.balance at 14:19, the
//                                     first of each in the function
//
// The first pass notes this of every access and call, in metadata of the module (so that it is still there when a
// linker instruments). The optimiser drops accesses, joins them, and takes variables to pieces, so that the names of
// those that are left and how many come before them depend on what it did. Their positions do not: by them the site
// table finds here what an access is.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "norn/site.h"

namespace norn::compiler {

// A part of a source file that is one function's.
struct SourceLocation {
  std::string file;  // its base name
  std::string function;
  uint32_t line = 0;
  uint32_t column = 0;
};

class Statements final {
 public:
  // What the module's metadata has, which is removed.
  explicit Statements(llvm::Module& module);

  // What a site is known by, beside its file and function.
  struct Known {
    std::string what;    // "write account.balance"
    size_t ordinal = 0;  // among those in the function that are the same
  };
  // Nothing for what was not in the source, or moved where nobody can say what it was. `expression`: what the access is
  // called now, which counts where a position has several.
  [[nodiscard]] std::optional<Known> find(const SourceLocation& location, norn_site_kind kind,
                                          llvm::StringRef expression) const;

 private:
  using Position = std::pair<uint32_t, uint32_t>;
  struct Function {
    std::map<std::pair<Position, char>, std::vector<std::string>> at;  // expressions, by position and class
    std::map<std::pair<char, std::string>, std::set<Position>> alike;  // positions, by class and expression
  };
  std::map<std::pair<std::string, std::string>, Function> functions_;  // by file and name
};

// Notes them. After SelectionPass, which says of which functions.
class StatementsPass : public llvm::PassInfoMixin<StatementsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace norn::compiler
