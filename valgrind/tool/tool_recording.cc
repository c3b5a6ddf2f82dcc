// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/tool_recording.h"

#include "core/order/thread.h"
#include "norn/site.h"
#include "options/judging_options.h"
#include "report/race.h"
#include "trace/event_log.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/private.h"
#include "valgrind/tool/tool_reporter.h"

namespace norn::vg {
namespace {

constinit bool recording = false;
constinit trace::EventLog event_log;

// --- the file ----------------------------------------------------------------------------------------------------

// Chunks are mapped where Valgrind has no business, one behind the other; what is not written any more is given back.
constexpr uintptr_t kChunksAt = uintptr_t{3} << 45;
constexpr size_t kMostChunkBytes = size_t{1} << 43;

uint8_t* map_chunk(const char* path, uint64_t offset) {
  const Int fd = VG_(fd_open)(path, VKI_O_RDWR, 0);
  if (fd < 0) return nullptr;
  const uintptr_t at = kChunksAt + offset - trace::kMappedHeader;
  const bool mapped = map_file_exactly(at, trace::kChunkBytes, fd, offset);
  VG_(close)(fd);
  return mapped ? reinterpret_cast<uint8_t*>(at) : nullptr;
}

trace::EventLog::Made make_file(const char* path, const void* bytes, size_t size) {
  const SysRes made = VG_(open)(path, VKI_O_RDWR | VKI_O_CREAT | VKI_O_EXCL, 0644);
  if (sr_isError(made)) {
    return sr_Err(made) == VKI_EEXIST ? trace::EventLog::Made::kExists : trace::EventLog::Made::kFailed;
  }
  const auto fd = static_cast<Int>(sr_Res(made));
  const bool written = VG_(write)(fd, bytes, static_cast<Int>(size)) == static_cast<Int>(size);
  VG_(close)(fd);
  return written ? trace::EventLog::Made::kDone : trace::EventLog::Made::kFailed;
}

constexpr trace::EventLog::Host kHost = {
    .make = &make_file,
    .map = &map_chunk,
    .unmap = [](uint8_t* chunk) { unmap_exactly(chunk, trace::kChunkBytes); },
    .new_stream = []() -> trace::Stream* { return memory.create<trace::Stream>(); },
};

bool make_file() {
  const auto pid = static_cast<uint64_t>(VG_(getpid)());
  return event_log.make_file(kHost, settings().record, pid) == trace::EventLog::Made::kDone;
}

// --- stacks and sites --------------------------------------------------------------------------------------------

constinit std::atomic<uint64_t>* known_stacks = nullptr;
constinit uint32_t next_site = 0;

// The frames of one instruction; each stack has sites of its own, of which the innermost has the stack's identity.
uint32_t record_site(trace::EventLog::Tables& tables, StackId where, const Place& place) {
  static constinit char bytes[1 << 14] = {};
  static constinit TextPool pool(bytes, sizeof(bytes));
  static constinit report::Frame frames[16] = {};
  const uint64_t identity = place_identity(where);
  pool.clear();
  const size_t count = frames_at(place, frames, 16, pool);
  uint32_t outer = 0;
  for (size_t i = count; i > 0; --i) {
    const report::Frame& frame = frames[i - 1];
    trace::SiteEntry entry;
    entry.number = next_site++;
    entry.file = frame.file;
    entry.directory = frame.directory;
    entry.function = frame.function;
    entry.inlined = outer;
    entry.line = frame.line;
    entry.column = frame.column;
    entry.hash = identity;
    entry.flags = trace::kSiteOfStack | (frame.library ? NORN_SITE_LIBRARY : 0u);
    entry.module = frame.module;
    tables.put(tables.writer().site(entry));
    outer = entry.number + 1;
  }
  return outer == 0 ? 0 : outer - 1;
}

void put_stack(trace::EventLog::Tables& tables, StackId stack) {
  tables.put_stack(stack, [&](StackId at, trace::StackEntry& entry) {
    const Place* place = place_at(at);
    if (place == nullptr) return false;
    entry.id = at;
    entry.parent = place->parent;
    entry.site = record_site(tables, at, *place);
    return true;
  });
}

void know_stack(StackId stack) {
  if (event_log.is_known(stack)) return;
  trace::EventLog::Tables tables(event_log);
  put_stack(tables, stack);
}

// --- events ------------------------------------------------------------------------------------------------------

void put_item(const trace::Item& item) {
  current == nullptr ? event_log.put(item) : event_log.put(current->stream, item);
}

void put_thread(::norn::ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  if (info == nullptr) return;
  trace::EventLog::Tables tables(event_log);
  put_stack(tables, info->created_at);
  // Numbers begin with 0 here, and 0 is nobody there.
  const ::norn::ThreadId host = (info->stack_end == 0 ? id : info->carrier) + 1;
  tables.put(tables.writer().thread(
      {id, info->parent, info->created_at, host, info->stack_begin, info->stack_end, Text(info->name)}));
}

void record_event(void* /*context*/, const Event& event) {
  if (!event_log.is_writing()) return;
  know_stack(event.where);
  trace::Item item;
  item.event = event;
  if (trace::may_be_own(event.kind) && current != nullptr && current->openmp != nullptr) {
    const ThreadInfo* info = thread_info(event.thread);
    item.own = info != nullptr && is_own_of(info->carrier, event.address);
  }
  put_item(item);
}

constexpr Recorder kRecorder = {nullptr, &record_event, nullptr, nullptr};

bool begin_file(Text origin, uint64_t forked_at) {
  if (!make_file()) return false;
  static constinit char bytes[512] = {};
  Buffer list(bytes, sizeof(bytes));
  options::put_judging_options(settings(), list.sink());
  trace::ProcessEntry entry;
  entry.pid = static_cast<uint32_t>(VG_(getpid)());
  entry.parent = static_cast<uint32_t>(VG_(getppid)());
  entry.command = command_line();
  entry.program = entry.command.empty() ? Text("?") : entry.command[0];
  entry.directory = VG_(get_startup_wd)();
  entry.options = list.text();
  entry.origin = origin;
  entry.forked_at = forked_at;
  event_log.begin(known_stacks, entry);
  return event_log.is_writing();
}

}  // namespace

const char* start_recording() {
  if (settings().record.empty()) return nullptr;
  void* stacks = memory.allocate_forever(trace::EventLog::kStackBytes);
  if (stacks == nullptr) return "not enough memory to record";
  known_stacks = static_cast<std::atomic<uint64_t>*>(stacks);
  if (!begin_file({}, 0)) return "cannot write a trace there: ";
  recording = true;
  emit.set_recorder(kRecorder);
  return nullptr;
}

void restart_recording() {
  if (!recording) return;
  static constinit char parents_file[256] = {};
  const uint64_t forked_at = event_log.writer().timestamps();
  Buffer name(parents_file, sizeof(parents_file));
  name.sink().put(event_log.file_name());
  event_log.forget();
  for (ThreadState* state = first_state(); state != nullptr; state = state->next) state->stream = nullptr;
  unmap_exactly(reinterpret_cast<void*>(kChunksAt), kMostChunkBytes);
  for (size_t i = 0; i < trace::EventLog::kStacks / 64; ++i) {
    if (known_stacks[i].load(std::memory_order_relaxed) != 0) known_stacks[i].store(0, std::memory_order_relaxed);
  }
  if (!begin_file(name.text(), forked_at)) {
    return add_note("a forked process could not record: there is no trace of it");
  }
  for (::norn::ThreadId id = 0; thread_info(id) != nullptr; ++id) put_thread(id);
}

void record_block_begin(const Block& block) {
  if (!recording || !event_log.is_writing()) return;
  know_stack(block.where);
  put_item(trace::block_item(block.thread, block.where, block.address, block.size, false, block.birth.time != 0));
}

void record_block_end(Address address) {
  if (!recording) return;
  put_item(trace::block_end_item(current == nullptr ? 0 : current->id, address));
}

void record_variable(const report::Location& location) {
  if (!recording || location.kind != report::LocationKind::kGlobal || location.object.empty()) return;
  const report::Frame& declared = location.declared_at;
  trace::EventLog::Tables tables(event_log);
  tables.put(tables.writer().variable({.address = location.address - location.offset,
                                       .size = location.object_size != 0 ? location.object_size : location.size,
                                       .name = location.object,
                                       .file = declared.file,
                                       .directory = declared.directory,
                                       .line = declared.line,
                                       .module = declared.module}));
}

void record_benign(Address address, uint64_t size) {
  if (!recording || current == nullptr) return;
  trace::Item item;
  item.event = {.kind = EventKind::kBenignRange, .thread = current->core->id, .address = address, .size = size};
  put_item(item);
}

void end_recording_of(ThreadState& state) {
  if (!recording) return;
  put_thread(state.id);
  event_log.give_back(state.stream);
}

void record_end(int exit_status) {
  if (!recording) return;
  for (const ThreadState* state = first_state(); state != nullptr; state = state->next) put_thread(state->id);
  trace::EventLog::Tables tables(event_log);
  tables.put(tables.writer().end({exit_status, 0, event_log.writer().timestamps()}));
}

}  // namespace norn::vg
