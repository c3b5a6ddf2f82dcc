#include "analyze/proving.h"

#include <algorithm>

#include "analyze/plausible.h"
#include "analyze/sync_preserving.h"
#include "analyze/trace_front.h"
#include "analyze/witness_checker.h"

namespace norn::analyze {
namespace {

// Calls visit(item, at, is_past) for each item. Timestamps of the process itself go on behind those of its ancestors.
// Gives why it ended early, if it did.
template <class Visit>
std::string for_each_item(const std::vector<Stretch>& stretches, Visit visit) {
  uint64_t before = 0;
  for (const Stretch& stretch : stretches) {
    const bool is_past = &stretch != &stretches.back();
    trace::Merge merge(*stretch.file);
    Item item;
    while (merge.is_before(stretch.until) && merge.next(item)) {
      if (!is_plausible(item.event)) {
        return "the trace is cut after event " + std::to_string(item.timestamp) + ": what follows is no event";
      }
      if (!visit(item, before + item.timestamp, is_past)) return "";
    }
    if (merge.position() < stretch.until && !merge.cut().empty()) return merge.cut();
    before += is_past ? stretch.until : 0;
  }
  return "";
}

bool counts(ThreadId earlier_id, ThreadId later_id, bool own) {
  const trace::ThreadEntry* earlier = thread_entry(earlier_id);
  const trace::ThreadEntry* later = thread_entry(later_id);
  if (earlier == nullptr || later == nullptr || earlier->host == 0 || earlier->host != later->host) return true;
  return !own;
}

struct Found {
  Witness witness;
  std::string id;
  std::string record;
};

// The locks of an access, by what people call them. They hold until the next report is built.
List<report::LockHeld> locks_of(const std::vector<SyncPreserving::HeldLock>& locks, const report::Access (&accesses)[2],
                                std::vector<report::LockHeld>& held) {
  held.clear();
  for (const SyncPreserving::HeldLock& lock : locks) {
    report::LockHeld& entry = held.emplace_back();
    entry.address = lock.address;
    entry.mode = lock.mode == LockMode::kShared ? report::HeldMode::kShared : report::HeldMode::kExclusive;
    Frame frames[16];
    entry.taken_at = report::own_frame(TraceFront::frames_of(lock.taken_at, frames, std::size(frames), writer.pool()));
    report::Location location;
    if (TraceFront::locate_variable(lock.address, 1, accesses, location, writer.pool())) {
      entry.name = text_or(location.name, location.object);
    } else {
      entry.name = TraceFront::expression_of(lock.taken_at);
    }
  }
  return {held.data(), held.size()};
}

Found describe(const SyncPreserving::Race& race, const Witness& witness) {
  static report::Race described;
  static std::vector<report::LockHeld> held[2];
  const auto side = [](const SyncPreserving::RacingAccess& access) {
    return RacingAccess{access.kind, access.thread, access.where, kNoLocks};
  };
  const RacingPair pair{norn::Standing::kPredicted, race.address, race.size, side(race.earlier), side(race.later), {}};
  writer.build_pair(pair, identity_of_stack(race.earlier.where), identity_of_stack(race.later.where),
                    report::Detection::kProved, described);
  described.accesses[0].locks = locks_of(race.later.locks, described.accesses, held[0]);
  described.accesses[1].locks = locks_of(race.earlier.locks, described.accesses, held[1]);
  const std::string text = text_of(witness);
  described.witness = {text.data(), text.size()};
  writer.suppress(described);
  static char line[1 << 17];
  Text record = report::format_race(described, now->tables.process.pid, line, sizeof(line));
  if (record.empty()) {
    // It has too many threads; --witness writes it all the same.
    described.witness = {};
    record = report::format_race(described, now->tables.process.pid, line, sizeof(line));
  }
  return {witness, described.id.hex, std::string(record.data == nullptr ? "" : record.data, record.size)};
}

// Of the process's own events: what its ancestors did is done.
Witness within_file(Witness witness, uint64_t before) {
  std::erase_if(witness.until, [&](const auto& entry) { return entry.second < before; });
  for (auto& [thread, until] : witness.until) until -= before;
  witness.earlier -= before;
  witness.later -= before;
  return witness;
}

bool append(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  return written;
}

// What is kept of the program's memory by default.
size_t usual_memory_limit() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

Outcome prove(const Job& job, const std::vector<Stretch>& stretches, std::string& error) {
  now->engine = kOfflineEngines[0].name;
  uint64_t before = 0;
  for (const Stretch& stretch : stretches) before += &stretch != &stretches.back() ? stretch.until : 0;

  std::vector<Found> found;
  SyncPreserving engine({.identity = [](StackId where) { return identity_of_stack(where); },
                         .counts = &counts,
                         .found =
                             [&](const SyncPreserving::Race& race) {
                               found.push_back(describe(race, within_file(race.witness, before)));
                             },
                         .memory_limit = now->settings.memory_limit == 0 ? usual_memory_limit()
                                                                         : size_t{now->settings.memory_limit} << 20});
  const auto pass = [&](const Item& item, uint64_t at, bool is_past) {
    const Event& event = item.event;
    if (item.kind == ItemKind::kBlock && event.address + event.size >= event.address)
      now->blocks.add({event.address, event.size, event.thread, event.where, {}, false});
    if (item.kind == ItemKind::kBlockEnd) now->blocks.end(event.address);
    if (item.kind == ItemKind::kEvent) engine.add(event, at, item.own, is_past);
    return engine.refusal().empty();
  };
  std::string cut = for_each_item(stretches, pass);
  now->blocks = {};
  engine.begin_second_pass();
  if (engine.refusal().empty()) cut = for_each_item(stretches, pass);
  if (!engine.refusal().empty()) {
    error = engine.refusal();
    return Outcome::kRefused;
  }
  now->left_out = engine.statistics().accesses;
  now->others = engine.statistics().others;
  now->threads = engine.statistics().threads;

  // What was found is believed when somebody else has looked at it.
  std::vector<Witness> witnesses;
  witnesses.reserve(found.size());
  for (const Found& each : found) witnesses.push_back(each.witness);
  const std::vector<std::string> answers = check_witnesses(stretches, std::move(witnesses));
  writer.put_start();
  std::string lines;
  for (size_t i = 0; i < found.size(); ++i) {
    if (answers[i].empty()) {
      TraceFront::append({found[i].record.data(), found[i].record.size()});
      lines += found[i].id + ' ' + job.trace + ' ' + text_of(found[i].witness) + '\n';
    } else {
      static std::string note;
      note = "a mistake of norn's: the witness of race R" + found[i].id + " does not hold (" + answers[i] +
             "); it is left out";
      writer.put_note(note.c_str());
    }
  }
  if (!job.witnesses.empty() && !append(job.witnesses, lines)) {
    error = job.witnesses + " cannot be written";
    return Outcome::kRefused;
  }
  const Tables& own = stretches.back().file->tables();
  if (cut.empty() && !own.stopped.empty()) cut = "the recording stopped before the program ended: " + own.stopped;
  if (!cut.empty()) writer.put_note(cut.c_str());
  if (own.end && cut.empty()) writer.put_end(own.end->exit);
  return cut.empty() ? Outcome::kDone : Outcome::kCut;
}

std::vector<std::string> check_witnesses(const std::vector<Stretch>& stretches, std::vector<Witness> witnesses) {
  uint64_t before = 0;
  for (const Stretch& stretch : stretches) before += &stretch != &stretches.back() ? stretch.until : 0;
  uint64_t last = 0;
  for (Witness& witness : witnesses) {
    for (auto& [thread, until] : witness.until) until += before;
    witness.earlier += before;
    witness.later += before;
    last = std::max(last, witness.later);
  }
  if (witnesses.empty()) return {};
  WitnessChecker checker(std::move(witnesses));
  for_each_item(stretches, [&](const Item& item, uint64_t at, bool is_past) {
    if (item.kind == ItemKind::kEvent) checker.add(item.event, at, is_past);
    return at < last;
  });
  return checker.finish();
}

}  // namespace norn::analyze
