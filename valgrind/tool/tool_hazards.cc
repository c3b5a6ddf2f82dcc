// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/tool_hazards.h"

#include "hazards/hazard_listener.h"
#include "report/lock_order_hazard.h"
#include "report/record.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/tool_reporter.h"

namespace norn::vg {
namespace {

using report::Frame;

constexpr unsigned kMaxHazards = 256;
constexpr size_t kMaxSteps = report::LockOrderDescription::kMaxSteps;
constexpr size_t kMaxFrames = 32;

constinit report::RaceId reported[kMaxHazards] = {};
constinit unsigned reported_count = 0;
constinit report::LockOrderDescription description;
constinit report::LockOrderStep steps[kMaxSteps] = {};
constinit Frame stacks[kMaxSteps][kMaxFrames] = {};
constinit Frame frames[kMaxFrames] = {};
constinit char texts[1 << 16] = {};
constinit TextPool pool(texts, sizeof(texts));

// True: it was reported before, or there are too many.
bool is_old(const report::RaceId& id) {
  for (unsigned i = 0; i < reported_count; ++i) {
    if (reported[i] == id) return true;
  }
  if (reported_count == kMaxHazards) return true;
  reported[reported_count++] = id;
  return false;
}

// What people call the lock at an address.
Text name_of(Address lock) {
  if (report::Location location; locate_variable(lock, location, pool)) return location.object;
  return pool.keep(Hex(lock).text());
}

// The program's own frames there.
List<Frame> own_frames(StackId where, Frame* to) {
  size_t count = 0;
  for (const Frame& frame : frames_of(where, frames, kMaxFrames, pool)) {
    if (!frame.library) to[count++] = frame;
  }
  return {to, count};
}

Text line_of(List<Frame> stack) {
  if (stack.empty()) return "?";
  if (stack[0].file.empty()) return stack[0].function;
  char bytes[512];
  Buffer line(bytes, sizeof(bytes));
  line.sink().put(report::base_name(stack[0].file));
  line.sink().put(':');
  line.sink().put(Decimal(stack[0].line).text());
  return pool.keep(line.text());
}

void report_lock_order(const hazards::LockEdge* edges, unsigned count) {
  pool.clear();
  count = count < kMaxSteps ? count : unsigned{kMaxSteps};
  for (unsigned i = 0; i < count; ++i) {
    const hazards::LockEdge& edge = edges[i];
    const ThreadInfo* info = thread_info(edge.thread);
    static constinit Frame held_at[kMaxFrames] = {};
    report::LockOrderStep& step = steps[i];
    step.thread = edge.thread;
    step.thread_name = info == nullptr ? Text() : Text(info->name);
    step.holds = name_of(edge.holds);
    step.holds_at = line_of(own_frames(edge.holds_at, held_at));
    step.wants = name_of(edge.wants);
    step.stack = own_frames(edge.wants_at, stacks[i]);
    step.wants_at = line_of(step.stack);
    step.site = place_identity(edge.wants_at);
  }
  const report::Hazard& hazard = description.describe({steps, count});
  if (!is_old(hazard.id)) append_hazard(hazard);
}

}  // namespace

void init_hazards() {
  if ((settings().hazards & options::kHazardLockOrder) == 0) return;
  hazard_listener.lock_order.init(detector, memory, &report_lock_order);
}

}  // namespace norn::vg
