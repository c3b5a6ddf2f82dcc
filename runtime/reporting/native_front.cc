#include "runtime/reporting/native_front.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "runtime/hooks/code_module.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/hidden.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/process/modules.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"
#include "runtime/reporting/locate.h"

namespace norn::rt {

using report::Frame;

constinit report::FindingsWriter<NativeFront> writer;
constinit SpinMutex report_mutex;

namespace {

const norn_site* innermost_site(StackId where) {
  const StackNode* at = stack_node(where);
  return at == nullptr ? nullptr : at->site.load(std::memory_order_acquire);
}

// For the text report: the statement itself.
size_t read_source_line(void* /*context*/, const Frame& frame, char* buffer, size_t capacity) {
  static constinit char path[4096] = {};
  static constinit char bytes[1 << 14] = {};
  Buffer name(path, sizeof(path) - 1);
  if (!frame.directory.empty() && !frame.file.starts_with("/")) {
    name.sink().put(frame.directory);
    name.sink().put('/');
  }
  name.sink().put(frame.file);
  path[name.text().size] = '\0';
  if (frame.line == 0 || frame.file.empty() || name.overflowed()) return 0;
  if (sys::restricted.load(std::memory_order_relaxed)) return 0;  // to open a file may end the program
  const int fd = sys::open_file(path, O_RDONLY | O_NONBLOCK);
  if (fd < 0) return 0;
  uint32_t line = 1;
  size_t used = 0;
  bool done = false;
  while (!done) {
    const long got = sys::call(__NR_read, fd, sys::as_long(bytes), sizeof(bytes));
    if (got <= 0) break;
    for (long i = 0; i < got && !done; ++i) {
      if (bytes[i] == '\n') {
        done = line++ == frame.line;
      } else if (line == frame.line) {
        if (used < capacity) buffer[used++] = bytes[i];
      }
    }
  }
  sys::close_file(fd);
  return used;
}

}  // namespace

Frame frame_of(const norn_site& site) {
  Frame frame;
  if (site.function != nullptr) frame.function = site.function;
  if (site.file != nullptr) frame.file = site.file;
  if (site.directory != nullptr) frame.directory = site.directory;
  frame.line = site.line;
  frame.column = site.column;
  if (const CodeSite* code = as_code_site(&site); code != nullptr) {
    if (code->module != nullptr) {
      frame.module = code->module->path;
      frame.offset = code->counter - 1 - code->module->bias;
    }
  } else if (const char* path = module_of(&site); path != nullptr) {
    frame.module = path;
  }
  frame.library = (site.flags & NORN_SITE_LIBRARY) != 0;
  return frame;
}

const norn_site* own_site(StackId where) {
  const norn_site* found = nullptr;
  for_each_site(where, [&](const norn_site& site) {
    if (found == nullptr) found = &site;
    if ((site.flags & NORN_SITE_LIBRARY) != 0) return true;
    found = &site;
    return false;
  });
  return found;
}

bool lock_for_end() {
  for (unsigned i = 0; i < 100000; ++i) {
    if (report_mutex.try_lock()) return true;
    sys::yield();
  }
  return false;
}

report::Process NativeFront::process() {
  return {.program = start.command_count > 0 ? Text(start.command[0]) : Text(start.program),
          .command = {start.command, start.command_count},
          .pid = start.pid,
          .parent = start.parent,
          .engine = start.settings.engine};
}

List<Frame> NativeFront::frames_of(StackId where, Frame* frames, size_t most, TextPool& /*pool*/) {
  size_t count = 0;
  for_each_site(where, [&](const norn_site& site) {
    frames[count++] = frame_of(site);
    return count < most;
  });
  return {frames, count};
}

Text NativeFront::expression_of(StackId where) {
  const norn_site* site = own_site(where);
  if (site != nullptr && site->expression != nullptr) return site->expression;
  site = innermost_site(where);
  return site != nullptr && site->expression != nullptr ? Text(site->expression) : Text();
}

uint64_t NativeFront::size_of(StackId where) {
  const norn_site* site = innermost_site(where);
  return site == nullptr ? 0 : site->size;
}

uint32_t NativeFront::flags_of(StackId where) {
  const norn_site* site = innermost_site(where);
  return site == nullptr ? 0 : site->flags;
}

uint64_t NativeFront::site_id(StackId where) { return stack_identity(where); }
uint64_t NativeFront::identity_of(StackId where) { return stack_identity(where); }

Text NativeFront::object_name(Address address, StackId where, TextPool& pool) {
  report::Location location;
  Frame frame;
  if (locate_global(address, 1, location, pool) || locate_local(address, 1, {}, location, frame, pool))
    return location.name.empty() ? location.object : location.name;
  const Text expression = expression_of(where);
  return expression.empty() ? pool.keep(Hex(address).text()) : expression;
}

Text NativeFront::thread_name(ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  return info == nullptr ? Text() : Text(info->name);
}

StackId NativeFront::created_at(ThreadId id) {
  const ThreadInfo* info = thread_info(id);
  return info == nullptr ? kNoStack : info->created_at;
}

bool NativeFront::locate_special(Address address, report::Location& location, TextPool& pool) {
  return locate_hidden(address, location) || locate_file(address, location, pool);
}

bool NativeFront::locate_variable(Address address, uint64_t size, const report::Access (&accesses)[2],
                                  report::Location& location, TextPool& pool) {
  static constinit Frame function = {};  // that a local variable is of
  if (locate_global(address, size, location, pool)) return true;
  const SeenStack seen[] = {{accesses[0].thread, accesses[0].stack}, {accesses[1].thread, accesses[1].stack}};
  return locate_local(address, size, seen, location, function, pool);
}

ThreadId NativeFront::thread_of_stack(Address address) { return rt::thread_of_stack(address); }

void NativeFront::measure(report::Stats& stats) {
  stats.microseconds = sys::now() - start.time;
  rusage usage{};
  if (!sys::restricted.load(std::memory_order_relaxed) &&
      sys::call(__NR_getrusage, RUSAGE_SELF, sys::as_long(&usage)) == 0) {
    stats.peak_rss = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  }
}

bool NativeFront::append(Text line) { return records_findings() && append_finding(line); }
bool NativeFront::append_last(Text line) { return records_findings() && append_finding(line, Urgency::kLast); }

void NativeFront::count_lost(const report::Race& race) {
  if (records_findings() && !race.suppressed && report::fails(race.detection, start.settings.fail_on)) {
    count_lost_finding(start.pid);
  }
}

report::TextOptions NativeFront::text_options() {
  report::TextOptions options;
  options.color = start.colour;
  options.base = start.directory;
  options.read_source = &read_source_line;
  options.next = report::Next::kRun;
  return options;
}

void NativeFront::print(Text text) {
  if (text.empty()) return;
  if (start.settings.log_path.empty() || start.settings.log_path == "stderr" || start.settings.log_path == "stdout") {
    write_all_quietly(start.settings.log_path == "stdout" ? 1 : 2, text.data, text.size);
    return;
  }
  char path[4096 + 16];
  Buffer name(path, sizeof(path) - 1);
  name.sink().put(start.settings.log_path);
  name.sink().put('.');
  name.sink().put(Decimal(start.pid).text());
  path[name.text().size] = '\0';
  int fd = sys::open_file(path, O_WRONLY | O_APPEND | O_CREAT);
  if (fd < 0) {
    // A device, or a directory that cannot be written to.
    Buffer plain(path, sizeof(path) - 1);
    plain.sink().put(start.settings.log_path);
    path[plain.text().size] = '\0';
    fd = sys::open_file(path, O_WRONLY | O_APPEND);
  }
  if (fd < 0) return;
  write_all_quietly(fd, text.data, text.size);
  sys::close_file(fd);
}

}  // namespace norn::rt
