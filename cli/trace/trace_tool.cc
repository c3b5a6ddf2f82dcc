// norn trace: looks at what norn record recorded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "analyze/offline.h"
#include "base/string_sink.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "trace/event_names.h"
#include "trace/std_text.h"
#include "trace/trace_reader.h"

namespace norn::cli {
namespace {

using trace::Item;
using trace::ItemKind;
using trace::TraceFile;

std::string name_of(const Item& item) {
  switch (item.kind) {
    case ItemKind::kEvent:
      return std::string(view(trace::event_name(item.event.kind)));
    case ItemKind::kBlock:
      return "block";
    case ItemKind::kBlockEnd:
      return "block-end";
    case ItemKind::kFlag:
      return "flag";
    case ItemKind::kRegion:
      return std::string(view(trace::region_step_name(item.step)));
  }
  return "?";
}

std::string words_of_end(const TraceFile& file, const std::string& cut) {
  const trace::Tables& tables = file.tables();
  if (!cut.empty()) return cut;
  if (!tables.stopped.empty()) return "the recording stopped before the program ended: " + tables.stopped;
  if (!tables.end) return "whole; the program was killed, or goes on";
  return fmt::format("whole; the program ended with status {}", tables.end->exit);
}

bool is_whole(const TraceFile& file, const std::string& cut) { return cut.empty() && file.tables().stopped.empty(); }

std::string words_of_command(const TraceFile& file) {
  std::string words;
  for (const Text word : file.tables().command) {
    if (!words.empty()) words += ' ';
    words += view(word);
  }
  return words;
}

// Reads it all; calls each(item).
template <class Each>
std::string read_all(const TraceFile& file, Each each) {
  trace::Merge merge(file);
  Item item;
  while (merge.next(item)) each(item);
  return merge.cut();
}

bool stat(const TraceFile& file) {
  std::map<std::string, uint64_t> kinds;
  uint64_t items = 0;
  uint64_t accesses = 0;
  uint64_t plain = 0;
  const std::string cut = read_all(file, [&](const Item& item) {
    ++items;
    ++kinds[name_of(item)];
    if (item.kind != ItemKind::kEvent) return;
    const EventKind kind = item.event.kind;
    if (kind == EventKind::kRead || kind == EventKind::kWrite) ++accesses;
  });
  for (const TraceFile::Chunk& chunk : file.chunks()) plain += chunk.header.used;
  const trace::Tables& tables = file.tables();
  fmt::print("{}\n", file.path());
  fmt::print("  program    {}\n", words_of_command(file));
  fmt::print("  process    {}{}\n", tables.process.pid,
             tables.process.origin.empty()
                 ? ""
                 : fmt::format(", forked from {} at event {}", tables.process.parent, tables.process.forked_at));
  fmt::print("  recorded   {}\n", view(tables.process.options));
  fmt::print("  state      {}\n", words_of_end(file, cut));
  fmt::print("  size       {} bytes, {} uncompressed, {} chunks\n", file.bytes(), plain, file.chunks().size());
  fmt::print("  threads    {}\n", tables.threads.size());
  fmt::print("  stacks     {}, sites {}, variables {}\n", tables.stacks.size(), tables.sites.size(),
             tables.variables.size());
  fmt::print("  events     {}, of these {} reads and writes\n", items, accesses);
  for (const auto& [name, count] : kinds) fmt::print("    {:<18} {}\n", name, count);
  return is_whole(file, cut);
}

std::string place_of(const TraceFile& file, StackId where) {
  std::string place;
  file.tables().for_each_site(where, [&](const trace::SiteEntry& site) {
    place = fmt::format("{}:{} {}", std::filesystem::path(view(site.file)).filename().string(), site.line,
                        view(site.function));
    return site.file.empty();
  });
  return place;
}

// Which memory is a thread's stack, as far as the trace says.
class Stacks {
 public:
  explicit Stacks(const trace::Tables& tables) {
    for (const auto& [id, thread] : tables.threads) {
      Address& end = ends_[thread.stack_begin];
      end = std::max(end, thread.stack_end);
    }
  }
  [[nodiscard]] bool contains(Address address) const {
    const auto next = ends_.upper_bound(address);
    return next != ends_.begin() && address < std::prev(next)->second;
  }

 private:
  std::map<Address, Address> ends_;
};

bool dump(const TraceFile& file) {
  const Stacks stacks(file.tables());
  const std::string cut = read_all(file, [&](const Item& item) {
    const Event& e = item.event;
    std::string line = fmt::format("{}{} ", item.untimed ? "before " : "", item.timestamp);
    line += e.thread == kNoThread ? "-" : fmt::format("t{}", e.thread);
    line += " " + name_of(item);
    if (item.kind == ItemKind::kRegion) {
      fmt::print("{} region={} depth={}\n", line, e.size, e.other);
      return;
    }
    if (e.address != 0) line += fmt::format(" {:#x}", e.address);
    if (e.size != 0) line += fmt::format(" size={}", e.size);
    if (e.other != 0) line += fmt::format(" other={:#x}", e.other);
    if (e.order != MemoryOrder::kRelaxed) line += fmt::format(" order={}", static_cast<int>(e.order));
    if (e.mode == LockMode::kShared) line += " shared";
    if (e.in_loop) line += " in-loop";
    if (e.timed_out) line += " timed-out";
    if (e.counts) line += " counts";
    if (e.uses) line += " uses";
    if (item.own) line += " own";
    if (is_plain_access(item) && stacks.contains(e.address)) line += " stack";
    if (item.born) line += " born";
    if (item.quiet) line += " quiet";
    if (e.where != kNoStack) line += "  " + place_of(file, e.where);
    fmt::print("{}\n", line);
  });
  if (!is_whole(file, cut)) complain(words_of_end(file, cut));
  return is_whole(file, cut);
}

bool check_file(const TraceFile& file) {
  uint64_t items = 0;
  uint64_t unknown = 0;
  const std::string cut = read_all(file, [&](const Item& item) {
    ++items;
    if (item.event.where != kNoStack && file.tables().stack(item.event.where) == nullptr) ++unknown;
  });
  fmt::print("{}: {} events, {}\n", file.path(), items, words_of_end(file, cut));
  if (unknown != 0) fmt::print("{}: of {} events it is not known where they happened\n", file.path(), unknown);
  return is_whole(file, cut) && unknown == 0;
}

bool export_text(const TraceFile& file) {
  const std::string cut = trace::write_std(file, std::cout);
  std::cout.flush();
  if (!is_whole(file, cut)) complain(words_of_end(file, cut));
  return is_whole(file, cut);
}

// norn trace import FILE DIR
int import_text(const std::vector<std::string>& words) {
  if (words.size() != 3) {
    complain("say what to import and where to: norn trace import FILE.std DIR");
    return kMisuse;
  }
  std::ifstream in(words[1]);
  std::error_code code;
  std::filesystem::create_directories(words[2], code);
  const std::string path = words[2] + "/1.raw";
  std::string error;
  if (!in) {
    error = fmt::format("{} cannot be read", words[1]);
  } else if (code) {
    error = fmt::format("{} cannot be made a directory: {}", words[2], code.message());
  } else if (!trace::traces_in(words[2]).empty()) {
    error = fmt::format("{} has traces already; name another directory", words[2]);
  } else if (trace::read_std(in, words[1], path, error)) {
    (void)trace::compress_trace(path, error);
  }
  if (error.empty()) return 0;
  complain(error);
  return kMisuse;
}

// norn trace witness FILE: what norn analyze --witness=FILE wrote, a line each: identity, trace, reordering.
int check_witness_file(const std::vector<std::string>& words) {
  std::ifstream in(words.size() == 2 ? words[1] : "");
  if (words.size() != 2 || !in) {
    complain(words.size() == 2 ? fmt::format("{} cannot be read", words[1])
                               : "say which witnesses to check: norn trace witness FILE");
    return kMisuse;
  }
  bool all_hold = true;
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    const size_t first = line.find(' ');
    size_t second = line.rfind(" 0x");
    for (int word = 0; word < 2 && second != std::string::npos && second > 0; ++word)
      second = line.rfind(' ', second - 1);
    analyze::Witness witness;
    if (second == std::string::npos || second <= first || !analyze::parse_witness(line.substr(second + 1), witness)) {
      complain(fmt::format("{}:{}: this is no witness", words[1], number));
      return kMisuse;
    }
    std::string error;
    const std::string answer = analyze::check_witness(line.substr(first + 1, second - first - 1), witness, error);
    if (!error.empty()) {
      complain(error);
      return kMisuse;
    }
    fmt::print("R{} {}\n", line.substr(0, first), answer.empty() ? "holds" : "does not hold: " + answer);
    all_hold = all_hold && answer.empty();
  }
  return all_hold ? 0 : 1;
}

}  // namespace

int trace_tool(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  std::vector<std::string> words = app.remaining();
  bool (*act)(const TraceFile&) = nullptr;
  if (!words.empty() && words[0] == "stat") act = &stat;
  if (!words.empty() && words[0] == "dump") act = &dump;
  if (!words.empty() && words[0] == "check") act = &check_file;
  if (!words.empty() && words[0] == "export") act = &export_text;
  if (!words.empty() && words[0] == "import") return import_text(words);
  if (!words.empty() && words[0] == "witness") return check_witness_file(words);
  if (act == nullptr || words.size() < 2) {
    complain("say what to look at: norn trace stat|dump|check|export DIR");
    return kMisuse;
  }
  bool whole = true;
  for (size_t i = 1; i < words.size(); ++i) {
    std::error_code code;
    const bool is_directory = std::filesystem::is_directory(words[i], code);
    const std::vector<std::string> files = is_directory ? trace::traces_in(words[i]) : std::vector{words[i]};
    if (files.empty()) {
      complain(fmt::format("{} has no traces; norn record --out=DIR -- ./program writes them", words[i]));
      return kMisuse;
    }
    for (const std::string& path : files) {
      std::string error;
      const std::unique_ptr<TraceFile> file = TraceFile::open(path, error);
      if (!file) {
        complain(error);
        return kMisuse;
      }
      whole = act(*file) && whole;
    }
  }
  return whole ? 0 : 1;
}

}  // namespace norn::cli
