// The sites of a module: constants of type norn_site (include/norn/abi.h), one for each access or call in the source.
//
//     account.balance += amount;     ; bank.cpp:14, in deposit(Account&, int)
// becomes
//     @norn.site = private constant %norn_site { "bank.cpp", "/src", "deposit(Account&, int)", "account.balance",
//                    inlined_at, 14, 19, hash, WRITE, 0, 4, 0 }, section "norn_sites", comdat of the function
//
// A site lies in the comdat of its function, so that the linker drops it with the copies of the function it drops.
// The linker joins what is left; __start_norn_sites and __stop_norn_sites are the ends of the module's table.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/naming/statements.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"
#include "norn/site.h"

namespace norn::compiler {

// What a site is about, apart from where it is.
struct SiteFacts {
  norn_site_kind kind = NORN_SITE_READ;
  norn_order order = NORN_RELAXED;
  uint64_t size = 0;
  uint32_t flags = 0;
  std::string expression;  // empty: unknown
  std::string identity;    // the expression that the hash is of
};

class SiteTable final {
 public:
  explicit SiteTable(llvm::Module& module);

  // The site of something at `at` in `function`. Equal ones are one.
  [[nodiscard]] llvm::Constant* site(llvm::Function& function, const llvm::DebugLoc& at, const SiteFacts& facts);

  // Gives all sites their hashes and contents; call once, after the last site().
  void finish();

  // A constant string; null for an empty one.
  [[nodiscard]] llvm::Constant* text(llvm::StringRef string);
  [[nodiscard]] bool empty() const { return sites_.empty(); }

 private:
  struct Site {
    llvm::GlobalVariable* variable;
    std::string file, directory, function;
    llvm::Constant* inlined_at;
    uint32_t line, column;
    SiteFacts facts;
  };
  // What makes sites equal but for their position: the ordinal in the hash tells those apart.
  using Likeness = std::tuple<std::string, std::string, uint8_t, std::string>;
  using Position = std::pair<uint32_t, uint32_t>;
  using Identity =
      std::tuple<llvm::Function*, const llvm::DILocation*, uint8_t, uint8_t, uint64_t, uint32_t, std::string>;

  [[nodiscard]] static Likeness likeness(const Site& site);
  void name_copies();

  llvm::Module& module_;
  const Statements statements_;
  llvm::StructType* type_;
  std::vector<Site> sites_;
  std::map<Identity, llvm::Constant*> known_;
  std::map<std::string, llvm::Constant*, std::less<>> texts_;
};

}  // namespace norn::compiler
