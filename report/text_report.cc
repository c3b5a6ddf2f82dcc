#include "report/text_report.h"

#include "report/race.h"
#include "report/words/access_values.h"
#include "report/words/columns.h"
#include "report/words/function_name.h"
#include "report/words/op_names.h"

namespace norn::report {
namespace {

// The column at which the standing begins, so that the titles of several races line up.
constexpr size_t kStandingColumn = 51;
constexpr size_t kMinFunctionWidth = 28;
constexpr size_t kMaxFunctionWidth = 72;
// A longer stack (a recursion) shows its innermost and outermost frames.
constexpr size_t kInnerRows = 12;
constexpr size_t kOuterRows = 4;
constexpr size_t kNameBytes = 512;

struct Name {
  char bytes[kNameBytes];
  Buffer buffer{bytes, sizeof(bytes)};
  [[nodiscard]] Text text() const { return buffer.text(); }
  [[nodiscard]] Sink sink() { return buffer.sink(); }
};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Program text on a terminal: control characters are shown as '?', tabs as a space.
void put_clean(Text text, Sink sink) {
  size_t plain = 0;
  for (size_t i = 0; i < text.size; ++i) {
    const auto c = static_cast<uint8_t>(text[i]);
    if (c >= 0x20 && c != 0x7f) continue;
    sink.put(text.part(plain, i - plain));
    sink.put(c == '\t' ? ' ' : '?');
    plain = i + 1;
  }
  sink.put(text.part(plain));
}

void put_bytes(uint64_t bytes, Sink sink) {
  sink.put(Decimal(bytes, true).text());
  sink.put(bytes == 1 ? Text(" byte") : Text(" bytes"));
}

void put_thread(uint32_t number, Text name, Sink sink) {
  sink.put("thread ");
  sink.put(Decimal(number).text());
  if (name.empty()) return;
  sink.put(" \"");
  put_clean(name, sink);
  sink.put('"');
}

void put_times(uint64_t count, Sink sink) {
  if (count == 1) {
    sink.put("once");
  } else {
    sink.put(Decimal(count, true).text());
    sink.put(" times");
  }
}

Text trimmed(Text line) {
  while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line = line.part(1);
  while (!line.empty() && (line[line.size - 1] == ' ' || line[line.size - 1] == '\t' || line[line.size - 1] == '\r' ||
                           line[line.size - 1] == '\n'))
    line = line.part(0, line.size - 1);
  return line;
}

// A path without "." and "..", in a buffer of kNameBytes. Never longer than what it is made of.
Text normalized(Text path, char* buffer) {
  size_t size = 0;
  size_t at = 0;
  if (path.starts_with("/")) buffer[size++] = '/', ++at;
  const size_t root = size;
  while (at < path.size) {
    size_t end = at;
    while (end < path.size && path[end] != '/') ++end;
    const Text part = path.part(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    const bool can_go_up = size > root && !(base_name({buffer, size}) == "..");
    if (part == ".." && can_go_up) {
      while (size > root && buffer[size - 1] != '/') --size;
      if (size > root) --size;
      continue;
    }
    if (size > root) buffer[size++] = '/';
    for (const char c : part) buffer[size++] = c;
  }
  return {buffer, size};
}

enum class Style : uint8_t { kPlain, kBold, kDim, kRed, kYellow, kGreen, kCyan };

Style style_of(Standing standing) {
  switch (standing) {
    case Standing::kConfirmed:
    case Standing::kObserved:
    case Standing::kProved:
      return Style::kRed;
    case Standing::kPredicted:
    case Standing::kStatic:
      return Style::kYellow;
  }
  return Style::kPlain;
}

void put_standing(Standing standing, const Confirmation& confirmation, Text vain, Sink sink) {
  sink.put(name_of(standing));
  if (!confirmation.tried()) return;
  if (confirmation.confirmed > 0) {
    sink.put(" in ");
    sink.put(Decimal(confirmation.confirmed, true).text());
    sink.put(" of ");
  } else {
    sink.put(" · ");
    sink.put(vain);
  }
  sink.put(Decimal(confirmation.runs, true).text());
  sink.put(confirmation.runs == 1 ? Text(" run") : Text(" runs"));
}

// ---- the report ----

class TextReport {
 public:
  TextReport(const TextOptions& options, Sink sink) : options_(options), sink_(sink) {}

  void race(const Race& race, const RunSummary& run, const Also& also) {
    measure(race);
    title(race);
    for (const Access& access : race.accesses) this->access(access);
    location(race.location);
    if (race.is_flag) {
      sink_.put("  taken for a flag: ");
      sink_.put(kWhyFlag);
      sink_.put('\n');
    }
    if (!race.witness.empty()) {
      sink_.put(
          "  proved by a reordering of the trace; norn analyze --witness=FILE writes it, norn trace witness checks "
          "it\n");
    }
    this->also(also);
    if (race.suppressed) {
      sink_.put("  suppressed by ");
      put_clean(race.suppressed_by.empty() ? Text("a rule") : race.suppressed_by, sink_);
      sink_.put('\n');
    }
    met(race);
    replay(race.confirmation);
    next(race, run);
    sink_.put('\n');
  }

  void summary(const RunSummary& run, const RaceCounts& races) {
    for (const Text note : run.notes) {
      sink_.put("norn: note: ");
      put_clean(note, sink_);
      sink_.put('\n');
    }
    sink_.put("norn: ");
    if (run.engine == "static") return static_summary(run, races);
    if (races.total() == 0 && !run.checked) {
      styled(Style::kBold, "nothing was checked");
    } else if (races.total() == 0 && run.ended) {
      styled(Style::kGreen, races.accepted > 0 ? Text("no other races") : Text("no races"));
    } else if (races.total() == 0) {
      styled(Style::kBold, races.accepted > 0 ? Text("0 other races so far") : Text("0 races so far"));
    } else {
      Name count;
      count.sink().put(Decimal(races.total(), true).text());
      count.sink().put(races.total() == 1 ? Text(" race") : Text(" races"));
      styled(Style::kBold, count.text());
      sink_.put(" (");
      if (races[Standing::kConfirmed] > 0) {
        standing_count(races, Standing::kConfirmed);
        sink_.put(", ");
      }
      standing_count(races, Standing::kObserved);
      sink_.put(", ");
      if (races[Standing::kProved] > 0) {
        standing_count(races, Standing::kProved);
        sink_.put(", ");
      }
      standing_count(races, Standing::kPredicted);
      sink_.put(')');
      on_variables(races);
      if (!run.ended) sink_.put(" so far");
    }
    suppressed(races);
    if (run.stats.threads > 0) {
      sink_.put("; ");
      counted(run.stats.accesses, " access by ", " accesses by ");
      counted(run.stats.threads, " thread in ", " threads in ");
      seconds(run);
    }
    sink_.put('\n');
  }

  // Nothing ran: what is found are candidates, and none of them is no promise.
  void static_summary(const RunSummary& run, const RaceCounts& races) {
    Name count;
    count.sink().put(races.total() == 0 ? Text("no") : Decimal(races.total(), true).text());
    count.sink().put(races.total() == 1 ? Text(" candidate") : Text(" candidates"));
    styled(Style::kBold, count.text());
    on_variables(races);
    suppressed(races);
    sink_.put("; nothing was run; ");
    counted(run.stats.accesses, " shared access of ", " shared accesses of ");
    counted(run.stats.threads, " thread, analysed in ", " threads, analysed in ");
    seconds(run);
    sink_.put('\n');
  }

  void on_variables(const RaceCounts& races) {
    if (races.variables == 0 || races.variables >= races.total()) return;
    sink_.put(" on ");
    counted(races.variables, " variable", " variables");
  }

  void suppressed(const RaceCounts& races) {
    if (races.suppressed == 0) return;
    sink_.put(", ");
    counted(races.suppressed, " suppressed", " suppressed");
  }

  void counted(uint64_t count, Text one, Text many) {
    sink_.put(Decimal(count, true).text());
    sink_.put(count == 1 ? one : many);
  }

  void seconds(const RunSummary& run) {
    const uint64_t hundredths = (run.stats.microseconds + 5000) / 10000;
    sink_.put(Decimal(hundredths / 100, true).text());
    sink_.put('.');
    sink_.put(Decimal(100 + hundredths % 100).text().part(1));
    sink_.put(" s");
  }

  void flag(const Race& flag) const {
    put_location_name(flag.location, sink_);
    Name place;
    put_place(site_of(flag.accesses[0]), place.sink());
    if (place.text().empty()) return;
    sink_.put(" (");
    sink_.put(place.text());
    sink_.put(')');
  }

 private:
  void start(Style style) const {
    constexpr Text kCodes[] = {"", "\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m", "\033[32m", "\033[36m"};
    if (options_.color) sink_.put(kCodes[static_cast<size_t>(style)]);
  }
  void stop(Style style) const {
    if (options_.color && style != Style::kPlain) sink_.put("\033[0m");
  }
  void styled(Style style, Text text) const {
    start(style);
    put_clean(text, sink_);
    stop(style);
  }
  void spaces(size_t count) const {
    for (size_t i = 0; i < count; ++i) sink_.put(' ');
  }
  void standing_count(const RaceCounts& races, Standing standing) const {
    sink_.put(Decimal(races[standing], true).text());
    sink_.put(' ');
    sink_.put(name_of(standing));
  }

  // ---- frames ----

  // Relative to the base if it lies below it, else as the compiler was told: short, and the same on every machine.
  void put_path(const Frame& frame, Sink sink) const {
    Name name;
    if (!frame.directory.empty() && !frame.file.starts_with("/")) {
      name.sink().put(frame.directory);
      name.sink().put('/');
    }
    name.sink().put(frame.file);
    char bytes[kNameBytes];
    const Text path = normalized(name.text(), bytes);
    const Text base = options_.base;
    if (!base.empty() && !name.buffer.overflowed() && path.size > base.size && path.starts_with(base) &&
        path[base.size] == '/') {
      put_clean(path.part(base.size + 1), sink);
    } else {
      put_clean(frame.file.starts_with("./") ? frame.file.part(2) : frame.file, sink);
    }
  }

  void put_place(const Frame& frame, Sink sink) const {
    if (!frame.file.empty()) {
      put_path(frame, sink);
      if (frame.line != 0) {
        sink.put(':');
        sink.put(Decimal(frame.line).text());
      }
    } else if (!frame.module.empty()) {
      put_clean(base_name(frame.module), sink);
      sink.put('+');
      sink.put(Hex(frame.offset).text());
    }
  }

  // One row of a stack: a frame, or `folded` frames that are not shown.
  struct Row {
    Text label{};
    const Frame* frame = nullptr;
    size_t folded = 0;
    bool library = false;  // of what is folded
  };

  // Calls visit(Row) for what of a stack is shown.
  template <class Visit>
  void rows(List<Frame> frames, Visit visit) const {
    if (options_.full) {
      for (size_t i = 0; i < frames.size; ++i) visit(Row{.frame = &frames[i]});
      return;
    }
    size_t total = 0;
    fold_library(frames, [&](const Row&) { ++total; });
    const bool long_stack = total > kInnerRows + kOuterRows + 1;
    size_t index = 0;
    fold_library(frames, [&](const Row& row) {
      if (!long_stack || index < kInnerRows || index >= total - kOuterRows) {
        visit(row);
      } else if (index == kInnerRows) {
        visit(Row{.folded = total - kInnerRows - kOuterRows});
      }
      ++index;
    });
  }

  // A single library frame costs a line either way, so it is shown.
  template <class Visit>
  static void fold_library(List<Frame> frames, Visit visit) {
    size_t at = 0;
    while (at < frames.size) {
      size_t run = at;
      while (run < frames.size && frames[run].library) ++run;
      if (run - at >= 2) {
        visit(Row{.folded = run - at, .library = true});
        at = run;
      } else {
        visit(Row{.frame = &frames[at]});
        ++at;
      }
    }
  }

  template <class Visit>
  void access_rows(const Access& access, Visit visit) const {
    if (access.stack.empty() && site_of(access).known()) visit(Row{.frame = &site_of(access)});
    rows(access.stack, visit);
    Text label = "created in ";
    const List<Frame> creation = access.thread_created_at;
    for (size_t i = 0; i < creation.size; ++i) {
      if (!options_.full && creation[i].library) continue;
      visit(Row{.label = label, .frame = &creation[i]});
      if (!options_.full) break;
      label = "        by ";
    }
  }

  void put_row_function(const Row& row, size_t width, Sink sink) const {
    sink.put(row.label);
    if (!row.frame->function.empty()) {
      const size_t left = width > row.label.size ? width - row.label.size : 1;
      put_function(row.frame->function, width == 0 ? 0 : left, sink);
    } else {
      Name place;
      put_place(Frame{.module = row.frame->module, .offset = row.frame->offset}, place.sink());
      sink.put(place.text().empty() ? Text("(unknown)") : place.text());
    }
  }

  // The place stands beside the function, unless the function column already says it.
  void put_row_place(const Row& row, Sink sink) const {
    if (!row.frame->function.empty() || !row.frame->file.empty()) put_place(*row.frame, sink);
  }

  void measure(const Race& race) {
    size_t place_width = 0;
    const auto widest_place = [&](const Row& row) {
      if (row.frame == nullptr) return;
      Name place;
      put_row_place(row, place.sink());
      if (columns(place.text()) > place_width) place_width = columns(place.text());
    };
    for (const Access& access : race.accesses) access_rows(access, widest_place);
    const size_t taken = 6 + 3 + place_width;
    const size_t left = options_.width > taken ? options_.width - taken : 0;
    function_limit_ = left < kMinFunctionWidth   ? kMinFunctionWidth
                      : left < kMaxFunctionWidth ? left
                                                 : kMaxFunctionWidth;

    function_width_ = 0;
    const auto widest_function = [&](const Row& row) {
      if (row.frame == nullptr) return;
      Name function;
      put_row_function(row, function_limit_, function.sink());
      if (columns(function.text()) > function_width_) function_width_ = columns(function.text());
    };
    for (const Access& access : race.accesses) access_rows(access, widest_function);
    if (race.location.kind == LocationKind::kHeap) rows(race.location.allocated_at, widest_function);

    for (const Access& access : race.accesses) {
      Name what, thread;
      put_what(access, what.sink());
      put_thread(access.thread, access.thread_name, thread.sink());
      if (columns(what.text()) > what_width_) what_width_ = columns(what.text());
      if (columns(thread.text()) > thread_width_) thread_width_ = columns(thread.text());
    }
  }

  void row(const Row& row, size_t indent) const {
    spaces(indent);
    if (row.frame == nullptr) {
      Name fold;
      fold.sink().put("… ");
      fold.sink().put(Decimal(row.folded, true).text());
      fold.sink().put(row.library ? Text(" library frames") : Text(" more frames"));
      styled(Style::kDim, fold.text());
      sink_.put('\n');
      return;
    }
    // The full report shows names whole: one that is too wide puts its place on a line of its own.
    Name function, place;
    put_row_function(row, options_.full ? 0 : function_limit_, function.sink());
    put_row_place(row, place.sink());
    const Style style = row.frame->library ? Style::kDim : Style::kPlain;
    styled(style, function.text());
    if (!place.text().empty()) {
      const size_t width = columns(function.text());
      if (width > function_width_) {
        sink_.put('\n');
        spaces(indent + function_width_ + 3);
      } else {
        spaces(function_width_ - width + 3);
      }
      styled(row.frame->library ? Style::kDim : Style::kCyan, place.text());
    }
    sink_.put('\n');
  }

  // ---- blocks ----

  void title(const Race& race) const {
    Name name, standing;
    name.sink().put(race.is_flag ? "flag " : "race on ");
    put_location_name(race.location, name.sink());
    const Sink out = standing.sink();
    if (race.is_flag) {
      out.put("not atomic");
    } else {
      put_standing(race, out);
      put_class(race, " · ", out);
    }
    if (race.suppressed) out.put(", suppressed");
    if (race.count > 0 && !race.is_flag) {
      out.put(" · ");
      put_times(race.count, out);
    }
    out.put(" · R");
    out.put(race.id.text());

    sink_.put("norn: ");
    start(Style::kBold);
    sink_.put(name.text());
    stop(Style::kBold);
    const size_t used = 6 + columns(name.text());
    const size_t width = columns(standing.text());
    const size_t last = options_.width > width ? options_.width - width : 0;  // the last column it fits at
    const size_t column = kStandingColumn < last ? kStandingColumn : last;
    if (used + 2 <= column) {
      spaces(column - used);
    } else if (used + 2 <= last) {
      spaces(2);
    } else {
      sink_.put('\n');
      spaces(6);
    }
    styled(race.is_flag ? Style::kYellow : style_of(standing_of(race)), standing.text());
    sink_.put('\n');
  }

  void put_what(const Access& access, Sink sink) const {
    sink.put(row_of(access.op).words);
    if (access.size > 0) {
      sink.put(", ");
      put_bytes(access.size, sink);
    }
    if (has_values(access)) {
      sink.put(", ");
      put_values(access, sink);
    }
  }

  void put_lock(const LockHeld& lock, Sink sink) const {
    if (!lock.name.empty()) {
      put_clean(lock.name, sink);
    } else if (lock.address != 0) {
      sink.put("lock ");
      sink.put(Hex(lock.address).text());
    } else {
      sink.put("a lock");
    }
    if (lock.mode == HeldMode::kShared) sink.put(" shared");
    if (lock.taken_at.known()) {
      sink.put(" (taken at ");
      put_place(lock.taken_at, sink);
      sink.put(')');
    }
  }

  void statement(const Access& access) const {
    const Frame& site = site_of(access);
    Name place;
    put_place(site, place.sink());
    sink_.put("  ");
    styled(Style::kBold, place.text().empty() ? Text("at an unknown place") : place.text());
    char bytes[kNameBytes];
    Text source;
    if (options_.read_source != nullptr && site.line != 0)
      source = trimmed({bytes, options_.read_source(options_.source_context, site, bytes, sizeof(bytes))});
    if (source.empty()) source = access.expression;
    if (!source.empty()) {
      const size_t used = 2 + columns(place.text()) + 2;
      const size_t left = options_.width > used + 20 ? options_.width - used : 20;
      sink_.put("  ");
      const bool cut = columns(source) > left;
      put_clean(cut ? clipped(source, left - 1) : source, sink_);
      if (cut) sink_.put("…");
    }
    sink_.put('\n');
  }

  void access(const Access& access) const {
    statement(access);

    Name what, thread, locks;
    put_what(access, what.sink());
    put_thread(access.thread, access.thread_name, thread.sink());
    locks.sink().put(access.locks.empty() ? Text("no locks held") : Text("holds "));
    for (size_t i = 0; i < access.locks.size; ++i) {
      if (i > 0) locks.sink().put(", ");
      put_lock(access.locks[i], locks.sink());
    }
    const size_t used = 4 + what_width_ + 3 + thread_width_ + 3;
    const bool own_lines = !access.locks.empty() && used + columns(locks.text()) > options_.width;
    if (own_lines) {
      locks.buffer.clear();
      locks.sink().put("holds ");
      locks.sink().put(Decimal(access.locks.size).text());
      locks.sink().put(access.locks.size == 1 ? Text(" lock") : Text(" locks"));
    }
    spaces(4);
    styled(access.op == Op::kRead || access.op == Op::kAtomicRead ? Style::kPlain : Style::kBold, what.text());
    spaces(what_width_ - columns(what.text()) + 3);
    sink_.put(thread.text());
    spaces(thread_width_ - columns(thread.text()) + 3);
    sink_.put(locks.text());
    sink_.put('\n');
    if (own_lines) {
      for (const LockHeld& lock : access.locks) {
        spaces(6);
        sink_.put("holds ");
        put_lock(lock, sink_);
        sink_.put('\n');
      }
    }
    bool said = !access.stack_lost;
    access_rows(access, [&](const Row& row) {
      if (!said && !row.label.empty()) said = lost();
      this->row(row, 6);
    });
    if (!said) lost();
  }

  bool lost() const {
    spaces(6);
    styled(Style::kDim, "… the callers are not known");
    sink_.put('\n');
    return true;
  }

  void put_declared(const Location& location, Text before) const {
    if (location.declared_at.file.empty()) return;
    sink_.put(before);
    put_place(location.declared_at, sink_);
  }

  void put_owner(const Location& location, Text before) const {
    if (!location.has_owner) return;
    sink_.put(before);
    put_thread(location.owner, location.owner_name, sink_);
  }

  void location(const Location& location) const {
    sink_.put("  ");
    const Text object = location.object.empty() ? location.name : location.object;
    if (!object.empty()) {
      put_clean(object, sink_);
      sink_.put(": ");
    }
    switch (location.kind) {
      case LocationKind::kGlobal:
        sink_.put("global");
        put_declared(location, " in ");
        break;
      case LocationKind::kTls:
        sink_.put("thread-local");
        put_owner(location, " of ");
        put_declared(location, ", declared in ");
        break;
      case LocationKind::kStack:
        if (!location.allocated_at.empty() && !location.allocated_at[0].function.empty()) {
          sink_.put("local of ");
          put_function(location.allocated_at[0].function, kMaxFunctionWidth, sink_);
          put_declared(location, " in ");
          sink_.put(", ");
        }
        sink_.put("on the stack");
        put_owner(location, " of ");
        if (location.allocated_at.empty()) put_declared(location, ", declared in ");
        break;
      case LocationKind::kHeap:
        sink_.put("heap block");
        if (location.object_size > 0) {
          sink_.put(" of ");
          put_bytes(location.object_size, sink_);
        }
        break;
      case LocationKind::kUnknown:
        sink_.put("at ");
        sink_.put(Hex(location.address).text());
        break;
    }
    if (location.kind != LocationKind::kUnknown) {
      sink_.put(", offset ");
      sink_.put(Decimal(location.offset, true).text());
    }
    if (location.kind == LocationKind::kHeap) put_owner(location, ", allocated by ");
    sink_.put('\n');
    if (location.kind == LocationKind::kHeap) rows(location.allocated_at, [&](const Row& row) { this->row(row, 6); });
  }

  void also(const Also& also) const {
    for (const Race* race : also.races) {
      sink_.put("  also ");
      Name standing;
      put_standing(*race, standing.sink());
      styled(style_of(standing_of(*race)), standing.text());
      Text before = ": ";
      for (const Access& access : race->accesses) {
        Name place;
        put_place(site_of(access), place.sink());
        sink_.put(before);
        sink_.put(place.text().empty() ? Text("an unknown place") : place.text());
        sink_.put(' ');
        sink_.put(row_of(access.op).words);
        before = " / ";
      }
      sink_.put(" · R");
      sink_.put(race->id.text());
      sink_.put('\n');
    }
    if (also.left_out == 0) return;
    sink_.put("  also ");
    sink_.put(Decimal(also.left_out, true).text());
    sink_.put(" more pairs; to see: norn show\n");
  }

  void put_command(const RunSummary& run) const {
    if (run.command.empty()) return put_clean(run.program, sink_);
    for (size_t i = 0; i < run.command.size; ++i) {
      if (i > 0) sink_.put(' ');
      put_shell_word(run.command[i], sink_);
    }
  }

  // Where the values are from, and who went first there.
  void met(const Race& race) const {
    const auto& [later, earlier] = race.accesses;
    if (!has_values(later) && !has_values(earlier)) return;
    if (!later.was_met) return;
    const bool in_order = static_cast<uint32_t>(earlier.site_id) == race.confirmation.met[0].site;
    sink_.put("  values: of the confirmed schedule, where the access shown ");
    sink_.put(in_order ? "second goes first\n" : "first goes first\n");
  }

  // Said by the next command to type, where that is to replay it.
  void replay(const Confirmation& confirmation) const {
    if (confirmation.token.empty() || options_.next == Next::kConfirm) return;
    sink_.put("  replay: ");
    put_clean(confirmation.token, sink_);
    sink_.put('\n');
  }

  void next(const Race& race, const RunSummary& run) const {
    if (options_.next == Next::kNone) return;
    if (race.is_flag) {
      sink_.put("  as a race: ");
      styled(Style::kBold, "norn run --flags=race");
      sink_.put('\n');
      return;
    }
    sink_.put("  next: ");
    start(Style::kBold);
    switch (options_.next) {
      case Next::kConfirm:
        if (race.confirmation.token.empty()) {
          sink_.put("norn confirm R");
          sink_.put(race.id.text());
        } else {
          sink_.put("norn replay ");
          put_clean(race.confirmation.token, sink_);
        }
        sink_.put(" -- ");
        put_command(run);
        break;
      case Next::kShow:
        sink_.put("norn show R");
        sink_.put(race.id.text());
        break;
      case Next::kRun:
        sink_.put("norn run -- ");
        put_command(run);
        break;
      case Next::kReport:
        sink_.put("norn report --html=races.html");
        break;
      case Next::kNone:
        break;
    }
    stop(Style::kBold);
    sink_.put('\n');
  }

  const TextOptions& options_;
  Sink sink_;
  size_t function_limit_ = kMaxFunctionWidth;
  size_t function_width_ = 0;
  size_t what_width_ = 0;
  size_t thread_width_ = 0;
};

}  // namespace

void RaceCounts::add(const Race& race) {
  ++(race.suppressed ? suppressed : of[static_cast<size_t>(standing_of(race))]);
}

void put_shell_word(Text word, Sink sink) {
  bool plain = !word.empty();
  for (const char c : word)
    plain = plain && (is_word(c) || c == '/' || c == '.' || c == '-' || c == '=' || c == ':' || c == ',' || c == '+' ||
                      c == '@' || c == '%');
  if (plain) return sink.put(word);
  sink.put('\'');
  for (const char c : word) put_clean(c == '\'' ? Text("'\\''") : Text(&c, 1), sink);
  sink.put('\'');
}

void put_location_name(const Location& location, Sink sink) {
  if (!location.name.empty()) {
    put_clean(location.name, sink);
    return;
  }
  if (location.size > 0) {
    put_bytes(location.size, sink);
  } else {
    sink.put("memory");
  }
  switch (location.kind) {
    case LocationKind::kHeap:
      sink.put(" in a heap block");
      break;
    case LocationKind::kStack:
      sink.put(" on a stack");
      break;
    case LocationKind::kGlobal:
    case LocationKind::kTls:
    case LocationKind::kUnknown:
      sink.put(" at ");
      sink.put(Hex(location.address).text());
      break;
  }
}

void put_standing(const Race& race, Sink sink) {
  put_standing(standing_of(race), race.confirmation, not_met_words(false), sink);
}

void put_class(const Race& race, Text before, Sink sink) {
  if (!race.classification.known()) return;
  sink.put(before);
  sink.put(race.classification.name);
  if (race.classification.consequence.empty()) return;
  sink.put(": ");
  sink.put(race.classification.consequence);
}

void put_standing(const Hazard& hazard, Sink sink) {
  put_standing(standing_of(hazard), hazard.confirmation, not_met_words(hazard.kind == HazardKind::kAtomicity), sink);
}

void render_text(const Race& race, const RunSummary& run, const TextOptions& options, Sink sink, Also also) {
  TextReport(options, sink).race(race, run, also);
}

void put_flag(const Race& flag, const TextOptions& options, Sink sink) { TextReport(options, sink).flag(flag); }

void put_flags(uint64_t count, List<Text> first, Sink sink) {
  if (count == 0) return;
  sink.put("norn: ");
  sink.put(Decimal(count, true).text());
  sink.put(count == 1 ? Text(" variable used as a flag") : Text(" variables used as flags"));
  sink.put(" without being atomic: ");
  for (size_t i = 0; i < first.size; ++i) {
    if (i > 0) sink.put(", ");
    sink.put(first[i]);
  }
  if (first.size < count) sink.put(", …");
  sink.put("; to see: norn show --flags\n");
}

void render_text(const Hazard& hazard, Sink sink) {
  sink.put("norn: ");
  put_clean(hazard.title, sink);
  sink.put(words_of(hazard.kind));
  if (hazard.confirmation.tried()) {
    sink.put(" · ");
    put_standing(hazard, sink);
  }
  // What happened has no further use for a name.
  if (hazard.kind != HazardKind::kDeadlock) {
    sink.put(" · R");
    sink.put(hazard.id.text());
  }
  sink.put('\n');
  for (const HazardStep& step : hazard.steps) {
    sink.put("  ");
    put_thread(step.thread, step.thread_name, sink);
    sink.put(' ');
    put_clean(step.does, sink);
    sink.put('\n');
    for (const Frame& frame : step.stack) {
      sink.put("    ");
      if (!frame.file.empty()) {
        put_clean(base_name(frame.file), sink);
        sink.put(':');
        sink.put(Decimal(frame.line).text());
        sink.put("  ");
      }
      put_clean(frame.function, sink);
      sink.put('\n');
    }
  }
  if (hazard.confirmation.token.empty()) return;
  sink.put("  replay: ");
  put_clean(hazard.confirmation.token, sink);
  sink.put('\n');
}

void render_text_summary(const RunSummary& run, const RaceCounts& races, const TextOptions& options, Sink sink) {
  TextReport(options, sink).summary(run, races);
}

}  // namespace norn::report
