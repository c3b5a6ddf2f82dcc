// What the native runtime says of a program for its reports (report/findings_writer.h lists it), and what is written
// with it, for reporter.cc and hazard_reporter.cc.
#pragma once

#include "norn/site.h"
#include "report/findings_writer.h"
#include "runtime/memory/blocks.h"
#include "runtime/process/state.h"

namespace norn::rt {

struct NativeFront {
  static constexpr Text kName = "native";
  static constexpr size_t kTextBytes = 1 << 14;
  using Block = rt::Block;

  static Detector& detector() { return rt::detector; }
  static const Thread* current_thread() { return current_state == nullptr ? nullptr : current_state->core; }
  static report::Process process();
  static List<report::Frame> frames_of(StackId where, report::Frame* frames, size_t most, TextPool& pool);
  static Text expression_of(StackId where);
  static uint64_t size_of(StackId where);
  // The flags of its site (norn_site_flag); 0: unknown.
  static uint32_t flags_of(StackId where);
  static uint64_t site_id(StackId where);
  static Text thread_name(ThreadId id);
  static StackId created_at(ThreadId id);
  static bool locate_special(Address address, report::Location& location, TextPool& pool);
  static bool locate_variable(Address address, uint64_t size, const report::Access (&accesses)[2],
                              report::Location& location, TextPool& pool);
  static bool find_block(Address address, Block& block) { return rt::find_block(address, block); }
  static ThreadId thread_of_stack(Address address);
  static Text object_name(Address address, StackId where, TextPool& pool);
  static uint64_t identity_of(StackId where);
  static void measure(report::Stats& stats);
  static bool append(Text line);
  static bool append_last(Text line);
  static void count_lost(const report::Race& race);
  static report::TextOptions text_options();
  static void print(Text text);
};

extern constinit report::FindingsWriter<NativeFront> writer;
extern constinit SpinMutex report_mutex;  // around all that builds or writes a report

[[nodiscard]] report::Frame frame_of(const norn_site& site);
// The innermost site of the user's own code; the innermost one if there is none.
[[nodiscard]] const norn_site* own_site(StackId where);
// Takes the mutex. False: it cannot be had, for whoever ends the program may be the one who was reporting.
[[nodiscard]] bool lock_for_end();

}  // namespace norn::rt
