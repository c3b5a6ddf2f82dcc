// SPDX-License-Identifier: GPL-2.0-or-later
// The Valgrind tool: norn's front end for programs as they are. `norn run` starts it.
#include "core/detector.h"
#include "valgrind/debug_info/variables.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/tool_reporter.h"
#include "valgrind/tool/waiting.h"

namespace norn::vg {
namespace {

Options core_options() {
  const options::Settings& said = settings();
  Options options;
  options.engine = said.engine;
  options.condition = said.cv;
  options.spin = said.spin != 0;
  options.handover = said.handover && (said.hazards & options::kHazardAtomicity) == 0;
  options.library = said.lib;
  if (said.history == options::History::kShort) options.superseded_cap = options::kShortHistory;
  options.memory_limit = size_t{said.memory_limit} << 20;
  options.shadow_at = reserve_shadow();
  return options;
}

void after_options() {
  want_variables();
  // A block ends where a function is called, so that calls can be followed.
  VG_(clo_vex_control).guest_chase = False;
  read_settings();
  const bool ready = detector.init(core_options(), report_listener()) && init_state() && init_places() && init_files();
  tl_assert2(ready, "norn: no memory\n");
  start_reporter();
}

void at_end(Int /*exit_status*/) {
  if (checks_itself) return;  // and says how it ended
  finish_loops();
  finish_report();
}

void on_create(HostThread parent, HostThread child) { thread_is_created(parent, child); }
void on_exit(HostThread host) { thread_ends(host); }
void on_run(HostThread host, ULong /*blocks*/) { thread_runs(host); }

// Memory of the operating system's.
void on_map(Addr address, SizeT size, Bool /*r*/, Bool /*w*/, Bool /*x*/, ULong /*debug_info*/) {
  if (watching && current != nullptr) emit.map(*current->core, address, size);
}
void on_unmap(Addr address, SizeT size) {
  if (watching && current != nullptr) emit.map(*current->core, address, size);
}
void on_break(Addr address, SizeT size, HostThread /*host*/) {
  if (watching && current != nullptr) emit.map(*current->core, address, size);
}

void in_forked_child(HostThread host) {
  forget_other_threads(host);
  restart_reporter();
}

void before_options() {
  VG_(details_name)("norn");
  VG_(details_version)(nullptr);
  VG_(details_description)("a detector of concurrency bugs");
  VG_(details_copyright_author)("the authors of norn; GPL-2.0-or-later");
  VG_(details_bug_reports_to)("the authors of norn");
  VG_(details_avg_translation_sizeB)(640);
  VG_(basic_tool_funcs)(after_options, instrument, at_end);
  VG_(needs_client_requests)(on_request);
  VG_(track_pre_thread_ll_create)(on_create);
  VG_(track_pre_thread_ll_exit)(on_exit);
  VG_(track_start_client_code)(on_run);
  VG_(track_new_mem_mmap)(on_map);
  VG_(track_new_mem_brk)(on_break);
  VG_(track_die_mem_munmap)(on_unmap);
  VG_(atfork)(nullptr, nullptr, in_forked_child);
  register_heap();
  register_files();
}

}  // namespace
}  // namespace norn::vg

extern "C" {
VG_DETERMINE_INTERFACE_VERSION(norn::vg::before_options)
}
