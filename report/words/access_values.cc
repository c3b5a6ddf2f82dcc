#include "report/words/access_values.h"

#include "report/race.h"

namespace norn::report {
namespace {

// As printf's %g has it: six digits, without zeros at the end.
void put_float(double number, Sink sink) {
  if (number != number) return sink.put("nan");
  if (__builtin_signbit(number)) {
    sink.put('-');
    number = -number;
  }
  if (number == 0) return sink.put('0');
  if (number > __DBL_MAX__) return sink.put("inf");
  constexpr int kDigits = 6;
  // number = mantissa * 10^exponent, and the mantissa has one digit before the point.
  long double mantissa = number;
  int exponent = 0;
  for (; mantissa >= 10; ++exponent) mantissa /= 10;
  for (; mantissa < 1; --exponent) mantissa *= 10;
  uint64_t rounded = (static_cast<uint64_t>(mantissa * 1'000'000) + 5) / 10;
  if (rounded == 1'000'000) {
    rounded /= 10;
    ++exponent;
  }
  char digits[kDigits];
  for (int i = kDigits; i-- > 0; rounded /= 10) digits[i] = static_cast<char>('0' + rounded % 10);
  int count = kDigits;
  while (count > 1 && digits[count - 1] == '0') --count;

  const bool has_exponent = exponent < -4 || exponent >= kDigits;
  const int point = has_exponent ? 1 : exponent + 1;  // so many digits before it; below 1: zeros behind it
  if (point < 1) sink.put("0.");
  for (int zeros = point; zeros < 0; ++zeros) sink.put('0');
  for (int i = 0; i < count || i < point; ++i) {
    if (i == point && point > 0) sink.put('.');
    sink.put(i < count ? digits[i] : '0');
  }
  if (!has_exponent) return;
  sink.put(exponent < 0 ? "e-" : "e+");
  const auto size = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
  if (size < 10) sink.put('0');
  sink.put(Decimal(size).text());
}

void put_character(uint8_t byte, Sink sink) {
  constexpr char kEscapes[][2] = {{'\0', '0'}, {'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}, {'\\', '\\'}, {'\'', '\''}};
  sink.put('\'');
  const char character = static_cast<char>(byte);
  for (const auto& [escaped, letter] : kEscapes) {
    if (character != escaped) continue;
    sink.put('\\');
    sink.put(letter);
    return sink.put('\'');
  }
  if (byte >= ' ' && byte < 0x7f) {
    sink.put(character);
  } else {
    sink.put("\\x");
    sink.put("0123456789abcdef"[byte / 16]);
    sink.put("0123456789abcdef"[byte % 16]);
  }
  sink.put('\'');
}

void put_signed(uint64_t bits, uint64_t size, Sink sink) {
  const unsigned unused = size < sizeof(bits) ? static_cast<unsigned>(64 - 8 * size) : 0;
  const int64_t number = static_cast<int64_t>(bits << unused) >> unused;
  if (number < 0) sink.put('-');
  sink.put(Decimal(number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number)).text());
}

// Nothing says what it is: a small number is most likely one.
void put_bits(uint64_t bits, Sink sink) { sink.put(bits < 4096 ? Decimal(bits).text() : Hex(bits).text()); }

}  // namespace

bool has_values(const Access& access) { return shown_values(access).known(); }

void put_value(uint64_t bits, ValueType type, uint64_t size, Sink sink) {
  switch (type) {
    case ValueType::kUnknown:
      return put_bits(bits, sink);
    case ValueType::kUnsigned:
      return sink.put(Decimal(bits).text());
    case ValueType::kSigned:
      return put_signed(bits, size, sink);
    case ValueType::kFloat:
      if (size == sizeof(double)) return put_float(__builtin_bit_cast(double, bits), sink);
      if (size == sizeof(float)) {
        return put_float(static_cast<double>(__builtin_bit_cast(float, static_cast<uint32_t>(bits))), sink);
      }
      return put_bits(bits, sink);
    case ValueType::kBool:
      return bits > 1 ? put_bits(bits, sink) : sink.put(bits == 1 ? Text("true") : Text("false"));
    case ValueType::kChar:
      return size == 1 ? put_character(static_cast<uint8_t>(bits), sink) : put_signed(bits, size, sink);
    case ValueType::kPointer:
      return bits == 0 ? sink.put("null") : sink.put(Hex(bits).text());
  }
}

void put_values(const Values& values, bool reads, uint64_t size, Sink sink) {
  const auto put = [&](uint64_t bits) { put_value(bits, values.type, size, sink); };
  if (values.has_old_value) {
    if (!values.has_value) sink.put(reads ? "value " : "was ");
    put(values.old_value);
    if (values.has_value) sink.put(' ');
  }
  if (values.has_value) {
    sink.put("→ ");
    put(values.value);
  }
}

void put_values(const Access& access, Sink sink) {
  put_values(shown_values(access), access.op == Op::kRead || access.op == Op::kAtomicRead, access.size, sink);
}

}  // namespace norn::report
