// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/waiting.h"

#include "core/emitter_inline.h"
#include "hazards/hazard_listener.h"
#include "loops/graph.h"
#include "report/race.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/tool_reporter.h"

namespace norn::vg {
namespace {

constinit WaitingLoop* first_loop = nullptr;
constinit WaitingLoop** last_loop = &first_loop;

bool cv_counts() { return settings().lib && settings().cv != ConditionMode::kOff; }

uint64_t value_at(Address address, uint64_t size) {
  uint64_t value = 0;
  if (size > sizeof(value)) size = sizeof(value);
  if (VG_(am_is_valid_for_client)(address, size, VKI_PROT_READ))
    VG_(memcpy)(&value, reinterpret_cast<const void*>(address), size);
  return value;
}

// `sweeps`: every place read by the instruction counts, and not the last one only.
SpinRead* remember(LoopState& state, const WaitingLoop* exit, Address ip, Address address, uint64_t size, uint32_t part,
                   bool sweeps) {
  // The first test of a loop may stand before it, as another instruction: what counts is the place.
  for (uint32_t i = 0; i < state.count; ++i) {
    SpinRead& read = state.reads[i];
    if (read.exit == exit && read.part == part && read.address == address) {
      read.outdated = false;
      return &read;
    }
  }
  const SpinRead fresh = {exit, ip, address, static_cast<uint32_t>(size), part, false, false, value_at(address, size)};
  for (uint32_t i = 0; i < state.count && !sweeps; ++i) {
    SpinRead& read = state.reads[i];
    if (read.exit != exit || read.part != part || read.ip != ip) continue;
    read = fresh;
    return nullptr;
  }
  if (state.count == LoopState::kReads) {
    for (uint32_t i = 1; i < state.count; ++i) state.reads[i - 1] = state.reads[i];
    --state.count;
  }
  state.reads[state.count++] = fresh;
  return nullptr;
}

// The second time round the thread is really waiting; but not if it found something else there and goes on, as loops do
// that work until they are told to stop, and test where they are in their work: that would be noted with each step.
void emit_waiting(SpinRead* read, ThreadState& self) {
  if (read == nullptr || read->emitted) return;
  const uint64_t value = value_at(read->address, read->size);
  const bool same = read->value == value;
  read->value = value;
  if (!same) return;
  read->emitted = true;
  emit.spin_read(*self.core, read->address, read->size, kNoStack, true);
}

// What was read there before does not count any more.
void forget(LoopState& state, const WaitingLoop* exit, Address ip, uint32_t part) {
  for (uint32_t i = 0; i < state.count; ++i) {
    SpinRead& read = state.reads[i];
    if (read.exit == exit && read.part == part && read.ip == ip) read.outdated = true;
  }
}

void without_accesses(ThreadState& self, const auto& operation) {
  emit.ignore_begin(*self.core, kIgnoreReads | kIgnoreWrites);
  operation();
  emit.ignore_end(*self.core, kIgnoreReads | kIgnoreWrites);
}

// Whether what is read now is read under a lock that is the variable's own: one that the loop takes for it, or lets go
// of in between. Then the lock orders, or nothing does (runtime/hooks/loop_hooks.cc).
bool is_read_under_lock(const ThreadState& self, const WaitingLoop& exit) {
  return (exit.kind & WaitingLoop::kLocks) != 0 && is_spin(exit) && self.core->held_count != 0;
}

// Reads the place as the program does, if that is anything but waiting. False: it is not waited for.
bool look(ThreadState& self, const WaitingLoop& exit, Address address, ReadFlags flags, Address ip) {
  const uint64_t size = flags.size();
  const auto read = [&] {
    if (flags.atomic()) {
      atomic_access(AccessKind::kRead, address, size, ip);
    } else {
      access(AccessKind::kRead, address, size, ip);
    }
  };
  if (!is_spin(exit) || is_read_under_lock(self, exit)) {
    read();
    return !is_spin(exit) && is_ordered_by_reads(exit);
  }
  emit.look(*self.core, address, size);
  if (flags.atomic() || (size <= 8 && detector.holds_atomic(address))) without_accesses(self, read);
  return true;
}

// --- what was found --------------------------------------------------------------------------------------------------

void put_place(Sink out, Address code) {
  static constinit char bytes[4096] = {};
  TextPool pool(bytes, sizeof(bytes));
  report::Frame frames[8];
  const size_t count = frames_at({code, 0, kNoStack, kNoStack, VG_(current_DiEpoch)().n, 0}, frames, 8, pool);
  const report::Frame& frame = frames[0];
  if (frame.file.empty()) {
    out.put(report::base_name(frame.module));
    out.put('+');
    out.put(Hex(frame.offset).text());
  } else {
    out.put(frame.file);
    out.put(':');
    out.put(Decimal(frame.line).text());
  }
  if (count > 0 && !frame.function.empty()) {
    out.put(" in ");
    out.put(frame.function);
  }
}

void put_waited_for(Sink out, const WaitingLoop& loop) {
  static constinit char bytes[2048] = {};
  TextPool pool(bytes, sizeof(bytes));
  bool any = false;
  for (const Address address : loop.shown) {
    report::Location location;
    if (address == 0 || !locate_variable(address, location, pool)) continue;
    if (any) out.put(", ");
    out.put(location.name);
    any = true;
  }
  if (!any) out.put((loop.kind & WaitingLoop::kSpins) != 0 ? Text("memory") : Text("a condition variable"));
}

void put_kind(Sink out, const WaitingLoop& loop) {
  const bool spins = (loop.kind & WaitingLoop::kSpins) != 0;
  out.put(spins ? "spins until " : "waits until ");
  put_waited_for(out, loop);
  if (spins) {
    out.put(" changes; a condition of ");
    out.put(Decimal(loop.blocks).text());
    out.put(loop.blocks == 1 ? " block" : " blocks");
    if (!is_spin(loop)) {
      out.put("; too many for --spin=");
      out.put(Decimal(settings().spin).text());
    }
  } else {
    out.put(" is signalled");
    if (!cv_counts()) out.put("; not honoured by these options");
  }
}

bool is_exit_of_wait(const WaitingLoop& loop) {
  constexpr uint32_t kBoth = WaitingLoop::kSpins | WaitingLoop::kWaits;
  return (loop.kind & kBoth) == kBoth;
}

bool is_emitted_by_its_wait(const WaitingLoop& loop) { return settings().lib && is_exit_of_wait(loop); }

void list(const WaitingLoop& loop) {
  char bytes[1024];
  Buffer line(bytes, sizeof(bytes));
  line.sink().put("norn: loop at ");
  put_place(line.sink(), loop.at);
  line.sink().put(": ");
  put_kind(line.sink(), loop);
  line.sink().put("\n");
  VG_(write)(2, line.text().data, static_cast<Int>(line.text().size));
}

void dump() {
  char path[4096];
  Buffer terminated(path, sizeof(path));
  if (!settings().dump_cfg.starts_with("/")) {
    terminated.sink().put(VG_(get_startup_wd)());
    terminated.sink().put('/');
  }
  terminated.sink().put(settings().dump_cfg);
  terminated.sink().put('\0');
  const Int fd = VG_(fd_open)(path, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0644);
  if (fd < 0) return;
  static constinit char bytes[16384] = {};
  const auto write = [&](const auto& fill) {
    Buffer part(bytes, sizeof(bytes));
    fill(part.sink());
    VG_(write)(fd, part.text().data, static_cast<Int>(part.text().size));
  };
  write([](Sink out) { out.put("digraph loops {\n  node [shape=box];\n"); });
  uint32_t number = 0;
  for (const WaitingLoop* loop = first_loop; loop != nullptr; loop = loop->next) {
    if (is_emitted_by_its_wait(*loop)) continue;
    ++number;
    write([&](Sink out) {
      loops::put_loop(out, number, loop->graph, [&](Sink label) {
        put_place(label, loop->at);
        label.put("\\n");
        put_kind(label, *loop);
      });
    });
  }
  write([](Sink out) { out.put("}\n"); });
  VG_(close)(fd);
}

// 0: something on the way cannot be read.
Address follow(const Recipe& recipe, const uint8_t* guest) {
  if (recipe.steps == 0) return 0;
  Address value = 0;
  if (recipe.register_offset >= 0) VG_(memcpy)(&value, guest + recipe.register_offset, sizeof(value));
  value += static_cast<Address>(recipe.offsets[0]);
  for (unsigned i = 1; i < recipe.steps; ++i) {
    if (!VG_(am_is_valid_for_client)(value, sizeof(value), VKI_PROT_READ)) return 0;
    VG_(memcpy)(&value, reinterpret_cast<const void*>(value), sizeof(value));
    value += static_cast<Address>(recipe.offsets[i]);
  }
  return value;
}

}  // namespace

bool is_spin(const WaitingLoop& exit) {
  return (exit.kind & WaitingLoop::kSpins) != 0 && exit.blocks <= settings().spin &&
         ((exit.kind & WaitingLoop::kWaits) == 0 || !settings().lib);
}

bool is_ordered_by_reads(const WaitingLoop& exit) {
  if (is_spin(exit)) return true;
  return is_exit_of_wait(exit) && settings().lib && settings().cv == ConditionMode::kWriteRead && settings().spin != 0;
}

void add_loop(WaitingLoop* loop) {
  *last_loop = loop;
  last_loop = &loop->next;
  if ((settings().verbose & options::kVerboseLoops) != 0 && !is_emitted_by_its_wait(*loop)) list(*loop);
}

void finish_loops() {
  if (!settings().dump_cfg.empty()) dump();
}

void on_spin_read(Address address, ReadFlags flags, Address ip, const WaitingLoop* exit) {
  ThreadState& self = *current;
  if (!look(self, *exit, address, flags, ip)) return forget(*self.loops, exit, ip, 0);
  emit_waiting(remember(*self.loops, exit, ip, address, flags.size(), 0, flags.sweeps()), self);
}

void on_spin_begin(const WaitingLoop* exit, Address part, Address sp) {
  LoopState& state = *current->loops;
  if (state.spinning != nullptr && sp <= state.spinning_sp) return;  // a condition of a condition
  for (uint32_t i = 0; i < state.count; ++i) {
    SpinRead& read = state.reads[i];
    if (read.exit == exit && read.part == part) read.outdated = true;
  }
  state.spinning = exit;
  state.spinning_sp = sp;
  state.part = static_cast<uint32_t>(part);
}

void on_spin_end() { current->loops->spinning = nullptr; }

void on_spin_leave(const WaitingLoop* exit) {
  ThreadState& self = *current;
  LoopState& state = *self.loops;
  state.spinning = nullptr;
  bool any = false;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < state.count; ++i) {
    const SpinRead& read = state.reads[i];
    if (read.exit != exit) {
      state.reads[kept++] = read;
    } else if (!read.outdated && read.size == 0) {
      static_cast<void>(emit.lock_refused(*self.core, read.address));
    } else if (!read.outdated && !detector.knows(*self.core, AccessKind::kWrite, read.address, read.size)) {
      // What the thread itself wrote last, since its last synchronization, nobody else ended the loop by.
      any = true;
      emit.spin_read(*self.core, read.address, read.size, place(self, read.ip));
    }
  }
  state.count = kept;
  if (any) emit.spin_leave(*self.core);
}

void on_wait_begin(const WaitingLoop* loop, Address alone) {
  LoopState& state = *current->loops;
  state.waiting = loop;
  state.alone = alone != 0;
}

void on_wait_end() { current->loops->waiting = nullptr; }

void on_wait_leave(const WaitingLoop* loop, const Recipe* condition, const uint8_t* guest) {
  ThreadState& self = *current;
  LoopState& state = *self.loops;
  Address object = 0;
  if (state.waited == loop) {
    // What was waited on is known better by the wait itself.
    object = state.condition;
    state.waited = nullptr;
  } else if (condition != nullptr) {
    object = follow(*condition, guest);
  }
  if (object != 0 && cv_counts()) emit.wait_loop_leave(*self.core, object);
}

void on_test_and_set(Address address, Address size_and_done, Address ip, const WaitingLoop* exit) {
  ThreadState& self = *current;
  const uint64_t size = size_and_done >> 1;
  const bool done = (size_and_done & 1) != 0;
  ++atomic_changes;
  const auto update = [&] {
    emit.atomic(*self.core, address, size, place(self, ip), [done] {
      return done ? Detector::AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kAcqRel}
                  : Detector::AtomicOutcome{EventKind::kAtomicLoad, MemoryOrder::kAcquire};
    });
  };
  if (!is_spin(*exit)) {
    become_atomic(self, address, size);
    return update();
  }
  // Nothing is seen of it but what it waits for: a plain store that gives up what was taken is its counterpart.
  without_accesses(self, update);
  if (done) {
    // Left on the spot: it holds what it waited for, or will try again and wait for more.
    emit.spin_read(*self.core, address, size, place(self, ip));
    emit.spin_leave(*self.core);
  } else {
    emit_waiting(remember(*self.loops, exit, ip, address, size, 0, false), self);
  }
}

void note_called_read(ThreadState& self, Address address, ReadFlags flags, Address ip) {
  LoopState& state = *self.loops;
  if (!look(self, *state.spinning, address, flags, ip)) return forget(state, state.spinning, ip, state.part);
  SpinRead* again = remember(state, state.spinning, ip, address, flags.size(), state.part, true);
  if (again == nullptr) return;
  again->outdated = false;
  emit_waiting(again, self);
}

void note_refusal(ThreadState& self, Address lock) {
  LoopState& state = *self.loops;
  if (state.spinning == nullptr || !is_spin(*state.spinning)) return;
  SpinRead* again = remember(state, state.spinning, 0, lock, 0, state.part, true);
  if (again != nullptr) again->outdated = false;
}

bool waits_in_loop(ThreadState& self, Address condition) {
  LoopState& state = *self.loops;
  if (state.waiting == nullptr) return false;
  state.waited = state.waiting;
  state.condition = condition;
  return state.alone && cv_counts();
}

}  // namespace norn::vg
