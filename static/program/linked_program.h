// A program as it is analysed: all modules of its image (and of the images of its shared libraries) as one, each
// instruction labelled with the sites that the running program would have there (compiler/emit/labels.h).
//
//     image ──► modules ──► labelled, one by one ──► linked ──► models of the libraries ──► prepared
//
// Preparing brings the code into a form that is simple to analyse and loses no labelled access: local variables whose
// address goes nowhere become values (so that code of -O0 is analysed as that of -O2 is), and small functions are
// inlined (what is known of their arguments then counts for this call alone). A copy of an access has the access's
// label.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "image/program_image.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace norn::statics {

// A site of the program's table (norn_site of include/norn/abi.h).
struct Site {
  uint64_t id = 0;  // its identity, of which a race's id is made
  std::string file;
  std::string directory;
  std::string function;
  std::string expression;
  uint32_t line = 0;
  uint32_t column = 0;
  uint8_t kind = 0;      // norn_site_kind
  bool library = false;  // its function is of a system header
  int inlined_at = -1;   // index of the call's site
};

// One access, or one call, of an instruction.
struct SiteUse {
  unsigned site;  // index in Program::sites
  unsigned operand;
  uint64_t size;                  // 0: not known
  uint32_t flags;                 // compiler::LabelFlags
  std::vector<unsigned> calls{};  // sites of the calls it was inlined at here, innermost first
};

struct Declaration {
  std::string file{};
  std::string directory{};
  uint32_t line = 0;
};

class Program final {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Reads the images of all `files`: the program first, then its libraries. On false, `error` is one line.
  [[nodiscard]] bool load(const std::vector<const image::ProgramImage*>& files, std::string& error);
  // For tests: a module in LLVM's assembly language, as it is.
  [[nodiscard]] bool load_text(const std::string& text, std::string& error);

  // Makes it ready to be analysed; call once.
  void prepare();

  [[nodiscard]] llvm::Module& module() const { return *module_; }
  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] static std::vector<SiteUse> uses(const llvm::Instruction& instruction);
  // Extends an identity, as the runtime does (runtime/hooks/stack_ids.h): by a site and those that it was inlined at.
  // True when one of them is not library code: then the identity is whole, and `own` is that one.
  [[nodiscard]] bool extend_identity(uint64_t& identity, unsigned site, unsigned& own) const;
  [[nodiscard]] size_t instructions() const;

  // The name of a global variable in the source; its symbol where there is none.
  [[nodiscard]] static std::string name_of(const llvm::GlobalVariable& global);
  // Where it is declared; nothing where that is not known.
  [[nodiscard]] static Declaration declaration_of(const llvm::GlobalVariable& global);

 private:
  bool add_module(std::unique_ptr<llvm::Module> module, bool is_library, std::string& error);
  void take_labels(llvm::Module& module);
  void inline_small();
  void extend_labels(llvm::Instruction& instruction, unsigned call) const;

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<Site> sites_;
};

}  // namespace norn::statics
