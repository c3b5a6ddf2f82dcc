#include "report/record.h"

#include "report/model_writer.h"

namespace norn::report {
namespace {

using RecordWriter = ModelWriter<kRecord>;
constexpr size_t kAllFrames = RecordWriter::kAllFrames;

// One line: `put` says what stands behind the record's name and its process.
template <class Put>
void write_record(Text name, uint32_t pid, Sink sink, Put put, size_t max_frames = kAllFrames) {
  JsonWriter json(sink);
  RecordWriter record(json, max_frames);
  json.begin_object();
  record.field("record", name);
  record.field("pid", pid, kRecord | kAlways);
  put(record);
  record.field("cut", max_frames != kAllFrames);
  json.end_object();
  sink.put('\n');
}

void write_race_cut(const Race& race, uint32_t pid, Sink sink, size_t max_frames) {
  write_record(
      race.is_flag ? "flag" : "race", pid, sink, [&](RecordWriter& record) { describe(record, race); }, max_frames);
}

void write_hazard_cut(const Hazard& hazard, uint32_t pid, Sink sink, size_t max_frames) {
  write_record("hazard", pid, sink, [&](RecordWriter& record) { describe(record, hazard); }, max_frames);
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
  write_record("start", run.pid, sink, [&](RecordWriter& record) {
    record.field("norn", kRecordVersion);
    describe_start(record, run);
  });
}

void write_end(const RunSummary& run, Sink sink) {
  write_record("end", run.pid, sink, [&](RecordWriter& record) { describe_end(record, run); });
}

void write_race(const Race& race, uint32_t pid, Sink sink) { write_race_cut(race, pid, sink, kAllFrames); }

void write_count(const Race& race, uint32_t pid, Sink sink) {
  write_record("count", pid, sink, [&](RecordWriter& record) { describe_count(record, race); });
}

void write_confirmation(const RaceId& id, const Confirmation& confirmation, uint32_t pid, Sink sink) {
  write_record("confirmation", pid, sink,
               [&](RecordWriter& record) { describe_confirmation(record, id, confirmation); });
}

void write_met(const Confirmation& confirmation, Sink sink) {
  if (!confirmation.has_met) return;
  JsonWriter json(sink);
  RecordWriter record(json);
  json.begin_array();
  for (const MetAccess& met : confirmation.met) {
    json.begin_object();
    describe(record, met);
    json.end_object();
  }
  json.end_array();
}

void write_classification(const RaceId& id, const Classification& classification, uint32_t pid, Sink sink) {
  write_record("classification", pid, sink,
               [&](RecordWriter& record) { describe_classification(record, id, classification); });
}

void write_note(Text note, uint32_t pid, Sink sink) {
  write_record("note", pid, sink, [&](RecordWriter& record) { record.field("text", note, kRecord | kAlways); });
}

void write_lost(uint64_t races, uint32_t pid, Sink sink) {
  write_record("lost", pid, sink, [&](RecordWriter& record) { record.field("races", races, kRecord | kAlways); });
}

void write_resumed(uint32_t pid, Sink sink) {
  write_record("resumed", pid, sink, [](RecordWriter& /*record*/) {});
}

void write_place(uint32_t site, Text text, uint32_t pid, Sink sink) {
  write_record("place", pid, sink, [&](RecordWriter& record) {
    record.field("site", AsHex(site), kRecord | kAlways);
    record.field("text", text, kRecord | kAlways);
  });
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
