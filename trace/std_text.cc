#include "trace/std_text.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <istream>
#include <ostream>
#include <set>

#include "base/text_hash.h"
#include "trace/trace_writer.h"

namespace norn::trace {
namespace {

// --- writing -----------------------------------------------------------------------------------------------------

bool is_access(EventKind kind) {
  return kind == EventKind::kRead || kind == EventKind::kWrite || kind == EventKind::kFree;
}

bool is_new_memory(EventKind kind) {
  return kind == EventKind::kAllocate || kind == EventKind::kRenew || kind == EventKind::kMap ||
         kind == EventKind::kUnmap || kind == EventKind::kForget;
}

std::string hex(uint64_t value) {
  char bytes[24];
  (void)std::snprintf(bytes, sizeof(bytes), "%llx", static_cast<unsigned long long>(value));
  return bytes;
}

class StdWriter {
 public:
  StdWriter(const TraceFile& file, std::ostream& out) : file_(file), out_(out) {}

  std::string write() {
    look();
    Merge merge(file_);
    Item item;
    while (merge.next(item))
      if (item.kind == ItemKind::kEvent) put(item.event);
    return merge.cut();
  }

 private:
  // Where memory is divided, and which locks are ever shared.
  void look() {
    Merge merge(file_);
    Item item;
    std::set<Address> ends;
    while (merge.next(item)) {
      const Event& e = item.event;
      if (item.kind != ItemKind::kEvent) continue;
      if (is_access(e.kind) && e.size != 0) {
        ends.insert(e.address);
        ends.insert(e.address + e.size);
      }
      if (e.kind == EventKind::kLockAcquire && e.mode == LockMode::kShared) shared_.insert(e.address);
    }
    pieces_.assign(ends.begin(), ends.end());
    lives_.assign(pieces_.size(), 0);
  }

  std::string place_of(StackId where) const {
    std::string place;
    file_.tables().for_each_site(where, [&](const SiteEntry& site) {
      const std::string path(site.file.data == nullptr ? "" : site.file.data, site.file.size);
      place = path.substr(path.rfind('/') + 1) + ":" + std::to_string(site.line);
      return path.empty();
    });
    // A place of STD's that came from there.
    if (place.ends_with(":0")) place.resize(place.size() - 2);
    std::replace(place.begin(), place.end(), '|', '_');
    return place.empty() ? "0" : place;
  }

  void line(const Event& e, const char* what, const std::string& object) {
    out_ << 'T' << e.thread << '|' << what << '(' << object << ")|" << place_of(e.where) << '\n';
  }

  template <class Visit>
  void for_each_piece(const Event& e, Visit visit) {
    auto at = static_cast<size_t>(std::lower_bound(pieces_.begin(), pieces_.end(), e.address) - pieces_.begin());
    for (; at < pieces_.size() && pieces_[at] < e.address + e.size; ++at) visit(at);
  }

  // Takes the lock that stands for the object, and gives it up.
  void pass(const Event& e, Address object) {
    const std::string name = "S" + hex(object);
    line(e, "acq", name);
    line(e, "rel", name);
  }

  void acquire(const Event& e, Address lock) {
    if (held_[{e.thread, lock}]++ != 0) return;
    line(e, "acq", "L" + hex(lock));
    if (shared_.contains(lock)) pass(e, lock);
  }
  void release(const Event& e, Address lock) {
    const auto found = held_.find({e.thread, lock});
    if (found == held_.end() || --found->second != 0) return;
    held_.erase(found);
    if (shared_.contains(lock)) pass(e, lock);
    line(e, "rel", "L" + hex(lock));
  }

  void put(const Event& e) {
    if (e.thread == kNoThread) return;
    if (is_access(e.kind)) {
      const char* what = e.kind == EventKind::kRead ? "r" : "w";
      for_each_piece(e, [&](size_t piece) {
        line(e, what, "V" + hex(pieces_[piece]) + (lives_[piece] == 0 ? "" : "_" + std::to_string(lives_[piece])));
      });
      return;
    }
    if (is_new_memory(e.kind)) {
      for_each_piece(e, [&](size_t piece) { ++lives_[piece]; });
      return;
    }
    switch (e.kind) {
      case EventKind::kThreadFork:
        line(e, "fork", "T" + std::to_string(e.other));
        break;
      case EventKind::kForkAfter:
        line(e, "fork", "T" + std::to_string(e.other));
        pass(e, e.address);
        break;
      case EventKind::kThreadJoin:
        line(e, "join", "T" + std::to_string(e.other));
        break;
      case EventKind::kLockAcquire:
        e.mode == LockMode::kShared ? pass(e, e.address) : acquire(e, e.address);
        break;
      case EventKind::kLockRelease:
        e.mode == LockMode::kShared ? pass(e, e.address) : release(e, e.address);
        break;
      case EventKind::kWaitEnter:
        pass(e, e.address);
        if (e.other != 0) release(e, e.other);
        break;
      case EventKind::kWaitLeave:
        if (e.other != 0) acquire(e, e.other);
        pass(e, e.address);
        break;
      case EventKind::kAtomicLoad:
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
      case EventKind::kUnsampledBefore:
      case EventKind::kUnsampledAfter:
      case EventKind::kLockRefused:
      case EventKind::kSignal:
      case EventKind::kBroadcast:
      case EventKind::kWaitLoopLeave:
      case EventKind::kBarrierEnter:
      case EventKind::kBarrierLeave:
      case EventKind::kSemaphorePost:
      case EventKind::kSemaphoreWait:
      case EventKind::kOnceDone:
      case EventKind::kOnceSeen:
      case EventKind::kClockRelease:
      case EventKind::kClockAcquire:
      case EventKind::kBeginAgain:
      case EventKind::kHappensBefore:
      case EventKind::kHappensAfter:
      case EventKind::kLeaveByAtomic:
        pass(e, e.address);
        break;
      case EventKind::kFence:
      case EventKind::kSpinLeave:
      case EventKind::kComeAfterAll:
        pass(e, 0);  // whoever it comes after
        break;
      default:
        break;
    }
  }

  const TraceFile& file_;
  std::ostream& out_;
  std::vector<Address> pieces_;
  std::vector<uint32_t> lives_;  // of each piece: how often it was new
  std::set<Address> shared_;
  std::map<std::pair<ThreadId, Address>, unsigned> held_;
};

// --- reading -----------------------------------------------------------------------------------------------------

// Chunks of a file that grows in memory and is written in the end.
struct Chunks {
  std::deque<std::vector<uint8_t>> all;

  TraceWriter::Host host() {
    return {this,
            [](void* context, uint64_t) -> uint8_t* {
              return static_cast<Chunks*>(context)->all.emplace_back(kChunkBytes).data();
            },
            [](void*, uint8_t*) {}};
  }
};

Text text_of(const std::string& text) { return {text.data(), text.size()}; }

class StdReader {
 public:
  explicit StdReader(const std::string& name) : name_(name) { writer_.begin(chunks_.host()); }

  bool read(std::istream& in, std::string& error) {
    const Text command[] = {text_of(name_)};
    writer_.put(table_.process({.pid = 1, .program = text_of(name_), .command = command}));
    std::string line;
    for (size_t number = 1; std::getline(in, line); ++number) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty()) continue;
      if (!read_line(line, error)) {
        error.insert(0, name_ + ":" + std::to_string(number) + ": ");
        return false;
      }
    }
    writer_.put(table_.end({0, 0, writer_.timestamps()}));
    return true;
  }

  bool write(const std::string& path) const {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    std::vector<char> begin(kMappedHeader);
    FileHeader header;
    header.first_chunk = kMappedHeader;
    std::memcpy(begin.data(), &header, sizeof(header));
    out.write(begin.data(), static_cast<std::streamsize>(begin.size()));
    for (const auto& chunk : chunks_.all)
      out.write(reinterpret_cast<const char*>(chunk.data()), static_cast<std::streamsize>(chunk.size()));
    out.close();
    return static_cast<bool>(out);
  }

 private:
  static constexpr Address kVariables = 0x100000000000;
  static constexpr Address kLocks = 0x200000000000;

  bool read_line(const std::string& line, std::string& error) {
    const size_t first = line.find('|');
    const size_t second = first == std::string::npos ? first : line.find('|', first + 1);
    const size_t open = line.find('(', first == std::string::npos ? 0 : first);
    const size_t close = second == std::string::npos ? second : line.rfind(')', second);
    if (first == 0 || second == std::string::npos || open == std::string::npos || open > second ||
        close == std::string::npos || close < open) {
      error = "this is no event: say T0|r(V1)|loc";
      return false;
    }
    const std::string operation = line.substr(first + 1, open - first - 1);
    const std::string object = line.substr(open + 1, close - open - 1);
    Item item;
    Event& e = item.event;
    e.thread = thread_of(line.substr(0, first));
    const StackId where = stack_of(line.substr(second + 1), operation, object);
    if (operation == "r" || operation == "w") {
      e.kind = operation == "r" ? EventKind::kRead : EventKind::kWrite;
      e.address = address_of(variables_, object, kVariables, true);
      e.size = 8;
      e.where = where;
    } else if (operation == "acq" || operation == "rel") {
      e.kind = operation == "acq" ? EventKind::kLockAcquire : EventKind::kLockRelease;
      e.address = address_of(locks_, object, kLocks, false);
      if (operation == "acq") e.where = where;
    } else if (operation == "fork" || operation == "join") {
      e.kind = operation == "fork" ? EventKind::kThreadFork : EventKind::kThreadJoin;
      e.other = thread_of(object);
      if (e.kind == EventKind::kThreadJoin && !ended_.insert(static_cast<ThreadId>(e.other)).second) return true;
      if (e.kind == EventKind::kThreadJoin) {
        Item exit;
        exit.event = {.kind = EventKind::kThreadExit, .thread = static_cast<ThreadId>(e.other)};
        writer_.put(stream_, exit);
      }
    } else if (operation == "begin" || operation == "end") {
      return true;
    } else {
      error = "there is no operation " + operation + "; there are r, w, acq, rel, fork and join";
      return false;
    }
    writer_.put(stream_, item);
    return true;
  }

  ThreadId thread_of(const std::string& name) {
    const auto [found, is_new] = threads_.emplace(name, static_cast<ThreadId>(threads_.size() + 1));
    if (is_new) {
      writer_.put(table_.thread({found->second, 0, 0, 0, 0, 0, text_of(name)}));
    }
    return found->second;
  }

  Address address_of(std::map<std::string, Address>& names, const std::string& name, Address first, bool is_variable) {
    const auto [found, is_new] = names.emplace(name, first + names.size() * 8);
    if (is_new && is_variable)
      writer_.put(table_.variable({.address = found->second, .size = 8, .name = text_of(name)}));
    return found->second;
  }

  // A statement for each place and what is done there.
  StackId stack_of(const std::string& place, const std::string& operation, const std::string& object) {
    const std::string key = place + '|' + operation;
    const auto [found, is_new] = stacks_.emplace(key, static_cast<StackId>(stacks_.size() + 1));
    if (is_new) {
      writer_.put(table_.site({.number = found->second,
                               .file = text_of(place),
                               .function = text_of(place),
                               .expression = text_of(object),
                               .hash = text_hash(text_of(key)),
                               .size = 8}));
      writer_.put(table_.stack({found->second, 0, found->second}));
    }
    return found->second;
  }

  std::string name_;
  Chunks chunks_;
  TraceWriter writer_;
  TableWriter table_;
  Stream stream_;
  std::map<std::string, ThreadId> threads_;
  std::set<ThreadId> ended_;
  std::map<std::string, Address> variables_;
  std::map<std::string, Address> locks_;
  std::map<std::string, StackId> stacks_;
};

}  // namespace

std::string write_std(const TraceFile& file, std::ostream& out) { return StdWriter(file, out).write(); }

bool read_std(std::istream& in, const std::string& name, const std::string& path, std::string& error) {
  const auto reader = std::make_unique<StdReader>(name);
  if (!reader->read(in, error)) return false;
  if (reader->write(path)) return true;
  error = path + " cannot be written";
  return false;
}

}  // namespace norn::trace
