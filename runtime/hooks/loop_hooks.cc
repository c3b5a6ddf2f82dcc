#include "runtime/hooks/loop_hooks.h"

#include <fcntl.h>

#include "core/detector.h"
#include "loops/graph.h"
#include "norn/abi.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/hooks/sampling.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/recording.h"
#include "runtime/reporting/reporter.h"

using namespace norn;
using namespace norn::rt;

// The exit whose condition the thread is evaluating by a call.
__attribute__((visibility("default"))) NORN_TLS __thread const norn_loop* __norn_spinning = nullptr;

namespace norn::rt {
namespace {

// What the condition of an exit read, or (of no size) a lock that it could not have.
struct SpinRead {
  const norn_loop* exit;
  const norn_site* site;
  Address address;
  uint32_t size;
  uint32_t part;      // the call of the condition that read it; 0: the loop itself
  uint32_t outdated;  // read by an evaluation before the last one of that call
  uint32_t emitted;   // the core knows that somebody waits for it
  uint32_t atomically;
};

struct LoopState {
  static constexpr unsigned kReads = 32;
  SpinRead reads[kReads];
  uint32_t count;
  uint32_t part;  // of the evaluation under way
  // The wait under way, and the last condition variable that was waited on in a loop.
  const norn_loop* waiting;
  bool alone;
  const norn_loop* waited;
  const void* condition;
};

NORN_TLS __thread LoopState loop_state = {};

// The options are read once, at the start.
bool cv_counts() { return start.settings.lib && start.settings.cv != ConditionMode::kOff; }

bool is_exit_of_wait(const norn_loop& exit) {
  constexpr uint32_t kBoth = NORN_LOOP_SPIN | NORN_LOOP_WAIT;
  return (exit.kind & kBoth) == kBoth;
}

// A loop around a wait has an entry of its own beside those of its exits, which count where waits are not known.
bool is_covered_by_its_wait(const norn_loop& exit) { return start.settings.lib && is_exit_of_wait(exit); }

// `sweeps`: every address read at the site counts, and not the last one only.
SpinRead* remember(const norn_loop* exit, const norn_site* site, Address address, size_t size, uint32_t part,
                   bool sweeps) {
  LoopState& state = loop_state;
  for (uint32_t i = 0; i < state.count; ++i) {
    SpinRead& read = state.reads[i];
    if (read.exit != exit || read.site != site || read.part != part) continue;
    if (read.address == address) {
      read.outdated = 0;
      return &read;
    }
    if (sweeps) continue;
    read = {exit, site, address, static_cast<uint32_t>(size), part, 0, 0, 0};
    return nullptr;
  }
  if (state.count == LoopState::kReads) {
    for (uint32_t i = 1; i < state.count; ++i) state.reads[i - 1] = state.reads[i];
    --state.count;
  }
  state.reads[state.count++] = {exit, site, address, static_cast<uint32_t>(size), part, 0, 0, 0};
  return nullptr;
}

// What was read there before does not count any more.
void forget(const norn_loop* exit, const norn_site* site, uint32_t part) {
  for (uint32_t i = 0; i < loop_state.count; ++i) {
    SpinRead& read = loop_state.reads[i];
    if (read.exit == exit && read.site == site && read.part == part) read.outdated = 1;
  }
}

// The second time round the thread is really waiting.
void emit_waiting(SpinRead& read, Thread& thread) {
  if (read.emitted != 0) return;
  read.emitted = 1;
  emit.spin_read(thread, read.address, read.size, kNoStack, true);
}

// Who took the lock emits that right after it took it, which may not have come yet. A holder that never does is not
// ours, and under control nobody emits anything while this thread has the turn.
void emit_refusal(Thread& thread, Address lock) {
  constexpr int kTries = 200;
  constexpr long kHalfMillisecond = 500000;
  for (int i = 0; !emit.lock_refused(thread, lock) && i < kTries && !is_controlled(); ++i) {
    sys::nap(kHalfMillisecond);
  }
}

// The loop goes on because of what others wrote, or might have: whoever wrote it without any order is worth a word, as
// nobody will report that race.
void note_flag(Thread& thread, const SpinRead& read, StackId stack) {
  const AccessKind kind = read.atomically != 0 ? AccessKind::kAtomicRead : AccessKind::kRead;
  const RecordingTurn turn;
  record_flag(kind, read.address, read.size, stack);
  detector.find_unordered_writes(thread, kind, read.address, read.size, stack, &report_flag);
}

// Variables that loops of the program wait for are known as such before anybody does.
void expect_waiters(const norn_loop& loop, Thread& thread) {
  for (uint32_t i = 0; i < loop.flag_count; ++i) {
    emit.spin_read(thread, address_of(loop.flags[i].address), loop.flags[i].size, kNoStack, true);
  }
}

// --- what was compiled ---------------------------------------------------------------------------------------------

void put_place(Sink out, const norn_site& site) {
  out.put(site.file == nullptr ? Text("?") : Text(site.file));
  out.put(':');
  out.put(Decimal(site.line).text());
  if (site.function != nullptr) {
    out.put(" in ");
    out.put(site.function);
  }
}

void put_kind(Sink out, const norn_loop& loop) {
  const bool spins = (loop.kind & NORN_LOOP_SPIN) != 0;
  out.put(spins ? "spins until " : "waits until ");
  out.put(loop.text == nullptr ? Text("a call says so") : Text(loop.text));
  if (spins) {
    out.put(" changes; a condition of ");
    out.put(Decimal(loop.blocks).text());
    out.put(loop.blocks == 1 ? " block" : " blocks");
    if (!is_spin(&loop)) {
      out.put("; too many for --spin=");
      out.put(Decimal(start.settings.spin).text());
    }
  } else {
    out.put(" is signalled");
    if (!cv_counts()) out.put("; not honoured by these options");
  }
}

void list(const norn_module& tables) {
  for (const norn_loop* loop = tables.loops_begin; loop != tables.loops_end; ++loop) {
    if (is_covered_by_its_wait(*loop)) continue;
    char bytes[1024];
    Buffer line(bytes, sizeof(bytes));
    line.sink().put("norn: loop at ");
    put_place(line.sink(), *loop->site);
    line.sink().put(": ");
    put_kind(line.sink(), *loop);
    line.sink().put("\n");
    sys::write_all(2, line.text().data, line.text().size);
  }
}

// One cluster for each loop, in one graph for each module.
void dump(const norn_module& tables) {
  static constinit bool begun = false;
  static constinit uint32_t number = 0;
  char path[4096];
  Buffer terminated(path, sizeof(path));
  terminated.sink().put(start.settings.dump_cfg);
  terminated.sink().put('\0');
  const int fd = sys::open_file(path, O_WRONLY | O_CREAT | O_APPEND | (begun ? 0 : O_TRUNC), 0644);
  if (fd < 0) return;
  begun = true;
  char bytes[16384];
  const auto write = [&](const auto& fill) {
    Buffer part(bytes, sizeof(bytes));
    fill(part.sink());
    sys::write_all(fd, part.text().data, part.text().size);
  };
  write([](Sink out) { out.put("digraph loops {\n  node [shape=box];\n"); });
  for (const norn_loop* loop = tables.loops_begin; loop != tables.loops_end; ++loop) {
    if (is_covered_by_its_wait(*loop)) continue;
    ++number;
    write([&](Sink out) {
      loops::put_loop(out, number, loop->graph, [&](Sink label) {
        put_place(label, *loop->site);
        label.put("\\n");
        put_kind(label, *loop);
      });
    });
  }
  write([](Sink out) { out.put("}\n"); });
  sys::close_file(fd);
}

}  // namespace

bool is_given_up_plainly(Thread& thread, Address address, size_t size) {
  return !start.settings.lib || is_sampled() || detector.may_be_written_plainly(thread, address, size);
}

bool is_spin(const norn_loop* exit) {
  return (exit->kind & NORN_LOOP_SPIN) != 0 && exit->blocks <= start.settings.spin &&
         ((exit->kind & NORN_LOOP_WAIT) == 0 || !start.settings.lib);
}

bool is_ordered_by_reads(const norn_loop* exit) {
  if (is_spin(exit)) return true;
  return is_exit_of_wait(*exit) && start.settings.lib && start.settings.cv == ConditionMode::kWriteRead &&
         start.settings.spin != 0;
}

void add_loops(const norn_module& tables, Thread* thread) {
  bool spins = !start.settings.lib && start.settings.spin != 0;
  for (const norn_loop* loop = tables.loops_begin; loop != tables.loops_end && !spins; ++loop)
    spins = is_ordered_by_reads(loop);
  if (spins && !emit.honour_spins()) refuse("not enough memory to follow loops; say --spin=0");
  if (tables.loops_begin == tables.loops_end) return;
  for (const norn_loop* loop = tables.loops_begin; loop != tables.loops_end && thread != nullptr; ++loop) {
    if (is_ordered_by_reads(loop)) expect_waiters(*loop, *thread);
  }
  if ((start.settings.verbose & options::kVerboseLoops) != 0) list(tables);
  if (!start.settings.dump_cfg.empty()) dump(tables);
}

bool waits_in_loop(const void* condition) {
  LoopState& state = loop_state;
  if (state.waiting == nullptr) return false;
  state.waited = state.waiting;
  state.condition = condition;
  return state.alone && cv_counts();
}

void note_refusal(const void* lock, const norn_site& site) {
  if (__norn_spinning == nullptr || !is_watching() || !is_spin(__norn_spinning)) return;
  if (SpinRead* again = remember(__norn_spinning, &site, address_of(lock), 0, loop_state.part, true)) {
    again->outdated = 0;
  }
}

void note_spin(Address address, size_t size, const norn_site* site, bool atomically) {
  SpinRead* again = remember(__norn_spinning, site, address, size, loop_state.part, true);
  if (again == nullptr) {
    loop_state.reads[loop_state.count - 1].atomically = atomically ? 1 : 0;
    return;
  }
  again->outdated = 0;
  if (again->emitted != 0) return;
  // The caller is inside.
  if (ThreadState* state = current_state) emit_waiting(*again, *state->core);
}

}  // namespace norn::rt

namespace {

// Whether what is read now is read under a lock that is the variable's own: one that the loop takes for it, or lets go
// of in between. Then the lock orders, or nothing does. (A lock that is held all the while cannot be: nobody who wanted
// it could ever end the loop.)
bool is_read_under_lock(const norn_loop* exit) {
  if ((exit->kind & NORN_LOOP_LOCKS) == 0 || !is_spin(exit)) return false;
  const Inspection here{Inspection::Started()};
  return here && here.thread().held_count != 0;
}

// What a loop's condition reads: an access, unless the loop spins; under control always a point to stop at. False: it
// is not waited for.
bool look(const void* address, size_t size, const norn_site* site, const norn_loop* exit) {
  if (!is_spin(exit) || is_read_under_lock(exit)) {
    observe(AccessKind::kRead, address, size, site);
    return !is_spin(exit) && is_ordered_by_reads(exit);
  }
  if (is_controlled()) control::access(AccessKind::kRead, address, size, site);
  if (const Inspection here{Inspection::Started()}; here) emit.look(here.thread(), address_of(address), size);
  return true;
}

}  // namespace

NORN_EXPORT void __norn_spin_read(const void* address, size_t size, const norn_site* site, const norn_loop* exit,
                                  int sweeps) {
  if (!is_watching()) return;
  if (!look(address, size, site, exit)) return forget(exit, site, 0);
  SpinRead* again = remember(exit, site, address_of(address), size, 0, sweeps != 0);
  if (again == nullptr || again->emitted != 0) return;
  const Inspection here{Inspection::Started()};
  if (here) emit_waiting(*again, here.thread());
}

NORN_EXPORT void __norn_spin_begin(const norn_loop* exit, uint32_t part) {
  if (!is_watching() || __norn_spinning != nullptr) return;
  LoopState& state = loop_state;
  for (uint32_t i = 0; i < state.count; ++i) {
    SpinRead& read = state.reads[i];
    if (read.exit == exit && read.part == part) read.outdated = 1;
  }
  state.part = part;
  __norn_spinning = exit;
}

NORN_EXPORT void __norn_spin_end() { __norn_spinning = nullptr; }

NORN_EXPORT void __norn_spin_called(const void* address, size_t size, const norn_site* site) {
  if (!is_watching()) return;
  if (!look(address, size, site, __norn_spinning)) return forget(__norn_spinning, site, loop_state.part);
  const Inspection here{Inspection::Started()};
  if (here) note_spin(address_of(address), size, site, false);
}

NORN_EXPORT void __norn_spin_leave(const norn_loop* exit, int because) {
  __norn_spinning = nullptr;
  LoopState& state = loop_state;
  if (state.count == 0) return;
  const bool counts = because != 0 && is_watching();
  bool any = false;
  uint32_t kept = 0;
  const Inspection here;
  for (uint32_t i = 0; i < state.count; ++i) {
    const SpinRead& read = state.reads[i];
    if (read.exit != exit) {
      state.reads[kept++] = read;
    } else if (counts && here && read.outdated == 0 && read.size == 0) {
      emit_refusal(here.thread(), read.address);
    } else if (counts && here && read.outdated == 0) {
      any = true;
      const StackId stack = cached_stack_id(*here, read.site);
      if (is_spin(exit)) note_flag(here.thread(), read, stack);
      emit.spin_read(here.thread(), read.address, read.size, stack);
    } else if (is_watching() && here && read.outdated == 0 && read.size != 0 && is_spin(exit)) {
      note_flag(here.thread(), read, cached_stack_id(*here, read.site));  // it was looked at all the same
    }
  }
  state.count = kept;
  if (any) emit.spin_leave(here.thread());
  // What it waited for may have been written by code that nobody looks at.
  if (any && is_sampled()) emit.come_after_all(here.thread());
}

NORN_EXPORT void __norn_wait_begin(const norn_loop* loop, int alone) {
  LoopState& state = loop_state;
  state.waiting = loop;
  state.alone = alone != 0;
}

NORN_EXPORT void __norn_wait_end() { loop_state.waiting = nullptr; }

NORN_EXPORT void __norn_wait_leave(const norn_loop* loop, const void* condition, int because) {
  LoopState& state = loop_state;
  if (state.waited == loop) {
    // What was waited on is known better by the wait itself.
    condition = state.condition;
    state.waited = nullptr;
  }
  if (because == 0 || condition == nullptr || !cv_counts()) return;
  if (const Inspection here; here) emit.wait_loop_leave(here.thread(), address_of(condition));
}
