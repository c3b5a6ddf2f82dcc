#include "report/json_writer.h"

namespace norn::report {
namespace {

// The length of the UTF-8 sequence at the start of `text`, 0 if it starts none (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF).
size_t utf8_length(Text text) {
  const auto byte = [&](size_t i) { return i < text.size ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;
    if (lead == 0xed && byte(1) > 0x9f) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0 && byte(1) < 0x90) return 0;
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  sink_.put('\n');
  for (unsigned i = 0; i < depth_ * indent_; ++i) sink_.put(' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) sink_.put(',');
  new_line();
  first_ = false;
}

void JsonWriter::open(char bracket) {
  separate();
  sink_.put(bracket);
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  sink_.put(bracket);
  first_ = false;
}

void JsonWriter::key(Text name) {
  string(name);
  sink_.put(indent_ == 0 ? Text(":") : Text(": "));
  after_key_ = true;
}

void JsonWriter::string(Text value) {
  separate();
  sink_.put('"');
  size_t plain = 0;  // bytes from here on were not written yet and need no escape
  size_t at = 0;
  const auto flush = [&] { sink_.put(value.part(plain, at - plain)); };
  while (at < value.size) {
    const char c = value[at];
    const size_t length = utf8_length(value.part(at));
    if (length > 0 && static_cast<uint8_t>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
      at += length;
      continue;
    }
    flush();
    if (length == 0) {
      sink_.put("\xef\xbf\xbd");
    } else if (c == '"' || c == '\\') {
      sink_.put('\\');
      sink_.put(c);
    } else if (c == '\n') {
      sink_.put("\\n");
    } else if (c == '\t') {
      sink_.put("\\t");
    } else {
      sink_.put("\\u00");
      sink_.put("0123456789abcdef"[(c >> 4) & 15]);
      sink_.put("0123456789abcdef"[c & 15]);
    }
    plain = ++at;
  }
  flush();
  sink_.put('"');
}

void JsonWriter::number(uint64_t value) {
  separate();
  sink_.put(Decimal(value).text());
}

void JsonWriter::signed_number(int64_t value) {
  separate();
  if (value < 0) sink_.put('-');
  sink_.put(Decimal(value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value)).text());
}

void JsonWriter::micros_as_seconds(uint64_t micros) {
  separate();
  sink_.put(Decimal(micros / 1000000).text());
  sink_.put('.');
  // The leading 1 keeps the zeros.
  sink_.put(Decimal(1000000 + micros % 1000000).text().part(1));
}

void JsonWriter::boolean(bool value) {
  separate();
  sink_.put(value ? Text("true") : Text("false"));
}

void JsonWriter::null() {
  separate();
  sink_.put("null");
}

void JsonWriter::hex_string(uint64_t value) { string(Hex(value).text()); }

}  // namespace norn::report
