// The entry of libnorn-plugin.so: where norn's passes stand in LLVM's pipeline, and their options.
//
// Options reach the plugin as `-mllvm -norn-…` of `clang -cc1`, which must then load it by `-load` too, because pass
// plugins are loaded after the options are read. The drivers do all that.
#include "compiler/analysis/standard_library.h"
#include "compiler/emit/image_section.h"
#include "compiler/emit/instrument.h"
#include "compiler/emit/openmp_iterations.h"
#include "compiler/emit/probes.h"
#include "compiler/naming/statements.h"
#include "compiler/selection.h"
#include "compiler/whole_program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

namespace norn::compiler {
namespace {

llvm::cl::opt<DebugInfo> debug_info_left(
    "norn-debug-info", llvm::cl::desc("What debug information norn leaves after its site table is made"),
    llvm::cl::values(clEnumValN(DebugInfo::kKeep, "keep", "all (default)"),
                     clEnumValN(DebugInfo::kLines, "lines", "line tables"),
                     clEnumValN(DebugInfo::kNone, "none", "nothing")),
    llvm::cl::init(DebugInfo::kKeep));

enum class Checks : uint8_t { kByLevel, kInline, kCalls };
llvm::cl::opt<Checks> checks("norn-checks", llvm::cl::desc("How accesses are checked"),
                             llvm::cl::values(clEnumValN(Checks::kByLevel, "auto", "inline where code is optimised"),
                                              clEnumValN(Checks::kInline, "inline", "by code before the access"),
                                              clEnumValN(Checks::kCalls, "calls", "by a call")),
                             llvm::cl::init(Checks::kByLevel));

bool checks_inline(bool optimised) { return checks == Checks::kInline || (checks == Checks::kByLevel && optimised); }

llvm::cl::list<std::string> skip_lists("norn-skip", llvm::cl::desc("Functions and files norn does not instrument"),
                                       llvm::cl::value_desc("file"));

llvm::cl::list<std::string> pruned("norn-prune", llvm::cl::CommaSeparated,
                                   llvm::cl::desc("Which checks norn leaves out: all (default), none, or names"),
                                   llvm::cl::value_desc("names"));

Pruning pruning() {
  const std::vector<std::string>& names = pruned;
  return Pruning::of(names);
}

llvm::cl::opt<Profile> profile("norn-profile", llvm::cl::desc("What the program is built for"),
                               llvm::cl::values(clEnumValN(Profile::kFull, "full", "checks everything (default)"),
                                                clEnumValN(Profile::kSampling, "sampling", "checks samples"),
                                                clEnumValN(Profile::kTrace, "trace", "leaves nothing out"),
                                                clEnumValN(Profile::kProduction, "production", "probes that sleep")),
                               llvm::cl::init(Profile::kFull));

llvm::cl::opt<std::string> probes("norn-probes", llvm::cl::desc("Where probes stand: all, or a list of sites"),
                                  llvm::cl::value_desc("file"));

llvm::cl::opt<std::string> left_out("norn-leave-out", llvm::cl::desc("A list of sites that need no check"),
                                    llvm::cl::value_desc("file"));

llvm::cl::opt<bool> deferred("norn-defer", llvm::cl::desc("Leave it to the link to instrument (with -flto)"));

llvm::cl::opt<bool> with_image("norn-image", llvm::cl::desc("Put the module's bitcode into its object"));
llvm::cl::list<std::string> image_flags("norn-image-flag", llvm::cl::desc("What made its code, to be kept with it"));

// What the program is made of when it was not made of its source.
enum class Source : uint8_t { kText, kImage, kImagePlain };
llvm::cl::opt<Source> source("norn-from", llvm::cl::desc("Where the module is from"),
                             llvm::cl::values(clEnumValN(Source::kText, "source", "a front end (default)"),
                                              clEnumValN(Source::kImage, "image", "an image: it is optimised"),
                                              clEnumValN(Source::kImagePlain, "image-plain",
                                                         "an image, and is to be code without norn")),
                             llvm::cl::init(Source::kText));

llvm::cl::opt<bool> exempt("norn-exempt", llvm::cl::desc("Instrument nothing"));

// At the link lld verifies by itself.
llvm::cl::opt<bool> verified("norn-verify", llvm::cl::desc("Let LLVM's verifier look at what norn made of the module"));

// A module of an image was optimised before it came there. What it is made of now must not differ, or its sites could:
// of the pipeline only what must run does.
void leave_optimised(llvm::PassBuilder& builder) {
  llvm::PassInstrumentationCallbacks* callbacks = builder.getPassInstrumentationCallbacks();
  if (callbacks == nullptr) return;
  // ThinLTO's writer needs a name for everything.
  callbacks->registerShouldRunOptionalPassCallback([](llvm::StringRef pass, llvm::Any) {
    return pass == "NameAnonGlobalPass" || pass == "CanonicalizeAliasesPass";
  });
}

void register_passes(llvm::PassBuilder& builder) {
  if (source != Source::kText) leave_optimised(builder);
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
    if (source != Source::kText || exempt) return;
    passes.addPass(SelectionPass(skip_lists));
    passes.addPass(StatementsPass());
    passes.addPass(OpenMpPass());
    passes.addPass(StandardLibraryPass());
  });
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
    if (with_image) passes.addPass(ImagePass(image_flags));
    if (source == Source::kImagePlain) return passes.addPass(PlainPass(debug_info_left));
    if (exempt) return;
    if (profile == Profile::kProduction) return passes.addPass(ProbePass(debug_info_left, ProbeSites::of(probes)));
    if (deferred) {
      const std::vector<std::string>& names = pruned;
      return passes.addPass(DeferPass(debug_info_left, llvm::join(names, ","), profile));
    }
    passes.addPass(InstrumentPass(debug_info_left, pruning(), checks_inline(level != llvm::OptimizationLevel::O0),
                                  profile, false, ProbeSites::of(left_out).sites));
    if (verified) passes.addPass(llvm::VerifierPass());
  });
  builder.registerFullLinkTimeOptimizationLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(LinkPass()); });
  // For tests: opt -passes=norn, or norn-program.
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "norn" && name != "norn-program") return false;
    passes.addPass(SelectionPass(skip_lists));
    passes.addPass(StatementsPass());
    passes.addPass(OpenMpPass());
    passes.addPass(StandardLibraryPass());
    if (profile == Profile::kProduction) {
      passes.addPass(ProbePass(debug_info_left, ProbeSites::of(probes)));
      return true;
    }
    passes.addPass(InstrumentPass(debug_info_left, pruning(), checks_inline(false), profile, name == "norn-program"));
    return true;
  });
}

}  // namespace
}  // namespace norn::compiler

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "norn", LLVM_VERSION_STRING, norn::compiler::register_passes};
}
