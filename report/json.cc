#include "report/json.h"

#include "report/json_writer.h"

namespace norn::report {
namespace {

void put_frame(JsonWriter& json, const Frame& frame) {
  json.begin_object();
  json.field("function", frame.function);
  json.field("file", frame.file);
  json.field("line", uint64_t{frame.line});
  json.field("column", uint64_t{frame.column});
  json.field("module", frame.module);
  json.key("offset");
  json.hex_string(frame.offset);
  json.end_object();
}

void put_frames(JsonWriter& json, Text name, List<Frame> frames) {
  json.key(name);
  json.begin_array();
  for (const Frame& frame : frames) put_frame(json, frame);
  json.end_array();
}

void put_access(JsonWriter& json, const Access& access) {
  json.begin_object();
  json.field("op", name_of(access.op));
  json.field("thread", uint64_t{access.thread});
  put_frames(json, "thread_created_at", access.thread_created_at);
  json.key("site");
  put_frame(json, site_of(access));
  put_frames(json, "stack", access.stack);
  json.key("locks");
  json.begin_array();
  for (const LockHeld& lock : access.locks) {
    if (lock.name.empty()) {
      json.hex_string(lock.address);
    } else {
      json.string(lock.name);
    }
  }
  json.end_array();
  json.field("count", access.count);
  json.key("site_id");
  json.hex_string(access.site_id);
  json.end_object();
}

void put_text_or_null(JsonWriter& json, Text text) {
  if (text.empty()) {
    json.null();
  } else {
    json.string(text);
  }
}

// Of a race or a hazard: the word, and behind it what it is derived from.
template <class Finding>
void put_standing(JsonWriter& json, const Finding& finding, Text word) {
  json.field("standing", word);
  json.key("detection");
  json.begin_object();
  json.field("standing", name_of(finding.detection));
  json.end_object();
  json.key("confirmation");
  const Confirmation& confirmation = finding.confirmation;
  if (confirmation.tried()) {
    json.begin_object();
    json.field("runs", confirmation.runs);
    json.field("confirmed", confirmation.confirmed);
    json.key("token");
    put_text_or_null(json, confirmation.token);
    json.field("strategy", confirmation.strategy);
    json.end_object();
  } else {
    json.null();
  }
  json.key("classification");
  json.null();
}

void put_race(JsonWriter& json, const Race& race) {
  json.begin_object();
  json.field("id", race.id.text());
  put_standing(json, race, race.is_flag ? Text("flag") : name_of(standing_of(race)));
  json.key("location");
  json.begin_object();
  json.field("name", race.location.name);
  json.key("address");
  json.hex_string(race.location.address);
  json.field("size", race.location.size);
  json.field("kind", name_of(race.location.kind));
  put_frames(json, "allocated_at", race.location.allocated_at);
  json.end_object();
  json.key("accesses");
  json.begin_array();
  for (const Access& access : race.accesses) put_access(json, access);
  json.end_array();
  json.field("count", race.count);
  json.field_bool("suppressed", race.suppressed);
  json.key("replay");
  put_text_or_null(json, race.confirmation.token);
  if (race.is_flag) json.field("why", kWhyFlag);
  json.end_object();
}

void put_stats(JsonWriter& json, const Stats& stats) {
  json.begin_object();
  json.field("events", stats.events);
  json.field("accesses", stats.accesses);
  json.key("sync");
  json.begin_object();
  for (const NamedCount& sync : stats.sync) json.field(sync.name, sync.count);
  json.end_object();
  json.field("threads", stats.threads);
  json.key("seconds");
  json.micros_as_seconds(stats.microseconds);
  json.field("peak_rss", stats.peak_rss);
  json.end_object();
}

void put_hazard(JsonWriter& json, const Hazard& hazard) {
  json.begin_object();
  json.field("id", hazard.id.text());
  json.field("kind", name_of(hazard.kind));
  put_standing(json, hazard, name_of(standing_of(hazard)));
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
    json.field("does", step.does);
    put_frames(json, "stack", step.stack);
    json.end_object();
  }
  json.end_array();
  json.key("replay");
  put_text_or_null(json, hazard.confirmation.token);
  json.end_object();
}

}  // namespace

void render_json(const RunSummary& run, List<Race> races, List<Hazard> hazards, List<Race> flags, Sink sink) {
  JsonWriter json(sink, 2);
  json.begin_object();
  json.field("norn", uint64_t{1});
  json.field("program", run.program);
  json.field("engine", run.engine);
  json.field("front_end", run.front_end);
  json.key("exit");
  json.signed_number(run.exit);
  json.field_bool("complete", run.ended && run.checked);
  json.key("notes");
  json.begin_array();
  for (const Text note : run.notes) json.string(note);
  json.end_array();
  json.key("races");
  json.begin_array();
  for (const Race& race : races) put_race(json, race);
  json.end_array();
  json.key("hazards");
  json.begin_array();
  for (const Hazard& hazard : hazards) put_hazard(json, hazard);
  json.end_array();
  json.key("flags");
  json.begin_array();
  for (const Race& flag : flags) put_race(json, flag);
  json.end_array();
  json.key("stats");
  put_stats(json, run.stats);
  json.end_object();
  sink.put('\n');
}

}  // namespace norn::report
