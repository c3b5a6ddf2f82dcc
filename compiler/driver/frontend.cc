// libnorn-frontend.so: what has to be done while clang still knows the source.
//
// - `__attribute__((no_sanitize("thread")))` and its older spelling leave no trace in the IR when ThreadSanitizer is
//   off. So the declaration gets an assumption as well, whose words reach the IR and which nobody but norn knows
//   (compiler/selection.h).
// - With -fnorn-as-tsan the front end is told that ThreadSanitizer is on, for `__has_feature(thread_sanitizer)`. Before
//   the back end starts it is told that it is off again, so that LLVM's own instrumentation is not added to norn's.
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Sanitizers.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "compiler/selection.h"

namespace norn::compiler {
namespace {

class Exempter final : public clang::RecursiveASTVisitor<Exempter> {
 public:
  explicit Exempter(clang::ASTContext& context) : context_(context) {}

  static bool shouldVisitTemplateInstantiations() { return true; }
  static bool shouldVisitLambdaBody() { return true; }
  static bool shouldVisitImplicitCode() { return false; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    const bool noted = llvm::any_of(function->specific_attrs<clang::OMPAssumeAttr>(),
                                    [](const auto* attribute) { return attribute->getAssumption() == kExempt; });
    if (noted) return true;
    const bool exempt = llvm::any_of(function->specific_attrs<clang::NoSanitizeAttr>(), [](const auto* attribute) {
      return static_cast<bool>(attribute->getMask() & clang::SanitizerKind::Thread);
    });
    if (exempt) function->addAttr(clang::OMPAssumeAttr::CreateImplicit(context_, kExempt));
    return true;
  }
  // Of a lambda only the body is visited, as a statement.
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) { return VisitFunctionDecl(lambda->getCallOperator()); }

 private:
  clang::ASTContext& context_;
};

// Runs before the code generator sees a declaration.
class Consumer final : public clang::ASTConsumer {
 public:
  explicit Consumer(clang::CompilerInstance& compiler) : compiler_(compiler) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) Exempter(compiler_.getASTContext()).TraverseDecl(declaration);
    return true;
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl* function) override {
    Exempter(compiler_.getASTContext()).TraverseDecl(function);
  }
  void HandleTranslationUnit(clang::ASTContext&) override {
    // A precompiled header or module remembers what it was made with, and is refused when that differs.
    switch (compiler_.getFrontendOpts().ProgramAction) {
      case clang::frontend::GeneratePCH:
      case clang::frontend::GenerateModule:
      case clang::frontend::GenerateModuleInterface:
      case clang::frontend::GenerateReducedModuleInterface:
      case clang::frontend::GenerateHeaderUnit:
        return;
      default:
        break;
    }
    compiler_.getLangOpts().Sanitize.set(clang::SanitizerKind::Thread, false);
  }

 private:
  clang::CompilerInstance& compiler_;
};

class Action final : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<Consumer>(compiler);
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<Action> registration("norn", "honours no_sanitize(\"thread\") for norn");

}  // namespace
}  // namespace norn::compiler
