#include "report/record.h"

namespace norn::report {
namespace {

constexpr size_t kAllFrames = ~size_t{0};

class RecordWriter {
 public:
  RecordWriter(Sink sink, Text record, uint32_t pid, size_t max_frames = kAllFrames)
      : sink_(sink), json_(sink), max_frames_(max_frames) {
    json_.begin_object();
    json_.field("record", record);
    json_.field("pid", uint64_t{pid});
  }
  void finish() {
    json_.end_object();
    sink_.put('\n');
  }

  JsonWriter& json() { return json_; }

  void text(Text name, Text value) {
    if (!value.empty()) json_.field(name, value);
  }
  void number(Text name, uint64_t value) {
    if (value != 0) json_.field(name, value);
  }
  void flag(Text name, bool value) {
    if (value) json_.field_bool(name, true);
  }
  void address(Text name, uint64_t value) {
    json_.key(name);
    json_.hex_string(value);
  }
  void texts(Text name, List<Text> values) {
    if (values.empty()) return;
    json_.key(name);
    json_.begin_array();
    for (const Text value : values) json_.string(value);
    json_.end_array();
  }

  void frame(const Frame& frame) {
    json_.begin_object();
    text("function", frame.function);
    text("linkage", frame.linkage);
    text("file", frame.file);
    text("directory", frame.directory);
    number("line", frame.line);
    number("column", frame.column);
    text("module", frame.module);
    if (frame.offset != 0) address("offset", frame.offset);
    flag("library", frame.library);
    json_.end_object();
  }
  void frames(Text name, List<Frame> frames) {
    if (frames.empty()) return;
    json_.key(name);
    json_.begin_array();
    for (size_t i = 0; i < frames.size && i < max_frames_; ++i) frame(frames[i]);
    json_.end_array();
  }

  void location(const Location& location) {
    json_.begin_object();
    text("name", location.name);
    text("object", location.object);
    address("address", location.address);
    number("size", location.size);
    number("object_size", location.object_size);
    number("offset", location.offset);
    json_.field("kind", name_of(location.kind));
    if (location.declared_at.known()) {
      json_.key("declared_at");
      frame(location.declared_at);
    }
    frames("allocated_at", location.allocated_at);
    if (location.has_owner) {
      json_.field("owner", uint64_t{location.owner});
      text("owner_name", location.owner_name);
    }
    json_.end_object();
  }

  void access(const Access& access) {
    json_.begin_object();
    json_.field("op", name_of(access.op));
    json_.field("size", access.size);
    json_.field("thread", uint64_t{access.thread});
    text("thread_name", access.thread_name);
    frames("thread_created_at", access.thread_created_at);
    if (access.site.known()) {
      json_.key("site");
      frame(access.site);
    }
    frames("stack", access.stack);
    flag("stack_lost", access.stack_lost);
    if (!access.locks.empty()) {
      json_.key("locks");
      json_.begin_array();
      for (size_t i = 0; i < access.locks.size && i < max_frames_; ++i) lock(access.locks[i]);
      json_.end_array();
    }
    text("expression", access.expression);
    if (access.has_value) address("value", access.value);
    if (access.has_old_value) address("old_value", access.old_value);
    number("count", access.count);
    if (access.site_id != 0) address("site_id", access.site_id);
    json_.end_object();
  }

 private:
  void lock(const LockHeld& lock) {
    json_.begin_object();
    text("name", lock.name);
    address("address", lock.address);
    json_.field("mode", name_of(lock.mode));
    if (lock.taken_at.known()) {
      json_.key("taken_at");
      frame(lock.taken_at);
    }
    json_.end_object();
  }

  Sink sink_;
  JsonWriter json_;
  size_t max_frames_;
};

void write_race_cut(const Race& race, uint32_t pid, Sink sink, size_t max_frames) {
  RecordWriter record(sink, race.is_flag ? "flag" : "race", pid, max_frames);
  JsonWriter& json = record.json();
  json.field("id", race.id.text());
  json.field("standing", name_of(race.detection));
  json.field("count", race.count);
  json.key("location");
  record.location(race.location);
  json.key("accesses");
  json.begin_array();
  for (const Access& access : race.accesses) record.access(access);
  json.end_array();
  record.flag("suppressed", race.suppressed);
  record.text("suppressed_by", race.suppressed_by);
  record.flag("cut", max_frames != kAllFrames);
  record.finish();
}

void write_hazard_cut(const Hazard& hazard, uint32_t pid, Sink sink, size_t max_frames) {
  RecordWriter record(sink, "hazard", pid, max_frames);
  JsonWriter& json = record.json();
  json.field("id", hazard.id.text());
  json.field("kind", name_of(hazard.kind));
  json.field("title", hazard.title);
  json.field("places", hazard.places);
  json.key("sites");
  json.begin_array();
  for (const uint64_t site : hazard.sites) json.hex_string(site);
  json.end_array();
  json.key("steps");
  json.begin_array();
  for (const HazardStep& step : hazard.steps) {
    json.begin_object();
    json.field("thread", uint64_t{step.thread});
    record.text("thread_name", step.thread_name);
    record.text("does", step.does);
    record.frames("stack", step.stack);
    json.end_object();
  }
  json.end_array();
  record.flag("cut", max_frames != kAllFrames);
  record.finish();
}

// The whole line, with as many frames as fit.
template <class Write>
Text format_cut(char* buffer, size_t capacity, Write write) {
  constexpr size_t kCuts[] = {kAllFrames, 64, 16, 4, 1};
  for (const size_t max_frames : kCuts) {
    Buffer line(buffer, capacity);
    write(line.sink(), max_frames);
    if (!line.overflowed()) return line.text();
  }
  return {};
}

}  // namespace

void write_start(const RunSummary& run, Sink sink) {
  RecordWriter record(sink, "start", run.pid);
  record.json().field("norn", uint64_t{kRecordVersion});
  record.number("parent", run.parent);
  record.text("program", run.program);
  record.texts("command", run.command);
  record.text("engine", run.engine);
  record.text("front_end", run.front_end);
  record.finish();
}

void write_race(const Race& race, uint32_t pid, Sink sink) { write_race_cut(race, pid, sink, kAllFrames); }

void write_count(const Race& race, uint32_t pid, Sink sink) {
  RecordWriter record(sink, "count", pid);
  record.json().field("id", race.id.text());
  record.json().field("count", race.count);
  record.json().field("standing", name_of(race.detection));
  record.finish();
}

void write_note(Text note, uint32_t pid, Sink sink) {
  RecordWriter record(sink, "note", pid);
  record.json().field("text", note);
  record.finish();
}

void write_lost(uint64_t races, uint32_t pid, Sink sink) {
  RecordWriter record(sink, "lost", pid);
  record.json().field("races", races);
  record.finish();
}

void write_resumed(uint32_t pid, Sink sink) { RecordWriter(sink, "resumed", pid).finish(); }

void write_confirmation(const RaceId& id, const Confirmation& confirmation, uint32_t pid, Sink sink) {
  RecordWriter record(sink, "confirmation", pid);
  record.json().field("id", id.text());
  record.json().field("runs", confirmation.runs);
  record.json().field("confirmed", confirmation.confirmed);
  record.text("token", confirmation.token);
  record.text("strategy", confirmation.strategy);
  record.finish();
}

void write_place(uint32_t site, Text text, uint32_t pid, Sink sink) {
  RecordWriter record(sink, "place", pid);
  record.json().key("site");
  record.json().hex_string(site);
  record.json().field("text", text);
  record.finish();
}

void write_end(const RunSummary& run, Sink sink) {
  RecordWriter record(sink, "end", run.pid);
  JsonWriter& json = record.json();
  json.key("exit");
  json.signed_number(run.exit);
  record.flag("exec", run.becomes_another);
  json.key("stats");
  json.begin_object();
  json.field("events", run.stats.events);
  json.field("accesses", run.stats.accesses);
  json.key("sync");
  json.begin_object();
  for (const NamedCount& sync : run.stats.sync) json.field(sync.name, sync.count);
  json.end_object();
  json.field("threads", run.stats.threads);
  json.key("seconds");
  json.micros_as_seconds(run.stats.microseconds);
  json.field("peak_rss", run.stats.peak_rss);
  json.end_object();
  record.texts("notes", run.notes);
  record.finish();
}

Text format_race(const Race& race, uint32_t pid, char* buffer, size_t capacity) {
  return format_cut(buffer, capacity,
                    [&](Sink sink, size_t max_frames) { write_race_cut(race, pid, sink, max_frames); });
}

Text format_hazard(const Hazard& hazard, uint32_t pid, char* buffer, size_t capacity) {
  return format_cut(buffer, capacity,
                    [&](Sink sink, size_t max_frames) { write_hazard_cut(hazard, pid, sink, max_frames); });
}

}  // namespace norn::report
