#include "static/explain.h"

#include <algorithm>

#include "compiler/naming/names.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include "static/program/library_models.h"

namespace norn::statics {
namespace {

std::string place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = instruction.getDebugLoc().get();
  if (at == nullptr) return compiler::function_name(instruction.getFunction()->getName());
  return llvm::sys::path::filename(at->getFilename()).str() + ":" + std::to_string(at->getLine());
}

std::string name_of(const ObjectInfo& object) {
  switch (object.kind) {
    case ObjectKind::kGlobal:
    case ObjectKind::kThreadLocal:
      return Program::name_of(*llvm::cast<llvm::GlobalVariable>(object.origin));
    case ObjectKind::kFunction:
    case ObjectKind::kForeign:
      return compiler::function_name(object.origin->getName());
    case ObjectKind::kHeap:
    case ObjectKind::kStack:
    case ObjectKind::kThread: {
      const char* what = object.kind == ObjectKind::kHeap    ? "heap "
                         : object.kind == ObjectKind::kStack ? "stack "
                                                             : "thread ";
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(object.origin);
      return what + (instruction == nullptr ? std::string("?") : place_of(*instruction));
    }
  }
  return "?";
}

}  // namespace

void explain_points_to(const Program& program, const PointsTo& points_to, std::FILE* out) {
  const PointsTo::Figures figures = points_to.figures();
  std::fprintf(out, "points-to: %zu instructions, %zu nodes (%zu collapsed), %zu objects, %zu steps\n",
               program.instructions(), figures.nodes, figures.collapsed, figures.objects, figures.passed_on);
  for (const llvm::Function& function : program.module()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      for (const SiteUse& use : Program::uses(instruction)) {
        const Site& site = program.sites()[use.site];
        if (site.expression.empty()) continue;
        std::string objects;
        for (const PointedTo& to : points_to.of(instruction.getOperand(use.operand))) {
          objects += (objects.empty() ? "" : ", ") + name_of(points_to.object(to.object)) + "+" +
                     std::to_string(to.offset) + (to.period != 0 ? "%" + std::to_string(to.period) : "");
        }
        std::fprintf(out, "  %s:%u %s: %s\n", llvm::sys::path::filename(site.file).str().c_str(), site.line,
                     site.expression.c_str(), objects.empty() ? "nothing" : objects.c_str());
      }
    }
  }
}

void explain_threads(const Program& program, const PointsTo& points_to, const Threads& threads, std::FILE* out) {
  std::fprintf(out, "threads: %zu\n", threads.all().size());
  for (size_t i = 0; i < threads.all().size(); ++i) {
    const Thread& thread = threads.all()[i];
    std::fprintf(out, "  thread %zu: %s%s", i, compiler::function_name(thread.root->getName()).c_str(),
                 thread.many ? ", several at once" : "");
    if (thread.created != nullptr) {
      std::fprintf(out, ", created at %s by thread %d%s", place_of(*thread.created).c_str(), thread.parent,
                   thread.outlives ? ", may outlive it" : "");
    }
    std::fprintf(out, ", executes %zu functions\n", thread.functions.size());
  }
  for (const llvm::Function& function : program.module()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || callee->getName() != kJoin) continue;
      std::string joined;
      for (const PointedTo& to : points_to.of(call->getArgOperand(0)))
        joined += (joined.empty() ? "" : ", ") + name_of(points_to.object(to.object));
      std::fprintf(out, "  join at %s: %s\n", place_of(*call).c_str(),
                   joined.empty() ? "nothing that is known" : joined.c_str());
    }
  }
}

void explain_locks(const Program& program, const Candidates& candidates, std::FILE* out) {
  std::fprintf(out, "locks: of %zu candidates\n", candidates.all().size());
  for (const StaticCandidate& candidate : candidates.all()) {
    for (const CandidateSide& side : candidate.sides) {
      const Site& site = program.sites()[candidates.statement(side).site];
      std::fprintf(out, "  %s:%u %s: %zu held, %zu that may protect it",
                   llvm::sys::path::filename(site.file).str().c_str(), site.line, site.expression.c_str(),
                   side.group->held.size(), side.group->guards.size());
      for (const HeldLock& held : side.group->held)
        std::fprintf(out, "; %s since %s", held.shared ? "shared" : "exclusive", place_of(*held.taken).c_str());
      std::fprintf(out, "\n");
    }
  }
}

}  // namespace norn::statics
