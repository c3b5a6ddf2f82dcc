// A JSON writer that needs no library and no memory: it streams to a sink.
//
// Strings come from the program under test, so nothing is assumed of them: every byte sequence that is not UTF-8
// becomes U+FFFD, and the output is always valid JSON.
#pragma once

#include "base/sink.h"

namespace norn::report {

class JsonWriter {
 public:
  // `indent` spaces per level; 0 writes everything on one line.
  explicit JsonWriter(Sink sink, unsigned indent = 0) : sink_(sink), indent_(indent) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(Text name);

  void string(Text value);
  void number(uint64_t value);
  void signed_number(int64_t value);
  void micros_as_seconds(uint64_t micros);  // 120000 is 0.120000
  void boolean(bool value);
  void null();
  void hex_string(uint64_t value);  // "0x1f"

  void field(Text name, Text value) { key(name), string(value); }
  void field(Text name, uint64_t value) { key(name), number(value); }
  void field_bool(Text name, bool value) { key(name), boolean(value); }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void new_line();

  Sink sink_;
  unsigned indent_;
  unsigned depth_ = 0;
  bool first_ = true;       // nothing was written yet at this depth
  bool after_key_ = false;  // the value belongs to the key just written
};

}  // namespace norn::report
