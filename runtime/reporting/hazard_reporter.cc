#include "runtime/reporting/hazard_reporter.h"

#include "runtime/control/slots.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/threads.h"
#include "runtime/reporting/native_front.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt {
namespace {

using report::Frame;

void put_object(Sink sink, Address object, StackId where) {
  sink.put(NativeFront::object_name(object, where, writer.pool()));
}

// A hazard while it is described. One at a time, under the mutex.
class Draft {
 public:
  explicit Draft(report::HazardKind kind) {
    writer.pool().clear();
    hazard.kind = kind;
  }

  [[nodiscard]] Sink title() { return title_.sink(); }
  [[nodiscard]] Sink places() { return places_.sink(); }
  [[nodiscard]] Sink words() { return words_.sink(); }
  [[nodiscard]] bool is_full() const { return count_ == kMaxSteps; }

  // Whoever does what words() was told since the last step, and where.
  void add_step(ThreadId thread, StackId where) {
    const size_t begin = said_;
    said_ = words_.text().size;
    steps_[count_] = {thread, NativeFront::thread_name(thread), words_.text().part(begin, said_ - begin),
                      writer.own_frames(where, stacks_[count_])};
    ++count_;
  }
  // What is to be brought together to make it happen.
  void add_site(uint64_t identity) {
    if (site_count_ < kMaxSteps) sites_[site_count_++] = identity;
  }

  void append() {
    hazard.title = title_.text();
    hazard.places = places_.text();
    hazard.sites = {sites_, site_count_};
    hazard.steps = {steps_, count_};
    writer.put(hazard);
  }

  report::Hazard hazard;

 private:
  static constexpr size_t kMaxSteps = 32;
  static inline constinit char title_bytes_[512] = {};
  static inline constinit char place_bytes_[512] = {};
  static inline constinit char word_bytes_[1 << 14] = {};
  static inline constinit report::HazardStep steps_[kMaxSteps] = {};
  static inline constinit Frame stacks_[kMaxSteps][decltype(writer)::kMaxStepFrames] = {};
  static inline constinit uint64_t sites_[kMaxSteps] = {};

  Buffer title_{title_bytes_, sizeof(title_bytes_)};
  Buffer places_{place_bytes_, sizeof(place_bytes_)};
  Buffer words_{word_bytes_, sizeof(word_bytes_)};
  size_t said_ = 0;
  size_t count_ = 0;
  size_t site_count_ = 0;
};

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
  if (writer.is_finished()) return;
  Draft draft(report::HazardKind::kAtomicity);
  struct Part {
    const hazards::LockedStatement& statement;
    const char* comment;
  };
  const Part parts[] = {{broken.first, "then gives the lock up and takes it again"},
                        {broken.between, "which may come in between"},
                        {broken.second, "as if nothing had happened"}};
  draft.title().put("atomicity of ");
  put_object(draft.title(), broken.address, broken.second.where);
  uint64_t hash = report::text_hash("atomicity");
  for (const Part& part : parts) {
    const hazards::LockedStatement& statement = part.statement;
    hash = hash * 31 + stack_identity(statement.where);
    draft.places().put(&part == parts ? "" : " / ");
    draft.places().put(writer.line_of(statement.where));
    draft.places().put(statement.writes ? " write" : " read");
    draft.words().put(statement.writes ? "writes, " : "reads, ");
    draft.words().put(part.comment);
    draft.add_step(statement.thread, statement.where);
  }
  // Who comes to the first two at once, the first thread by way of the third, can be let through in the harmful order.
  draft.add_site(stack_identity(broken.taken_again));
  draft.add_site(stack_identity(broken.taken_between));
  draft.add_site(stack_identity(broken.first.where));
  draft.hazard.id = report::race_id(hash, stack_identity(broken.taken_again));
  if (writer.is_new(draft.hazard.id)) draft.append();
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
  const report::RaceId id =
      report::race_id(stack_identity(misuse.where), report::text_hash(kind) ^ report::text_hash(misuse.name));
  if (!writer.is_new(id)) return;
  Draft draft(misuse.kind);
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
  Draft draft(report::HazardKind::kDeadlock);
  uint32_t waiting = 0;
  uint64_t hash = report::text_hash("deadlock");
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
