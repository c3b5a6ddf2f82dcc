#include "static/findings.h"

#include <sys/resource.h>
#include <unistd.h>

#include <deque>

#include "base/string_sink.h"
#include "compiler/naming/names.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "report/race_id.h"
#include "report/record.h"

namespace norn::statics {
namespace {

// 0: not known.
uint64_t shown_size(const AccessGroup& group) { return group.size >= uint64_t{1} << 40 ? 0 : group.size; }

class Writer final {
 public:
  Writer(const std::string& path, const Program& program, const PointsTo& points_to, const Threads& threads,
         const Candidates& candidates)
      : path_(path), program_(program), points_to_(points_to), threads_(threads), candidates_(candidates) {}

  std::string race(const StaticCandidate& candidate) {
    texts_.clear();
    frames_.clear();
    locks_.clear();
    report::Race race;
    const auto id = [&](int side) { return candidates_.identity(candidate.sides[side]); };
    race.id = report::race_id(id(0), id(1));
    race.detection = report::Detection::kStatic;
    race.is_flag = candidate.is_flag;
    race.count = 0;
    for (int side = 0; side < 2; ++side) describe(candidate.sides[side], race.accesses[side]);
    describe(candidate, race);
    std::string line(1 << 17, '\0');
    line.resize(report::format_race(race, pid(), line.data(), line.size()).size);
    return line;
  }

  static uint32_t pid() { return static_cast<uint32_t>(getpid()); }

 private:
  Text keep(std::string text) { return text_of(texts_.emplace_back(std::move(text))); }
  std::vector<report::Frame>& new_frames() { return frames_.emplace_back(); }

  report::Frame frame(const Site& site) {
    report::Frame frame;
    frame.function = keep(site.function);
    frame.file = keep(site.file);
    frame.directory = keep(site.directory);
    frame.line = site.line;
    frame.column = site.column;
    frame.module = keep(path_);
    frame.library = site.library;
    return frame;
  }

  report::Frame frame(const llvm::DILocation& at) {
    report::Frame frame;
    const llvm::DISubprogram* function = at.getScope()->getSubprogram();
    frame.function = keep(compiler::function_name(function));
    frame.file = keep(at.getFilename().str());
    frame.directory = keep(at.getDirectory().str());
    frame.line = at.getLine();
    frame.column = at.getColumn();
    frame.module = keep(path_);
    frame.library = compiler::is_library_function(function);
    return frame;
  }

  void add_frames(const llvm::Instruction& instruction, std::vector<report::Frame>& frames) {
    if (!instruction.getDebugLoc()) return;
    for (const llvm::DILocation* at = instruction.getDebugLoc().get(); at != nullptr; at = at->getInlinedAt())
      frames.push_back(frame(*at));
  }

  // From the instruction to what the thread runs first, by the first way that was found.
  List<report::Frame> stack(int thread, const llvm::Instruction& instruction, const Site* site,
                            const std::vector<const llvm::CallBase*>& calls) {
    std::vector<report::Frame>& frames = new_frames();
    add_frames(instruction, frames);
    if (site != nullptr) {
      if (frames.empty()) frames.push_back({});
      frames.front() = frame(*site);
    }
    const Thread& of = threads_.all()[static_cast<size_t>(thread)];
    const llvm::Function* function = instruction.getFunction();
    for (const llvm::CallBase* call : calls) {
      add_frames(*call, frames);
      function = call->getFunction();
    }
    for (unsigned depth = 0; function != of.root && depth < 60; ++depth) {
      const auto call = of.called_by.find(function);
      if (call == of.called_by.end()) break;
      add_frames(*call->second, frames);
      function = call->second->getFunction();
    }
    return {frames.data(), frames.size()};
  }

  // By what it runs: the program's own outermost function, since libraries call that by functions of their own.
  std::string name_of(int thread, const List<report::Frame>& stack) const {
    const Thread& of = threads_.all()[static_cast<size_t>(thread)];
    if (of.created == nullptr) return "main";
    std::string name = of.root->getSubprogram() != nullptr ? compiler::function_name(of.root->getSubprogram())
                                                           : compiler::function_name(of.root->getName());
    for (const report::Frame& frame : stack) {
      if (!frame.library && !frame.function.empty()) name = std::string(view(frame.function));
    }
    return name + (of.many ? ", several" : "");
  }

  // The variable that a call locks; empty if it is no variable's own name.
  static std::string variable_locked(const llvm::Instruction& taken) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&taken);
    if (call == nullptr || call->arg_size() == 0) return {};
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    return variable == nullptr ? std::string() : Program::name_of(*variable);
  }

  void describe(const CandidateSide& side, report::Access& access) {
    const Statement& statement = candidates_.statement(side);
    const Site& site = program_.sites()[statement.site];
    access.op = side.group->kind.frees ? report::Op::kFree
                : side.group->kind.atomic
                    ? (side.group->kind.write ? report::Op::kAtomicWrite : report::Op::kAtomicRead)
                    : (side.group->kind.write ? report::Op::kWrite : report::Op::kRead);
    access.size = shown_size(*side.group);
    access.thread = static_cast<uint32_t>(side.group->thread);
    access.stack = stack(side.group->thread, *side.instruction, &site, statement.calls);
    access.thread_name = keep(name_of(side.group->thread, access.stack));
    for (const report::Frame& each : access.stack) {
      if (each.library) continue;
      access.site = each;
      break;
    }
    if (!access.site.known() && !access.stack.empty()) access.site = access.stack[0];
    access.expression = keep(site.expression);
    access.site_id = statement.identity;
    const Thread& thread = threads_.all()[static_cast<size_t>(side.group->thread)];
    if (thread.created != nullptr) access.thread_created_at = stack(thread.parent, *thread.created, nullptr, {});
    std::vector<report::LockHeld>& locks = locks_.emplace_back();
    std::set<const llvm::Instruction*> taken;
    for (const HeldLock& held : side.group->held) {
      if (!taken.insert(held.taken).second) continue;
      report::LockHeld lock;
      lock.mode = held.shared ? report::HeldMode::kShared : report::HeldMode::kExclusive;
      std::vector<report::Frame>& frames = new_frames();
      add_frames(*held.taken, frames);
      for (const report::Frame& each : frames) {
        lock.taken_at = each;
        if (!each.library) break;
      }
      for (const SiteUse& use : Program::uses(*held.taken)) lock.name = keep(program_.sites()[use.site].expression);
      if (lock.name.empty()) lock.name = keep(variable_locked(*held.taken));
      locks.push_back(lock);
    }
    access.locks = {locks.data(), locks.size()};
  }

  void describe(const StaticCandidate& candidate, report::Race& race) {
    report::Location& location = race.location;
    const ObjectInfo& object = points_to_.object(candidate.object);
    location.offset = static_cast<uint64_t>(candidate.offset);
    for (const CandidateSide& side : candidate.sides) {
      const uint64_t size = shown_size(*side.group);
      if (location.size == 0 || (size != 0 && size < location.size)) location.size = size;
    }
    for (const CandidateSide& side : candidate.sides) {
      if (location.name.empty() && !side.group->kind.frees)
        location.name = keep(program_.sites()[candidates_.statement(side).site].expression);
    }
    switch (object.kind) {
      case ObjectKind::kGlobal:
      case ObjectKind::kThreadLocal:
        location.kind = object.kind == ObjectKind::kGlobal ? report::LocationKind::kGlobal : report::LocationKind::kTls;
        location.object = keep(Program::name_of(*llvm::cast<llvm::GlobalVariable>(object.origin)));
        location.declared_at = declaration(*llvm::cast<llvm::GlobalVariable>(object.origin));
        if (location.name.empty()) location.name = location.object;
        break;
      case ObjectKind::kHeap:
        location.kind = report::LocationKind::kHeap;
        location.allocated_at = allocation(*llvm::cast<llvm::Instruction>(object.origin));
        break;
      case ObjectKind::kStack:
        location.kind = report::LocationKind::kStack;
        if (const auto* slot = llvm::dyn_cast<llvm::Instruction>(object.origin))
          location.allocated_at = allocation(*slot);
        break;
      default:
        break;
    }
  }

  report::Frame declaration(const llvm::GlobalVariable& variable) {
    const Declaration place = Program::declaration_of(variable);
    report::Frame frame;
    frame.file = keep(place.file);
    frame.directory = keep(place.directory);
    frame.line = place.line;
    return frame;
  }

  List<report::Frame> allocation(const llvm::Instruction& instruction) {
    std::vector<report::Frame>& frames = new_frames();
    add_frames(instruction, frames);
    return {frames.data(), frames.size()};
  }

  const std::string& path_;
  const Program& program_;
  const PointsTo& points_to_;
  const Threads& threads_;
  const Candidates& candidates_;
  std::deque<std::string> texts_;
  std::deque<std::vector<report::Frame>> frames_;
  std::deque<std::vector<report::LockHeld>> locks_;
};

}  // namespace

void write_findings(const std::string& path, const Program& program, const PointsTo& points_to, const Threads& threads,
                    const Candidates& candidates, const std::vector<std::string>& notes, uint64_t microseconds,
                    std::FILE* out) {
  const auto put = [&](const std::string& line) { std::fwrite(line.data(), 1, line.size(), out); };
  report::RunSummary run;
  run.program = text_of(path);
  run.engine = "static";
  run.front_end = "static";
  run.pid = Writer::pid();
  run.ended = true;
  std::string line;
  report::write_start(run, string_sink(line));
  put(line);
  Writer writer(path, program, points_to, threads, candidates);
  for (const StaticCandidate& candidate : candidates.all()) put(writer.race(candidate));
  std::vector<Text> texts;
  for (const std::string& note : notes) texts.push_back(text_of(note));
  run.notes = {texts.data(), texts.size()};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  run.stats.peak_rss = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  run.stats.microseconds = microseconds;
  run.stats.threads = threads.all().size();
  run.stats.accesses = candidates.shared().accesses;
  line.clear();
  report::write_end(run, string_sink(line));
  put(line);
}

}  // namespace norn::statics
