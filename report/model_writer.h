// Writes what report/model.h describes: a record on one line, or a report. Freestanding.
#pragma once

#include "report/json_writer.h"
#include "report/model.h"
#include "report/words/access_values.h"

namespace norn::report {

template <Where kForm>
class ModelWriter {
 public:
  static constexpr size_t kAllFrames = ~size_t{0};

  explicit ModelWriter(JsonWriter& json, size_t max_frames = kAllFrames) : json_(json), max_frames_(max_frames) {}

  template <class T>
  void field(Text name, const T& value, unsigned where = kBoth) {
    if ((where & kForm) == 0) return;
    if (kForm == kRecord && (where & kAlways) == 0 && is_empty(value)) return;
    json_.key(name);
    put(value);
  }
  template <class T>
  void optional(Text name, bool has, const T& value, unsigned where) {
    if (has) field(name, value, where | kAlways);
  }
  template <class T>
  void derived(Text name, const T& value) {
    field(name, value, kReport);
  }

 private:
  // What is not among these is never empty.
  template <class T>
  static bool is_empty(const T& /*value*/) {
    return false;
  }
  static bool is_empty(Text value) { return value.empty(); }
  static bool is_empty(bool value) { return !value; }
  static bool is_empty(uint32_t value) { return value == 0; }
  static bool is_empty(uint64_t value) { return value == 0; }
  static bool is_empty(ValueType type) { return type == ValueType::kUnknown; }
  static bool is_empty(const Frame& frame) { return !frame.known(); }
  template <class T>
  static bool is_empty(List<T> list) {
    return list.empty();
  }
  template <class N>
  static bool is_empty(AsHex<N> number) {
    return number.value == 0;
  }
  template <class T>
  static bool is_empty(OrNull<T> text) {
    return text.text.empty();
  }
  template <class T>
  static bool is_empty(Shown<T> value) {
    return is_empty(value.stored);
  }

  void put(Text value) { json_.string(value); }
  void put(bool value) { json_.boolean(value); }
  void put(uint32_t value) { json_.number(value); }
  void put(uint64_t value) { json_.number(value); }
  void put(int32_t value) { json_.signed_number(value); }
  void put(const RaceId& id) { json_.string(id.text()); }
  template <class N>
  void put(AsHex<N> number) {
    json_.hex_string(number.value);
  }
  template <class N>
  void put(AsSeconds<N> time) {
    json_.micros_as_seconds(time.micros);
  }
  template <class T>
  void put(OrNull<T> text) {
    if (kForm == kReport && text.text.empty()) {
      json_.null();
    } else {
      json_.string(text.text);
    }
  }
  void put(ValuesOf values) {
    char bytes[128];
    Buffer words(bytes, sizeof(bytes));
    put_values(values.access, words.sink());
    const Text text = words.text();
    put(OrNull(text));
  }
  template <class T>
  void put(Shown<T> value) {
    put(kForm == kReport ? value.shown : value.stored);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      json_.string(name_of(value));
    } else {
      json_.begin_object();
      describe(*this, value);
      json_.end_object();
    }
  }
  void put(const LockHeld& lock)
    requires(kForm == kReport)
  {
    if (lock.name.empty()) {
      json_.hex_string(lock.address);
    } else {
      json_.string(lock.name);
    }
  }
  void put(const Confirmation& confirmation) {
    if (!confirmation.tried()) return json_.null();
    json_.begin_object();
    describe(*this, confirmation);
    json_.end_object();
  }

  void put(const Classification& classification) {
    if (!classification.known()) return json_.null();
    json_.begin_object();
    describe(*this, classification);
    json_.end_object();
  }

  // A line that is too long loses outer frames, and locks.
  template <class T>
  void put(List<T> list) {
    constexpr bool kCanBeCut = std::is_same_v<T, Frame> || std::is_same_v<T, LockHeld>;
    json_.begin_array();
    for (size_t i = 0; i < list.size && (!kCanBeCut || i < max_frames_); ++i) put(list[i]);
    json_.end_array();
  }
  template <class T, size_t N>
  void put(const T (&items)[N]) {
    put(List<T>(items));
  }
  void put(List<uint64_t> identities) {
    json_.begin_array();
    for (const uint64_t identity : identities) json_.hex_string(identity);
    json_.end_array();
  }
  void put(List<NamedCount> counts) {
    json_.begin_object();
    for (const NamedCount& named : counts) json_.field(named.name, named.count);
    json_.end_object();
  }

  JsonWriter& json_;
  size_t max_frames_;
};

}  // namespace norn::report
