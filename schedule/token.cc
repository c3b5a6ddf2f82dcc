#include "schedule/token.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/string_sink.h"
#include "schedule/strategies.h"

namespace norn::schedule {
namespace {

constexpr std::string_view kPrefix = "n2";
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kAccesses = 1;
constexpr uint8_t kWrittenOut = 2;
constexpr uint8_t kGuided = 4;
constexpr uint8_t kOrdered = 8;
constexpr uint8_t kGuarded = 16;
constexpr uint8_t kPredicate = 32;
constexpr uint8_t kLeftOut = 64;
constexpr uint8_t kInputs = 128;

class Writer {
 public:
  void byte(uint64_t value) { bytes_ += static_cast<char>(value); }
  void half(uint16_t value) {
    byte(value & 255u);
    byte(value >> 8u);
  }
  void word(uint32_t value) {
    for (int i = 0; i < 4; ++i) byte(value >> (8 * i) & 255);
  }
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7) byte((value & 127) | 128);
    byte(value);
  }
  void text(std::string_view text) { bytes_ += text; }
  void counted(std::string_view text) {
    varint(text.size());
    bytes_ += text;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads past the end as zeroes, and remembers that it did.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  uint8_t byte() {
    if (bytes_.empty()) return failed_ = true, 0;
    const auto value = static_cast<uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return value;
  }
  std::string text(uint64_t size) {
    if (size > bytes_.size()) return failed_ = true, "";
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  uint32_t word() {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= uint32_t{byte()} << (8 * i);
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      value |= uint64_t{static_cast<uint8_t>(next & 127)} << shift;
      if (next < 128) break;
    }
    return value;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

std::string to_base64(std::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return bytes;
}

// "3f9c1a02,77aa0001" as words; false if it is anything else.
bool write_identities(std::string_view sites, Writer& writer) {
  while (!sites.empty()) {
    const size_t end = std::min(sites.find(','), sites.size());
    const char* word = sites.data();
    uint64_t value = 0;
    const auto [stop, error] = std::from_chars(word, word + end, value, 16);
    if (error != std::errc() || stop != word + end) return false;
    writer.word(static_cast<uint32_t>(value));
    sites.remove_prefix(std::min(end + 1, sites.size()));
  }
  return true;
}

// The upper half of FNV-1a (Fowler, Noll, Vo), folded.
uint16_t checksum(std::string_view bytes) {
  uint32_t hash = 0x811c9dc5;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x01000193;
  return static_cast<uint16_t>(hash >> 16 ^ hash);
}

// Whether the last two bytes are the checksum of those before, which remain.
bool take_checksum(std::string_view& bytes) {
  if (bytes.size() < 2) return false;
  Writer wanted;
  wanted.half(checksum(bytes.substr(0, bytes.size() - 2)));
  const bool right = bytes.substr(bytes.size() - 2) == wanted.bytes();
  bytes.remove_suffix(2);
  return right;
}

}  // namespace

std::string encode(const Token& token) {
  Writer sites;
  const bool identities = write_identities(token.sites, sites);
  Writer writer;
  writer.byte(static_cast<uint32_t>(token.strategy));
  writer.byte((token.accesses ? kAccesses : 0u) | (identities ? 0u : kWrittenOut) |
              (token.guide.empty() ? 0u : kGuided) | (token.order == 0 ? 0u : kOrdered) |
              (token.memory ? kGuarded : 0u) | (token.predicate.empty() ? 0u : kPredicate) |
              (token.what_if.empty() ? 0u : kLeftOut) | (token.inputs == 0 ? 0u : kInputs));
  writer.varint(token.seed);
  writer.varint(token.depth);
  writer.varint(token.length);
  writer.word(token.program);
  writer.word(token.hash);
  writer.varint(token.decisions);
  if (!token.guide.empty()) writer.counted(token.guide);
  if (token.order != 0) writer.varint(token.order);
  if (!token.predicate.empty()) writer.counted(token.predicate);
  if (!token.what_if.empty()) writer.counted(token.what_if);
  if (token.inputs != 0) {
    writer.word(static_cast<uint32_t>(token.inputs));
    writer.word(static_cast<uint32_t>(token.inputs >> 32));
  }
  writer.text(identities ? std::string_view(sites.bytes()) : std::string_view(token.sites));
  writer.half(checksum(writer.bytes()));
  return std::string(kPrefix) + to_base64(writer.bytes());
}

std::optional<Token> decode(std::string_view text, std::string& error) {
  if (!text.starts_with(kPrefix)) {
    const bool versioned = text.size() > 2 && text[0] == 'n' && text[1] >= '0' && text[1] <= '9';
    error = versioned ? "the token is of another version of norn"
                      : "\"" + std::string(text) + "\" is not a replay token: norn confirm prints them";
    return std::nullopt;
  }
  const auto decoded = from_base64(text.substr(kPrefix.size()));
  std::string_view bytes = decoded ? std::string_view(*decoded) : std::string_view();
  if (!take_checksum(bytes)) {
    error = "the token was cut off or changed";
    return std::nullopt;
  }
  Reader reader(bytes);
  Token token;
  const uint8_t strategy = reader.byte();
  const uint8_t flags = reader.byte();
  token.strategy = static_cast<StrategyKind>(strategy);
  token.accesses = (flags & kAccesses) != 0;
  token.memory = (flags & kGuarded) != 0;
  token.seed = static_cast<uint32_t>(reader.varint());
  token.depth = static_cast<uint32_t>(reader.varint());
  token.length = static_cast<uint32_t>(reader.varint());
  token.program = reader.word();
  token.hash = reader.word();
  token.decisions = reader.varint();
  if ((flags & kGuided) != 0) token.guide = reader.text(reader.varint());
  if ((flags & kOrdered) != 0) token.order = reader.varint();
  if ((flags & kPredicate) != 0) token.predicate = reader.text(reader.varint());
  if ((flags & kLeftOut) != 0) token.what_if = reader.text(reader.varint());
  if ((flags & kInputs) != 0) {
    token.inputs = reader.word();
    token.inputs |= uint64_t{reader.word()} << 32;
  }
  if ((flags & kWrittenOut) != 0) {
    token.sites = reader.rest();
  } else {
    while (reader.rest().size() >= 4) {
      char digits[16];
      const auto end = std::to_chars(digits, digits + sizeof(digits), reader.word(), 16).ptr;
      token.sites += (token.sites.empty() ? "" : ",") + std::string(digits, end);
    }
    if (!reader.rest().empty()) error = "the token was cut off or changed";
  }
  // The last character may have bits that mean nothing.
  if (encode(token) != text || reader.failed() || strategy == 0 || strategy >= std::size(kStrategies)) {
    error = "the token was cut off or changed";
  }
  if (!error.empty()) return std::nullopt;
  return token;
}

std::string_view name_of(StrategyKind kind) { return view(kStrategies[static_cast<size_t>(kind)].name); }

std::optional<StrategyKind> strategy_named(std::string_view name) {
  for (const StrategyRow& row : kStrategies)
    if (row.make != nullptr && view(row.name) == name) return row.kind;
  return std::nullopt;
}

}  // namespace norn::schedule
