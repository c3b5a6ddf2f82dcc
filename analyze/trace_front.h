// The front end over traces: who reports are asked of (report/findings_writer.h), and the analysis that is under way.
// One to a process, as the detector is.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/block_map.h"
#include "analyze/samplers.h"
#include "analyze/skeleton.h"
#include "core/detector.h"
#include "hazards/hazard_listener.h"
#include "norn/site.h"
#include "options/run_settings.h"
#include "report/findings_writer.h"
#include "report/site_identity.h"
#include "report/words/member_names.h"
#include "trace/trace_reader.h"

namespace norn::analyze {

using report::Frame;
using trace::Item;
using trace::ItemKind;
using trace::SiteEntry;
using trace::Tables;

inline constinit Detector detector;

// The analysis under way.
struct Analysis {
  Tables tables;
  BlockMap blocks;
  options::Settings settings;
  std::unordered_map<ThreadId, Epoch> births;  // each thread's last
  std::string findings;
  int findings_fd = -1;
  Thread* current = nullptr;
  bool own = false;       // of the access that is applied
  bool watching = false;  // there has been a second thread
  bool seen_root = false;
  bool is_quiet = false;  // what is found in the part before a fork is its parent's
  unsigned part = 0;
  unsigned parts = 1;
  bool divided = false;
  Skeleton skeleton;
  uint64_t position = 0;  // how many items there were, with what is applied
  uint64_t left_out = 0;  // accesses that are another worker's
  std::unique_ptr<SamplerReplay> replay;
  bool pages = false;
  bool counting = false;  // accesses, into `counts`
  AccessCounts counts;
  std::map<Address, Address> stacks;  // where threads' stacks begin and end
  // Of an engine that is not the core's.
  Text engine;
  uint64_t others = 0;  // events that are no accesses
  uint64_t threads = 0;
  std::string refusal;  // why this trace cannot be judged so
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};
inline Analysis* now = nullptr;

inline Text text_or(Text text, Text other) { return text.empty() ? other : text; }

// --- what reports ask (report/findings_writer.h) -----------------------------------------------------------------

inline Frame frame_of(const SiteEntry& site) {
  Frame frame;
  frame.function = site.function;
  frame.file = site.file;
  frame.directory = site.directory;
  frame.line = site.line;
  frame.column = site.column;
  frame.module = site.module;
  frame.library = (site.flags & NORN_SITE_LIBRARY) != 0;
  return frame;
}

inline const SiteEntry* innermost_site(StackId where) {
  const trace::StackEntry* stack = now->tables.stack(where);
  return stack == nullptr ? nullptr : now->tables.site(stack->site);
}

inline uint64_t identity_of_stack(StackId where) {
  uint64_t identity = 0;
  if (const SiteEntry* own = innermost_site(where); own != nullptr && (own->flags & trace::kSiteOfStack) != 0) {
    return own->hash;
  }
  now->tables.for_each_site(where, [&](const SiteEntry& site) {
    identity = report::identity_with(identity, site.hash);
    return (site.flags & NORN_SITE_LIBRARY) != 0;
  });
  return identity;
}

inline const trace::ThreadEntry* thread_entry(ThreadId id) {
  const auto found = now->tables.threads.find(id);
  return found == now->tables.threads.end() ? nullptr : &found->second;
}

inline bool locate_global(Address address, uint64_t size, report::Location& location, TextPool& pool) {
  auto at = now->tables.variables.upper_bound(address);
  if (at == now->tables.variables.begin()) return false;
  const trace::VariableEntry& variable = (--at)->second.entry;
  if (address - variable.address >= variable.size) return false;
  const uint64_t byte = address - variable.address;
  location.kind = report::LocationKind::kGlobal;
  location.object = variable.name;
  location.object_size = variable.size;
  location.offset = byte;
  if (!report::is_storage(variable.members, byte, size)) {
    location.name = report::name_of_byte(variable.name, variable.members, byte, pool);
  }
  location.declared_at.file = variable.file;
  location.declared_at.directory = variable.directory;
  location.declared_at.line = variable.line;
  location.declared_at.module = variable.module;
  return true;
}

// A line of a part's file (parts.h).
inline bool put_part(char kind, const std::string& words, Text record) {
  std::string line = std::string(1, kind) + ' ' + words;
  line.append(record.data == nullptr ? "" : record.data, record.size);
  if (line.back() != '\n') line += '\n';
  return write(now->findings_fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

inline char kind_of_record(Text line) {
  const std::string_view text(line.data, line.size);
  if (text.starts_with("{\"record\":\"start\"")) return 'S';
  if (text.starts_with("{\"record\":\"end\"")) return 'E';
  if (text.starts_with("{\"record\":\"hazard\"")) return 'H';
  if (text.starts_with("{\"record\":\"note\"")) return 'N';
  return '-';  // races and their counts have other words
}

struct TraceFront {
  static constexpr Text kName = "trace";
  static constexpr size_t kTextBytes = 1 << 16;
  using Block = analyze::Block;

  static Detector& detector() { return analyze::detector; }
  static const Thread* current_thread() { return now->current; }
  static report::Process process() {
    const trace::ProcessEntry& process = now->tables.process;
    const List<Text> command = {now->tables.command.data(), now->tables.command.size()};
    return {.program = command.empty() ? process.program : command[0],
            .command = command,
            .pid = process.pid,
            .parent = process.parent,
            .engine = now->settings.engine,
            .other_engine = now->engine};
  }
  static List<Frame> frames_of(StackId where, Frame* frames, size_t most, TextPool& /*pool*/) {
    size_t count = 0;
    now->tables.for_each_site(where, [&](const SiteEntry& site) {
      frames[count++] = frame_of(site);
      return count < most;
    });
    return {frames, count};
  }
  static Text expression_of(StackId where) {
    const SiteEntry* own = nullptr;
    now->tables.for_each_site(where, [&](const SiteEntry& site) {
      if (own == nullptr) own = &site;
      if ((site.flags & NORN_SITE_LIBRARY) != 0) return true;
      own = &site;
      return false;
    });
    if (own != nullptr && !own->expression.empty()) return own->expression;
    const SiteEntry* site = innermost_site(where);
    return site == nullptr ? Text() : site->expression;
  }
  static uint64_t size_of(StackId where) {
    const SiteEntry* site = innermost_site(where);
    return site == nullptr ? 0 : site->size;
  }
  // Only programs built with norn can be steered; in others statements are found by file and line.
  static uint64_t site_id(StackId where) {
    const SiteEntry* site = innermost_site(where);
    return site != nullptr && (site->flags & trace::kSiteOfStack) != 0 ? 0 : identity_of_stack(where);
  }
  static uint64_t identity_of(StackId where) { return identity_of_stack(where); }
  static Text thread_name(ThreadId id) {
    const trace::ThreadEntry* thread = thread_entry(id);
    return thread == nullptr ? Text() : thread->name;
  }
  static StackId created_at(ThreadId id) {
    const trace::ThreadEntry* thread = thread_entry(id);
    return thread == nullptr ? kNoStack : thread->created_at;
  }
  static bool locate_special(Address /*address*/, report::Location& /*location*/, TextPool& /*pool*/) { return false; }
  // What is on a stack is known by what statements call it: the stack itself is not in the trace.
  static bool locate_variable(Address address, uint64_t size, const report::Access (& /*accesses*/)[2],
                              report::Location& location, TextPool& pool) {
    return locate_global(address, size, location, pool);
  }
  static bool find_block(Address address, Block& block) {
    const Block* found = now->blocks.find(address);
    if (found != nullptr) block = *found;
    return found != nullptr;
  }
  static ThreadId thread_of_stack(Address address) {
    ThreadId owner = kNoThread;
    for (const auto& [id, thread] : now->tables.threads)
      if (address >= thread.stack_begin && address < thread.stack_end) owner = id;
    return owner;
  }
  static Text object_name(Address address, StackId where, TextPool& pool) {
    report::Location location;
    if (locate_global(address, 1, location, pool)) return text_or(location.name, location.object);
    const Text expression = expression_of(where);
    return expression.empty() ? pool.keep(Hex(address).text()) : expression;
  }
  static void measure(report::Stats& stats) {
    const auto time = std::chrono::steady_clock::now() - now->begun;
    stats.microseconds = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0) stats.peak_rss = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    stats.accesses += now->left_out;
    stats.events += now->left_out + now->others;
    stats.threads += now->threads;
  }
  static bool append(Text line) {
    if (now->is_quiet) return true;
    if (now->divided) return put_part(kind_of_record(line), "", line);
    return write(now->findings_fd, line.data, line.size) == static_cast<ssize_t>(line.size);
  }
  static bool append_last(Text line) { return append(line); }
  static void count_lost(const report::Race& /*race*/) {}
  static report::TextOptions text_options() { return {}; }
  static void print(Text text) { [[maybe_unused]] const ssize_t written = write(2, text.data, text.size); }
};

inline constinit report::FindingsWriter<TraceFront> writer;

}  // namespace norn::analyze
