#include "analyze/offline.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_map>
#include <vector>

#include "analyze/plausible.h"
#include "analyze/proving.h"
#include "analyze/samplers.h"
#include "analyze/trace_front.h"
#include "hazards/hazard_listener.h"
#include "options/options.h"
#include "report/race_id.h"

// The core's one source of memory.
extern "C" void* norn_arena_map(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

namespace norn::analyze {
namespace {

constinit hazards::Hazards hazard_listener;
constinit Arena hazard_memory;

// --- what the detector asks --------------------------------------------------------------------------------------

bool counts(void* /*context*/, const RacingPair& pair) {
  if (now->parts > 1 && Skeleton::owner(pair.address, now->parts) != now->part) return false;
  if (frees_what_was_born(pair)) return false;
  const trace::ThreadEntry* earlier = thread_entry(pair.earlier.thread);
  const trace::ThreadEntry* later = thread_entry(pair.later.thread);
  if (earlier == nullptr || later == nullptr || earlier->host == 0 || earlier->host != later->host) return true;
  return !now->own;
}

void on_candidate(void* /*context*/, const Candidate& candidate) {
  static report::Race race;
  writer.build(candidate, race);
  writer.suppress(race);
  if (!now->divided || now->is_quiet) return writer.put(race);
  static char line[1 << 17];
  // One event may make several races, in the order of their addresses.
  const std::string words = std::to_string(now->position) + ' ' + std::to_string(race.location.address) + ' ' +
                            (race.detection == report::Detection::kObserved ? "1 " : "0 ") + race.id.hex + ' ';
  put_part('R', words, report::format_race(race, now->tables.process.pid, line, sizeof(line)));
}

void put_counts_of_part() {
  for (const Candidate* candidate = detector.candidates().first(); candidate != nullptr;
       candidate = candidate->next.load(std::memory_order_acquire)) {
    const uint64_t count = writer.count_of(*candidate);
    if (count == 0) continue;
    const report::RaceId id = report::race_id(candidate->site_a, candidate->site_b);
    put_part('C', std::string(id.hex) + (candidate->standing.load() == Standing::kObserved ? " 1 " : " 0 "),
             Decimal(count).text());
  }
}

Listener listener() {
  Listener listener;
  listener.site = [](void*, StackId where) { return identity_of_stack(where); };
  listener.counts = &counts;
  if (now->settings.new_memory) {
    listener.fresh_until = [](void*, Address byte, Epoch moment) -> Address {
      const Block* block = now->blocks.find(byte);
      return block == nullptr || !(block->birth == moment) ? 0 : block->address + block->size;
    };
  }
  listener.block = [](void*, Address byte, Address& begin, Address& end) {
    const Block* block = now->blocks.find(byte);
    if (block == nullptr) return false;
    begin = block->address;
    end = block->address + block->size;
    return true;
  };
  listener.candidate = &on_candidate;
  listener.note = [](void*, const char* text) { writer.put_note(text); };
  return listener;
}

Options core_options(const options::Settings& settings) {
  Options options;
  options.engine = settings.engine;
  options.condition = settings.cv;
  options.conditions = false;  // until the trace says that there are some
  options.spin = false;
  options.handover = settings.handover;
  options.library = settings.lib;
  if (settings.history == options::History::kShort) options.superseded_cap = options::kShortHistory;
  options.memory_limit = size_t{settings.memory_limit} << 20;
  return options;
}

// --- applying ----------------------------------------------------------------------------------------------------

void begin_watching() {
  if (now->watching) return;
  now->watching = true;
  hazard_listener.lock_order.watch(true);
}

// LiteRace's rule for memory that is used again: nothing is known of the block itself.
bool apply_to_pages(const Event& event) {
  if (event.kind != EventKind::kAllocate && event.kind != EventKind::kFree && event.kind != EventKind::kReallocate)
    return event.kind == EventKind::kBirth;
  constexpr Address kPage = 4096;
  const auto synchronize = [&](Address address, uint64_t size) {
    for (Address page = address / kPage; size != 0 && page <= (address + size - 1) / kPage; ++page) {
      // No program has an annotation there.
      for (const EventKind kind : {EventKind::kHappensAfter, EventKind::kHappensBefore})
        detector.apply({.kind = kind, .thread = event.thread, .address = page * kPage + 1});
    }
  };
  synchronize(event.address, event.size);
  synchronize(event.other, event.other_size);
  return true;
}

void apply_event(const Item& item) {
  const Event& event = item.event;
  if (now->pages && event.thread != kNoThread && apply_to_pages(event)) return;
  now->own = item.own;
  switch (event.kind) {
    case EventKind::kThreadFork:
    case EventKind::kForkAfter:
      begin_watching();
      break;
    case EventKind::kThreadStart:
      if (now->seen_root) begin_watching();
      now->seen_root = true;
      break;
    case EventKind::kObserveOnly:
      if (is_state_machine(now->settings.engine)) {
        now->refusal = "msm-short and msm-long must see every access: this is a trace of the sampling profile";
      }
      now->settings.engine = EngineKind::kHb;
      break;
    default:
      break;
  }
  now->current = event.thread == kNoThread ? nullptr : detector.find(event.thread);
  if (event.kind == EventKind::kBirth && now->current != nullptr) {
    now->births[event.thread] = detector.birth(*now->current);
    return;
  }
  if (event.kind == EventKind::kThreadExit && now->current != nullptr) {
    hazard_listener.on_event(*now->current, event);
    now->current = nullptr;
    detector.apply(event);
    return;
  }
  detector.apply(event);
  if (event.thread == kNoThread || event.kind == EventKind::kRead || event.kind == EventKind::kWrite) return;
  if (Thread* thread = detector.find(event.thread); thread != nullptr) hazard_listener.on_event(*thread, event);
}

// With flags=race what a loop waits for is a race of whoever wrote it without order.
void count_flag(const Event& event) {
  now->current = detector.find(event.thread);
  if (now->settings.flags != options::Flags::kRace || now->current == nullptr) return;
  const AccessKind kind = event.kind == EventKind::kAtomicLoad ? AccessKind::kAtomicRead : AccessKind::kRead;
  detector.find_unordered_writes(*now->current, kind, event.address, event.size, event.where,
                                 [](const RacingPair& pair) { detector.add_race(pair); });
}

void apply(const Item& item) {
  const Event& event = item.event;
  switch (item.kind) {
    case ItemKind::kEvent:
      apply_event(item);
      break;
    case ItemKind::kBlock:
      if (event.address + event.size < event.address) break;
      now->blocks.add({event.address, event.size, event.thread, event.where,
                       item.born ? now->births[event.thread] : Epoch{}, false});
      break;
    case ItemKind::kBlockEnd:
      now->blocks.end(event.address);
      break;
    case ItemKind::kFlag:
      count_flag(event);
      break;
    case ItemKind::kRegion:
      break;
  }
}

// Whether rules follow accesses under locks (skeleton.h).
bool follows_accesses_under_locks(const Skeleton& skeleton) {
  const options::Settings& settings = now->settings;
  return (predicts(settings.engine) && settings.handover && settings.lib) ||
         (settings.cv == ConditionMode::kWriteRead && skeleton.has_conditions());
}

// May take more for the skeleton than there is up to the end of what is applied.
void find_skeleton(const std::vector<Stretch>& stretches) {
  for (const Stretch& stretch : stretches) {
    Skeleton found;
    trace::for_each_item(*stretch.file, [&](uint32_t stream, const Item& item) {
      if (is_plausible(item.event)) found.add(stream, item);
    });
    if (!found.has_order()) {  // a fiber that went from one thread of the system to another
      found = {};
      trace::Merge merge(*stretch.file);
      Item item;
      while (merge.next(item))
        if (is_plausible(item.event)) found.add(0, item);
    }
    now->skeleton.add(found);
  }
  if (follows_accesses_under_locks(now->skeleton)) now->skeleton.follow_accesses_under_locks();
}

void count_access(const Event& event) {
  if (event.kind != EventKind::kRead && event.kind != EventKind::kWrite) return;
  ++now->counts.accesses;
  const auto stack = now->stacks.upper_bound(event.address);
  if (stack == now->stacks.begin() || event.address >= std::prev(stack)->second) ++now->counts.non_stack;
}

// Up to the timestamp. Gives why it ended earlier, if it did.
std::string apply_until(const trace::TraceFile& file, uint64_t end) {
  trace::Merge merge(file);
  Item item;
  while (merge.is_before(end) && now->refusal.empty() && merge.next(item)) {
    if (!is_plausible(item.event)) {
      return "the trace is cut after event " + std::to_string(item.timestamp) + ": what follows is no event";
    }
    ++now->position;
    if (now->counting && item.kind == ItemKind::kEvent && !now->is_quiet) count_access(item.event);
    if (now->replay != nullptr && !now->replay->logs(item)) {
      ++now->left_out;
      continue;
    }
    if (now->parts > 1 && item.kind == ItemKind::kEvent &&
        !now->skeleton.is_applied(item.event, now->part, now->parts)) {
      ++now->left_out;
      continue;
    }
    apply(item);
  }
  return merge.position() >= end ? "" : merge.cut();
}

uint64_t end_of(const trace::TraceFile& file) {
  const std::optional<trace::EndEntry>& end = file.tables().end;
  return end ? end->timestamp : ~uint64_t{0};
}

// The traces of the processes that it was forked from, the first one first.
struct Origin {
  std::unique_ptr<trace::TraceFile> file;
  uint64_t until;
};

bool find_origins(const trace::TraceFile& file, std::vector<Origin>& origins, std::string& error) {
  constexpr size_t kMost = 64;
  const trace::TraceFile* at = &file;
  while (!at->tables().process.origin.empty()) {
    const Text name = at->tables().process.origin;
    const uint64_t until = at->tables().process.forked_at;
    const std::filesystem::path beside = std::filesystem::path(at->path()).parent_path();
    std::filesystem::path path = beside / std::filesystem::path(std::string(name.data, name.size)).filename();
    if (!std::filesystem::exists(path)) path.replace_extension(".trace");
    if (origins.size() == kMost) {
      error = file.path() + " is damaged: it was forked from itself";
      return false;
    }
    std::unique_ptr<trace::TraceFile> origin = trace::TraceFile::open(path.string(), error);
    if (!origin) return false;
    at = origin.get();
    origins.insert(origins.begin(), {std::move(origin), until});
  }
  return true;
}

std::vector<Stretch> stretches_of(const trace::TraceFile& file, const std::vector<Origin>& origins) {
  std::vector<Stretch> stretches;
  stretches.reserve(origins.size() + 1);
  for (const Origin& origin : origins) stretches.push_back({origin.file.get(), origin.until});
  stretches.push_back({&file, end_of(file)});
  return stretches;
}

bool read_options(const Job& job, options::Settings& settings, std::string& error) {
  // What is said now counts more than what was said then.
  static std::string kept;
  const Text recorded = now->tables.process.options;
  kept = std::string(recorded.data == nullptr ? "" : recorded.data, recorded.size);
  options::OptionError wrong;
  if (!options::parse_options(settings, {kept.data(), kept.size()}, wrong)) {
    error = job.trace + " is damaged: " + std::string(wrong.bytes, wrong.size);
    return false;
  }
  if (options::parse_options(settings, {job.options.data(), job.options.size()}, wrong)) return true;
  error = std::string(wrong.bytes, wrong.size);
  return false;
}

bool read_rules(std::string& error) {
  static std::vector<report::Rule> rules;
  rules.resize(report::FindingsWriter<TraceFront>::count_rules({}));
  report::SuppressionError wrong;
  const auto today = static_cast<report::Day>(std::time(nullptr) / 86400);
  // The user's own rules are applied by whoever reads the findings.
  if (writer.read_suppressions({}, now->settings.own_rules, rules.data(), today, wrong)) return true;
  error = "suppressions";
  return false;
}

void report_lock_order(const hazards::LockEdge* edges, unsigned count) { writer.put_lock_order(edges, count); }

}  // namespace

bool read_counts(const std::string& file, AccessCounts& counts) {
  std::ifstream in(file);
  return static_cast<bool>(in >> counts.accesses >> counts.non_stack >> counts.logged);
}

Outcome analyze(const Job& job, std::string& error) {
  static Analysis analysis;
  now = &analysis;
  const std::unique_ptr<trace::TraceFile> file = trace::TraceFile::open(job.trace, error);
  if (!file) return Outcome::kRefused;
  std::vector<Origin> origins;
  if (!find_origins(*file, origins, error)) return Outcome::kRefused;
  analysis.tables = file->tables();
  for (const Origin& origin : origins) analysis.tables.add_missing(origin.file->tables());
  if (!read_options(job, analysis.settings, error) || !read_rules(error)) return Outcome::kRefused;
  analysis.findings_fd = open(job.findings.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (analysis.findings_fd < 0) {
    error = job.findings + " cannot be written";
    return Outcome::kRefused;
  }
  core_yield = [] { sched_yield(); };
  if (!detector.init(core_options(analysis.settings), listener())) {
    error = "not enough memory to analyse a trace";
    return Outcome::kRefused;
  }
  const Tables& own = file->tables();
  const uint64_t end = end_of(*file);
  if (job.engine == OfflineEngine::kSyncPreserving) return prove(job, stretches_of(*file, origins), error);
  analysis.part = job.part;
  analysis.parts = job.parts;
  analysis.divided = job.divided;
  analysis.counting = !job.counts.empty();
  if (job.parts > 1) find_skeleton(stretches_of(*file, origins));
  if ((analysis.settings.hazards & options::kHazardLockOrder) != 0 && job.part == 0) {
    hazard_listener.lock_order.init(detector, hazard_memory, &report_lock_order);
  }

  analysis.pages = job.pages;
  for (const auto& [id, thread] : analysis.tables.threads) {
    Address& end_of_stack = analysis.stacks[thread.stack_begin];
    end_of_stack = std::max(end_of_stack, thread.stack_end);
  }
  for (const SamplerInfo& sampler : samplers()) {
    if (sampler.name == job.sampler)
      analysis.replay = std::make_unique<SamplerReplay>(sampler, job.seed, *job.waited_for);
  }

  std::string cut;
  analysis.is_quiet = true;
  for (const Origin& origin : origins) {
    if (cut.empty()) cut = apply_until(*origin.file, origin.until);
  }
  analysis.is_quiet = false;
  if (origins.empty()) {
    writer.put_start();
  } else {
    analysis.watching = false;
    hazard_listener.lock_order.watch(false);
    static std::vector<uint64_t> known(detector.candidates().size());
    writer.restart(known.empty() ? nullptr : known.data());
  }
  analysis.left_out = 0;
  const uint64_t logged_before = analysis.replay == nullptr ? 0 : analysis.replay->logged();
  if (cut.empty()) cut = apply_until(*file, end);
  if (!analysis.refusal.empty()) {
    error = analysis.refusal;
    return Outcome::kRefused;
  }
  if (!job.counts.empty()) {
    analysis.counts.logged = analysis.replay == nullptr ? 0 : analysis.replay->logged() - logged_before;
    std::ofstream(job.counts) << analysis.counts.accesses << ' ' << analysis.counts.non_stack << ' '
                              << analysis.counts.logged << '\n';
  }
  if (cut.empty() && !own.stopped.empty()) cut = "the recording stopped before the program ended: " + own.stopped;
  if (!cut.empty()) writer.put_note(cut.c_str());
  if (analysis.divided) put_counts_of_part();
  if (own.end && cut.empty()) {
    writer.put_end(own.end->exit);
  } else {
    writer.put_counts();
  }
  return cut.empty() ? Outcome::kDone : Outcome::kCut;
}

std::string check_witness(const std::string& trace, const Witness& witness, std::string& error) {
  const std::unique_ptr<trace::TraceFile> file = trace::TraceFile::open(trace, error);
  std::vector<Origin> origins;
  if (!file || !find_origins(*file, origins, error)) return "";
  return check_witnesses(stretches_of(*file, origins), {witness})[0];
}

}  // namespace norn::analyze
