// The one description of the model: what each field of a race, a hazard and a run is called, and where it stands. What
// writes records (record.h) and JSON reports (json.h), and what reads either, are archives that a description is given
// to. Freestanding.
//
// An archive is a class with these members:
//
//   field(name, value, where)            a member: text, number, flag, enumerator, list, or what has a description
//   optional(name, has, value, where)    a member that is there only if `has` says so
//   derived(name, value)                 what a report says of other members: it is written there, and never read
//
// Most fields stand in records and in reports alike. A record leaves out what is empty, 0 or false; a report has it
// all. The order of the fields is the order in the file. Two fields have another one in reports than in records: they
// are described in both places.
#pragma once

#include <concepts>

#include "report/race.h"
#include "report/words/op_names.h"

namespace norn::report {

enum Where : unsigned {
  kRecord = 1,
  kReport = 2,
  kBoth = kRecord | kReport,
  kAlways = 4,  // a record has it even if it is empty
};

// T, or T as a writer has it, who may not change it.
template <class Given, class T>
concept Is = std::same_as<std::remove_const_t<Given>, T>;

// --- what is written in another way than its type says ---

// A number as "0x…": JSON's own lose bits above 2^53.
template <class N>
struct AsHex {
  N& value;
};

// Microseconds as seconds.
template <class N>
struct AsSeconds {
  N& micros;
};

// A text that is null in a report if it is empty.
template <class T>
struct OrNull {
  T& text;
};

// A member in whose place a report shows what it comes down to.
template <class T>
struct Shown {
  T& stored;
  const std::remove_const_t<T>& shown;
};

// Its values in words; null if none is known.
struct ValuesOf {
  const Access& access;
};

// What the detector saw, as reports have it.
template <class T>
struct DetectionFact {
  T& standing;
};

template <class Archive, class T>
void describe(Archive& archive, const DetectionFact<T>& fact) {
  archive.field("standing", fact.standing);
}

// --- races ---

template <class Archive, Is<Frame> F>
void describe(Archive& archive, F& frame) {
  archive.field("function", frame.function);
  archive.field("linkage", frame.linkage, kRecord);
  archive.field("file", frame.file);
  archive.field("directory", frame.directory, kRecord);
  archive.field("line", frame.line);
  archive.field("column", frame.column);
  archive.field("module", frame.module);
  archive.field("offset", AsHex(frame.offset));
  archive.field("library", frame.library, kRecord);
}

// In records. A report has but the name, or the address of what has none.
template <class Archive, Is<LockHeld> L>
void describe(Archive& archive, L& lock) {
  archive.field("name", lock.name);
  archive.field("address", AsHex(lock.address), kBoth | kAlways);
  archive.field("mode", lock.mode);
  archive.field("taken_at", lock.taken_at);
}

template <class Archive, Is<Values> V>
void describe_values(Archive& archive, V& values, unsigned where) {
  archive.field("value_type", values.type, where);
  archive.optional("value", values.has_value, AsHex(values.value), where);
  archive.optional("old_value", values.has_old_value, AsHex(values.old_value), where);
}

template <class Archive, Is<Access> A>
void describe(Archive& archive, A& access) {
  archive.field("op", access.op);
  archive.field("size", access.size, kRecord | kAlways);
  archive.field("thread", access.thread, kBoth | kAlways);
  archive.field("thread_name", access.thread_name, kRecord);
  archive.field("thread_created_at", access.thread_created_at);
  archive.field("site", Shown(access.site, site_of(access)));
  archive.field("stack", access.stack);
  archive.field("stack_lost", access.stack_lost, kRecord);
  archive.field("locks", access.locks);
  archive.field("expression", access.expression, kRecord);
  describe_values(archive, access.values, kRecord);
  describe_values(archive, shown_values(access), kReport);
  archive.derived("values", ValuesOf{access});
  archive.field("count", access.count);
  archive.field("site_id", AsHex(access.site_id));
}

template <class Archive, Is<Location> L>
void describe(Archive& archive, L& location) {
  archive.field("name", location.name);
  archive.field("object", location.object, kRecord);
  archive.field("address", AsHex(location.address), kBoth | kAlways);
  archive.field("size", location.size);
  archive.field("object_size", location.object_size, kRecord);
  archive.field("offset", location.offset, kRecord);
  archive.field("kind", location.kind);
  archive.field("declared_at", location.declared_at, kRecord);
  archive.field("allocated_at", location.allocated_at);
  archive.optional("owner", location.has_owner, location.owner, kRecord);
  archive.field("owner_name", location.owner_name, kRecord);
}

template <class Archive, Is<MetAccess> M>
void describe(Archive& archive, M& met) {
  archive.field("site", AsHex(met.site));
  archive.field("size", met.size);
  describe_values(archive, met.values, kBoth);
}

template <class Archive, Is<Confirmation> C>
void describe(Archive& archive, C& confirmation) {
  archive.field("runs", confirmation.runs, kBoth | kAlways);
  archive.field("confirmed", confirmation.confirmed, kBoth | kAlways);
  archive.field("token", OrNull(confirmation.token));
  archive.field("strategy", confirmation.strategy);
  archive.optional("met", confirmation.has_met, confirmation.met, kBoth);
}

template <class Archive, Is<Classification> C>
void describe(Archive& archive, C& classification) {
  archive.field("class", classification.name, kBoth | kAlways);
  archive.field("consequence", OrNull(classification.consequence));
  archive.field("k", classification.k, kBoth | kAlways);
  archive.field("evidence", OrNull(classification.evidence));
}

// Of a race or a hazard, in reports: the word, and behind it what it is derived from. Hazards are not classified.
template <class Archive, class Finding>
void describe_facts(Archive& archive, Finding& finding, Text word) {
  archive.derived("standing", word);
  archive.field("detection", DetectionFact(finding.detection), kReport);
  archive.field("confirmation", finding.confirmation, kReport);
  if constexpr (requires { finding.classification; }) {
    archive.field("classification", finding.classification, kReport);
  } else {
    const Text classification;
    archive.derived("classification", OrNull(classification));
  }
}

// That it is a flag is said by the record's name, and by the list that it stands in; a confirmation is a record of its
// own.
template <class Archive, Is<Race> R>
void describe(Archive& archive, R& race) {
  archive.field("id", race.id);
  archive.field("standing", race.detection, kRecord);
  describe_facts(archive, race, race.is_flag ? Text("flag") : name_of(standing_of(race)));
  archive.field("count", race.count, kRecord | kAlways);
  archive.field("location", race.location);
  archive.field("accesses", race.accesses);
  archive.field("count", race.count, kReport);
  archive.field("suppressed", race.suppressed);
  archive.field("suppressed_by", race.suppressed_by, kRecord);
  archive.field("witness", OrNull(race.witness));
  archive.derived("replay", OrNull(race.confirmation.token));
  if (race.is_flag) archive.derived("why", kWhyFlag);
}

// A record of how often a race was seen since.
template <class Archive, Is<Race> R>
void describe_count(Archive& archive, R& race) {
  archive.field("id", race.id);
  archive.field("count", race.count, kRecord | kAlways);
  archive.field("standing", race.detection);
}

// A record of what was tried.
template <class Archive, Is<RaceId> I, Is<Confirmation> C>
void describe_confirmation(Archive& archive, I& id, C& confirmation) {
  archive.field("id", id);
  describe(archive, confirmation);
}

// A record of what it does.
template <class Archive, Is<RaceId> I, Is<Classification> C>
void describe_classification(Archive& archive, I& id, C& classification) {
  archive.field("id", id);
  describe(archive, classification);
}

// --- hazards ---

template <class Archive, Is<HazardStep> S>
void describe(Archive& archive, S& step) {
  archive.field("thread", step.thread, kBoth | kAlways);
  archive.field("thread_name", step.thread_name, kRecord);
  archive.field("does", step.does);
  archive.field("stack", step.stack);
}

// In records the kind says what was seen of it.
template <class Archive, Is<Hazard> H>
void describe(Archive& archive, H& hazard) {
  archive.field("id", hazard.id);
  archive.field("kind", hazard.kind);
  describe_facts(archive, hazard, name_of(standing_of(hazard)));
  archive.field("title", hazard.title, kBoth | kAlways);
  archive.field("places", hazard.places, kBoth | kAlways);
  archive.field("sites", hazard.sites, kBoth | kAlways);
  archive.field("steps", hazard.steps, kBoth | kAlways);
  archive.derived("replay", OrNull(hazard.confirmation.token));
}

// --- runs ---

template <class Archive, Is<Stats> S>
void describe(Archive& archive, S& stats) {
  archive.field("events", stats.events, kBoth | kAlways);
  archive.field("accesses", stats.accesses, kBoth | kAlways);
  archive.field("sync", stats.sync, kBoth | kAlways);
  archive.field("threads", stats.threads, kBoth | kAlways);
  archive.field("seconds", AsSeconds(stats.microseconds), kBoth | kAlways);
  archive.field("peak_rss", stats.peak_rss, kBoth | kAlways);
}

// What a process says when it begins and when it ends; every record has its pid.
template <class Archive, Is<RunSummary> R>
void describe_start(Archive& archive, R& run) {
  archive.field("parent", run.parent, kRecord);
  archive.field("program", run.program);
  archive.field("command", run.command, kRecord);
  archive.field("engine", run.engine);
  archive.field("front_end", run.front_end);
}
template <class Archive, Is<RunSummary> R>
void describe_end(Archive& archive, R& run) {
  archive.field("exit", run.exit, kBoth | kAlways);
  archive.field("exec", run.becomes_another, kRecord);
  archive.field("complete", Shown(run.ended, run.ended && run.checked), kReport);
  archive.field("stats", run.stats, kRecord);
  archive.field("notes", run.notes);
}

// A whole report.
template <class Archive, Is<RunSummary> R, class Races, class Hazards, class Flags>
void describe_report(Archive& archive, R& run, Races& races, Hazards& hazards, Flags& flags) {
  archive.derived("norn", uint32_t{1});
  describe_start(archive, run);
  describe_end(archive, run);
  archive.field("races", races, kReport);
  archive.field("hazards", hazards, kReport);
  archive.field("flags", flags, kReport);
  archive.field("stats", run.stats, kReport);
}

}  // namespace norn::report
