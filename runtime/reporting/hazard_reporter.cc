#include "runtime/reporting/hazard_reporter.h"

#include "base/text_hash.h"
#include "report/hazard_draft.h"
#include "report/race_id.h"
#include "runtime/control/slots.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/reporting/native_front.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt {
namespace {

void put_object(Sink sink, Address object, StackId where) {
  sink.put(NativeFront::object_name(object, where, writer.pool()));
}

using Draft = report::HazardDraft<NativeFront>;

// Where a thread waits. One that looks does so where it last looked from, unless it is in a call of the same line.
StackId place_of(const control::Slot& slot) {
  if (slot.state == nullptr) return kNoStack;
  const norn_site* looks = slot.waiting == control::Waiting::kNothing ? slot.last_site : nullptr;
  const CallStack& calls = *slot.state->running;
  if (looks != nullptr && slot.top > calls.begin && slot.top <= calls.end) {
    const norn_site* call = CallStack::site_of(slot.top[-1]);
    if (call != nullptr && call->line == looks->line && call->file == looks->file) looks = nullptr;
  }
  return stack_id_of(*slot.state, slot.top, looks);
}

void add_waiter(Draft& draft, const control::Slot& slot) {
  const StackId where = place_of(slot);
  Sink words = draft.words();
  const bool looks = slot.waiting == control::Waiting::kNothing;
  words.put(looks ? "looks again and again here" : "waits for ");
  if (!looks) words.put(control::name_of(slot.waiting));
  if (!looks && slot.waiting != control::Waiting::kThread && slot.object != 0) {
    words.put(": ");
    put_object(words, slot.object, where);
  }
  const Thread* core = slot.state == nullptr ? nullptr : slot.state->core;
  for (unsigned i = 0; core != nullptr && i < core->held_count; ++i) {
    const Held& held = core->held[i];
    words.put("; holds ");
    put_object(words, held.address, held.taken_at);
    words.put(", taken at ");
    words.put(writer.line_of(held.taken_at));
  }
  draft.add_step(slot.id, where);
}

}  // namespace

void report_lock_order(const hazards::LockEdge* edges, unsigned count) {
  const SpinLock lock(report_mutex);
  if (!writer.is_finished()) writer.put_lock_order(edges, count);
}

void report_atomicity(const hazards::BrokenRegion& broken) {
  const SpinLock lock(report_mutex);
  if (!writer.is_finished()) report::put_atomicity(writer, broken);
}

namespace {

// What the thread did, and what the other had done.
struct MisuseWords {
  const char* does;
  const char* other;
};
MisuseWords misuse_words(report::HazardKind kind) {
  switch (kind) {
    case report::HazardKind::kDestroyLocked:
      return {"destroys it", "holds it, taken here"};
    case report::HazardKind::kUnlockUnlocked:
      return {"unlocks it", ""};
    case report::HazardKind::kUnlockForeign:
      return {"unlocks it", "holds it, taken here"};
    case report::HazardKind::kDoubleLock:
      return {"locks it", "holds it, taken here"};
    case report::HazardKind::kUseDestroyed:
      return {"uses it", ""};
    case report::HazardKind::kHeldInWrongContext:
      return {"comes to where no lock may be held", "took it here"};
    case report::HazardKind::kThreadLeak:
      return {"created it here", ""};
    case report::HazardKind::kSignalUnsafe:
      return {"calls it in a handler", ""};
    case report::HazardKind::kSignalErrno:
      return {"ran the handler", ""};
    default:
      return {"", ""};
  }
}

}  // namespace

void report_misuse(const Misuse& misuse) {
  const SpinLock lock(report_mutex);
  if (writer.is_finished()) return;
  const Text kind = report::name_of(misuse.kind);
  const report::RaceId id = report::race_id(stack_identity(misuse.where), text_hash(kind) ^ text_hash(misuse.name));
  if (!writer.is_new(id)) return;
  Draft draft(writer, misuse.kind);
  draft.hazard.id = id;
  if (misuse.object != 0) {
    put_object(draft.title(), misuse.object, misuse.other_at != kNoStack ? misuse.other_at : misuse.where);
  } else {
    draft.title().put(misuse.name);
  }
  draft.places().put(writer.line_of(misuse.where));
  const MisuseWords words = misuse_words(misuse.kind);
  draft.words().put(words.does);
  draft.add_step(misuse.thread, misuse.where);
  if (misuse.other != kNoThread && misuse.other_at != kNoStack) {
    draft.words().put(words.other);
    draft.add_step(misuse.other, misuse.other_at);
  }
  draft.append();
}

void report_deadlock(const control::Slot* slots, uint32_t count, uint32_t pollers) {
  if (!lock_for_end()) return;
  Draft draft(writer, report::HazardKind::kDeadlock);
  uint32_t waiting = 0;
  uint64_t hash = text_hash("deadlock");
  for (uint32_t i = 0; i < count; ++i) {
    const control::Slot& slot = slots[i];
    const bool looks = pollers != 0 && slot.can_go_on();
    if (!looks && !slot.is_stuck()) continue;
    ++waiting;
    hash = hash * 31 + slot.step.site;
    if (draft.is_full()) continue;
    const StackId where = place_of(slot);
    draft.places().put(waiting == 1 ? "" : " / ");
    draft.places().put(writer.line_of(where));
    add_waiter(draft, slot);
  }
  draft.title().put(pollers != 0 ? "standstill: " : "deadlock: ");
  draft.title().put(Decimal(waiting).text());
  draft.title().put(waiting == 1 ? " thread waits for what never comes" : " threads wait for what never comes");
  if (pollers != 0) {
    draft.title().put(", ");
    draft.title().put(pollers == waiting ? "all" : Decimal(pollers).text());
    draft.title().put(" by looking at what can change no more");
  }
  draft.hazard.id = report::race_id(hash, waiting);
  draft.append();
  report_mutex.unlock();
}

}  // namespace norn::rt
