#include "image/image_record.h"

#include <zstd.h>

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace norn::image {
namespace {

constexpr std::string_view kMagic = "norn.img";
constexpr uint32_t kVersion = 1;
constexpr size_t kChecked = 32;  // bytes of the header that the checksum covers
constexpr size_t kHeader = 40;
// Level 3 packs C++ with its debug information to two fifths; level 9 takes four times as long for a twentieth less.
constexpr int kLevel = 3;
constexpr uint64_t kLargest = uint64_t{1} << 32;  // unpacked: a length beyond it is damage, not to be allocated

template <class Number>
void append(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

template <class Number>
Number number_at(std::string_view bytes, size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

uint64_t checksum(std::string_view header, std::string_view body) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header.data(), kChecked);
  XXH3_64bits_update(&state, body.data(), body.size());
  return XXH3_64bits_digest(&state);
}

// Takes a length and as many bytes off the front.
template <class Length>
bool take(std::string_view& rest, std::string& into) {
  if (rest.size() < sizeof(Length)) return false;
  const auto length = number_at<Length>(rest, 0);
  rest.remove_prefix(sizeof(Length));
  if (rest.size() < length) return false;
  into = rest.substr(0, length);
  rest.remove_prefix(length);
  return true;
}

bool read_fields(std::string_view body, std::vector<Field>& fields) {
  while (!body.empty()) {
    Field field;
    if (!take<uint32_t>(body, field.name) || !take<uint64_t>(body, field.value)) return false;
    fields.push_back(std::move(field));
  }
  return true;
}

std::string place(size_t offset) { return "at byte " + std::to_string(offset) + " of the section"; }

}  // namespace

std::string_view Record::value(std::string_view name) const {
  for (const Field& field : fields)
    if (field.name == name) return field.value;
  return {};
}

std::vector<std::string> Record::values(std::string_view name) const {
  std::vector<std::string> found;
  for (const Field& field : fields)
    if (field.name == name) found.push_back(field.value);
  return found;
}

std::string packed(RecordKind kind, const std::vector<Field>& fields) {
  std::string body;
  for (const Field& field : fields) {
    append(body, static_cast<uint32_t>(field.name.size()));
    body += field.name;
    append(body, static_cast<uint64_t>(field.value.size()));
    body += field.value;
  }
  std::string small(ZSTD_compressBound(body.size()), '\0');
  small.resize(ZSTD_compress(small.data(), small.size(), body.data(), body.size(), kLevel));
  std::string record(kMagic);
  append(record, kVersion);
  append(record, static_cast<uint32_t>(kind));
  append(record, static_cast<uint64_t>(small.size()));
  append(record, static_cast<uint64_t>(body.size()));
  append(record, checksum(record, small));
  return record + small;
}

std::optional<std::vector<Record>> unpacked(std::string_view section, std::string& error) {
  std::vector<Record> records;
  size_t at = 0;
  while (true) {
    at = section.find_first_not_of('\0', at);
    if (at == std::string_view::npos) return records;
    const std::string_view rest = section.substr(at);
    if (rest.substr(0, kMagic.size()) != kMagic.substr(0, rest.size())) {
      error = "is damaged " + place(at);
      return std::nullopt;
    }
    if (rest.size() < kHeader) {
      error = "ends too early";
      return std::nullopt;
    }
    if (const auto version = number_at<uint32_t>(rest, 8); version != kVersion) {
      error = "has version " + std::to_string(version) + ", this norn reads version " + std::to_string(kVersion);
      return std::nullopt;
    }
    const auto length = number_at<uint64_t>(rest, 16);
    if (length > rest.size() - kHeader) {
      error = "ends too early";
      return std::nullopt;
    }
    const std::string_view small = rest.substr(kHeader, length);
    Record record;
    record.kind = static_cast<RecordKind>(number_at<uint32_t>(rest, 12));
    record.packed_size = kHeader + length;
    record.unpacked_size = number_at<uint64_t>(rest, 24);
    bool whole = checksum(rest, small) == number_at<uint64_t>(rest, kChecked) && record.unpacked_size < kLargest;
    if (whole) {
      std::string body(record.unpacked_size, '\0');
      whole = ZSTD_decompress(body.data(), body.size(), small.data(), small.size()) == body.size() &&
              read_fields(body, record.fields);
    }
    if (!whole) {
      error = "is damaged " + place(at);
      return std::nullopt;
    }
    at += record.packed_size;
    records.push_back(std::move(record));
  }
}

}  // namespace norn::image
