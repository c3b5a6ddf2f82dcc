#include "runtime/reporting/hazard_reporter.h"

#include "report/lock_order_hazard.h"
#include "runtime/control/slots.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/threads.h"
#include "runtime/reporting/locate.h"
#include "runtime/reporting/native_front.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt {
namespace {

using report::Frame;

// What people call the lock or object at an address.
void put_object(Sink sink, uint64_t address, StackId where) {
  report::Location location;
  Frame frame;
  if (locate_global(address, 1, location, writer.pool()) ||
      locate_local(address, 1, {}, location, frame, writer.pool())) {
    sink.put(location.name.empty() ? location.object : location.name);
  } else if (const Text expression = NativeFront::expression_of(where); !expression.empty()) {
    sink.put(expression);
  } else {
    sink.put(Hex(address).text());
  }
}

constexpr unsigned kMaxHazards = 256;
constinit report::RaceId hazard_ids[kMaxHazards] = {};
constinit unsigned hazard_count = 0;

// True: it was told before, or there are too many.
bool is_old_hazard(const report::RaceId& id) {
  for (unsigned i = 0; i < hazard_count; ++i) {
    if (hazard_ids[i] == id) return true;
  }
  if (hazard_count == kMaxHazards) return true;
  hazard_ids[hazard_count++] = id;
  return false;
}

void put_line(Sink sink, const norn_site* site) {
  if (site == nullptr || site->file == nullptr) {
    sink.put(site == nullptr ? Text("?") : Text(site->function));
    return;
  }
  sink.put(report::base_name(site->file));
  sink.put(':');
  sink.put(Decimal(site->line).text());
}

constexpr size_t kMaxStepFrames = 32;

// The program's own calls that led there, innermost first: how many.
size_t own_frames(StackId where, Frame (&frames)[kMaxStepFrames]) {
  size_t count = 0;
  for_each_site(where, [&](const norn_site& site) {
    if ((site.flags & NORN_SITE_LIBRARY) == 0) frames[count++] = frame_of(site);
    return count < kMaxStepFrames;
  });
  return count;
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
    const size_t frames = own_frames(where, stacks_[count_]);
    steps_[count_] = {
        thread, NativeFront::thread_name(thread), words_.text().part(begin, said_ - begin), {stacks_[count_], frames}};
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
  static inline constinit Frame stacks_[kMaxSteps][kMaxStepFrames] = {};
  static inline constinit uint64_t sites_[kMaxSteps] = {};

  Buffer title_{title_bytes_, sizeof(title_bytes_)};
  Buffer places_{place_bytes_, sizeof(place_bytes_)};
  Buffer words_{word_bytes_, sizeof(word_bytes_)};
  size_t said_ = 0;
  size_t count_ = 0;
  size_t site_count_ = 0;
};

void add_waiter(Draft& draft, const control::Slot& slot) {
  const StackId where = slot.state == nullptr ? kNoStack : place_of(*slot.state, slot.top, nullptr);
  Sink words = draft.words();
  words.put("waits for ");
  words.put(control::name_of(slot.waiting));
  if (slot.waiting != control::Waiting::kThread && slot.object != 0) {
    words.put(": ");
    put_object(words, slot.object, where);
  }
  const Thread* core = slot.state == nullptr ? nullptr : slot.state->core;
  for (unsigned i = 0; core != nullptr && i < core->held_count; ++i) {
    const Held& held = core->held[i];
    words.put("; holds ");
    put_object(words, held.address, held.taken_at);
    words.put(", taken at ");
    put_line(words, own_site(held.taken_at));
  }
  draft.add_step(slot.id, where);
}

}  // namespace

void report_lock_order(const hazards::LockEdge* edges, unsigned count) {
  static constinit report::LockOrderDescription description;
  static constinit report::LockOrderStep steps[report::LockOrderDescription::kMaxSteps];
  static constinit Frame stacks[report::LockOrderDescription::kMaxSteps][kMaxStepFrames];
  const SpinLock lock(report_mutex);
  if (writer.is_finished()) return;
  writer.pool().clear();
  // What is put there is kept until the next report.
  const auto text = [](const auto& put) {
    char bytes[512];
    Buffer words(bytes, sizeof(bytes));
    put(words.sink());
    return writer.pool().keep(words.text());
  };
  const auto name = [&](Address object, StackId where) {
    return text([&](Sink sink) { put_object(sink, object, where); });
  };
  const auto line = [&](StackId where) { return text([&](Sink sink) { put_line(sink, own_site(where)); }); };
  if (count > report::LockOrderDescription::kMaxSteps) count = report::LockOrderDescription::kMaxSteps;
  for (unsigned i = 0; i < count; ++i) {
    const hazards::LockEdge& edge = edges[i];
    steps[i] = {edge.thread,
                NativeFront::thread_name(edge.thread),
                name(edge.holds, edge.holds_at),
                line(edge.holds_at),
                name(edge.wants, edge.wants_at),
                line(edge.wants_at),
                place_identity(edge.wants_at),
                {stacks[i], own_frames(edge.wants_at, stacks[i])}};
  }
  const report::Hazard& hazard = description.describe({steps, count});
  if (!is_old_hazard(hazard.id)) writer.put(hazard);
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
    hash = hash * 31 + place_identity(statement.where);
    draft.places().put(&part == parts ? "" : " / ");
    put_line(draft.places(), own_site(statement.where));
    draft.places().put(statement.writes ? " write" : " read");
    draft.words().put(statement.writes ? "writes, " : "reads, ");
    draft.words().put(part.comment);
    draft.add_step(statement.thread, statement.where);
  }
  // Who comes to the first two at once, the first thread by way of the third, can be let through in the harmful order.
  draft.add_site(place_identity(broken.taken_again));
  draft.add_site(place_identity(broken.taken_between));
  draft.add_site(place_identity(broken.first.where));
  draft.hazard.id = report::race_id(hash, place_identity(broken.taken_again));
  if (!is_old_hazard(draft.hazard.id)) draft.append();
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
      report::race_id(place_identity(misuse.where), report::text_hash(kind) ^ report::text_hash(misuse.name));
  if (is_old_hazard(id)) return;
  Draft draft(misuse.kind);
  draft.hazard.id = id;
  if (misuse.object != 0) {
    put_object(draft.title(), misuse.object, misuse.other_at != kNoStack ? misuse.other_at : misuse.where);
  } else {
    draft.title().put(misuse.name);
  }
  put_line(draft.places(), own_site(misuse.where));
  const MisuseWords words = misuse_words(misuse.kind);
  draft.words().put(words.does);
  draft.add_step(misuse.thread, misuse.where);
  if (misuse.other != kNoThread && misuse.other_at != kNoStack) {
    draft.words().put(words.other);
    draft.add_step(misuse.other, misuse.other_at);
  }
  draft.append();
}

void report_deadlock(const control::Slot* slots, uint32_t count) {
  if (!lock_for_end()) return;
  Draft draft(report::HazardKind::kDeadlock);
  uint32_t waiting = 0;
  uint64_t hash = report::text_hash("deadlock");
  for (uint32_t i = 0; i < count; ++i) {
    const control::Slot& slot = slots[i];
    if (slot.status.load() != control::Status::kWaiting) continue;
    ++waiting;
    hash = hash * 31 + slot.step.site;
    if (draft.is_full()) continue;
    const StackId where = slot.state == nullptr ? kNoStack : place_of(*slot.state, slot.top, nullptr);
    draft.places().put(waiting == 1 ? "" : " / ");
    put_line(draft.places(), own_site(where));
    add_waiter(draft, slot);
  }
  draft.title().put("deadlock: ");
  draft.title().put(Decimal(waiting).text());
  draft.title().put(waiting == 1 ? " thread waits for what never comes" : " threads wait for what never comes");
  draft.hazard.id = report::race_id(hash, waiting);
  draft.append();
  report_mutex.unlock();
}

}  // namespace norn::rt
