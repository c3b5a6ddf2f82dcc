// A hazard while a front end describes it (report/findings_writer.h says what it asks of one). Freestanding.
//
// One at a time: whoever has threads takes a lock around it, as around all that builds or writes.
#pragma once

#include "base/text_hash.h"
#include "hazards/atomicity.h"
#include "report/findings_writer.h"
#include "report/race_id.h"

namespace norn::report {

template <class Front>
class HazardDraft {
 public:
  HazardDraft(FindingsWriter<Front>& writer, HazardKind kind) : writer_(writer) {
    writer_.pool().clear();
    hazard.kind = kind;
  }

  [[nodiscard]] Sink title() { return title_.sink(); }
  [[nodiscard]] Sink places() { return places_.sink(); }
  [[nodiscard]] Sink words() { return words_.sink(); }
  [[nodiscard]] bool is_full() const { return count_ == kMaxSteps; }

  // Whoever does what words() was given since the last step, and where.
  void add_step(ThreadId thread, StackId where) {
    const size_t begin = said_;
    said_ = words_.text().size;
    steps_[count_] = {thread, Front::thread_name(thread), words_.text().part(begin, said_ - begin),
                      writer_.own_frames(where, stacks_[count_])};
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
    writer_.put(hazard);
  }

  Hazard hazard;

 private:
  static constexpr size_t kMaxSteps = 32;
  static inline constinit char title_bytes_[512] = {};
  static inline constinit char place_bytes_[512] = {};
  static inline constinit char word_bytes_[1 << 14] = {};
  static inline constinit HazardStep steps_[kMaxSteps] = {};
  static inline constinit Frame stacks_[kMaxSteps][FindingsWriter<Front>::kMaxStepFrames] = {};
  static inline constinit uint64_t sites_[kMaxSteps] = {};

  FindingsWriter<Front>& writer_;
  Buffer title_{title_bytes_, sizeof(title_bytes_)};
  Buffer places_{place_bytes_, sizeof(place_bytes_)};
  Buffer words_{word_bytes_, sizeof(word_bytes_)};
  size_t said_ = 0;
  size_t count_ = 0;
  size_t site_count_ = 0;
};

// Regions of a lock that may have to be one: once for the same statements.
template <class Front>
void put_atomicity(FindingsWriter<Front>& writer, const hazards::BrokenRegion& broken) {
  HazardDraft<Front> draft(writer, HazardKind::kAtomicity);
  struct Part {
    const hazards::LockedStatement& statement;
    const char* comment;
  };
  const Part parts[] = {{broken.first, "then gives the lock up and takes it again"},
                        {broken.between, "which may come in between"},
                        {broken.second, "as if nothing had happened"}};
  draft.title().put("atomicity of ");
  draft.title().put(Front::object_name(broken.address, broken.second.where, writer.pool()));
  uint64_t hash = text_hash("atomicity");
  for (const Part& part : parts) {
    const hazards::LockedStatement& statement = part.statement;
    hash = hash * 31 + Front::identity_of(statement.where);
    draft.places().put(&part == parts ? "" : " / ");
    draft.places().put(writer.line_of(statement.where));
    draft.places().put(statement.writes ? " write" : " read");
    draft.words().put(statement.writes ? "writes, " : "reads, ");
    draft.words().put(part.comment);
    draft.add_step(statement.thread, statement.where);
  }
  // Who comes to the first two at once, the first thread by way of the third, can be let through in the harmful order.
  draft.add_site(Front::identity_of(broken.taken_again));
  draft.add_site(Front::identity_of(broken.taken_between));
  draft.add_site(Front::identity_of(broken.first.where));
  draft.hazard.id = race_id(hash, Front::identity_of(broken.taken_again));
  if (writer.is_new(draft.hazard.id)) draft.append();
}

}  // namespace norn::report
