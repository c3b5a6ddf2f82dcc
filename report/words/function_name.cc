#include "report/words/function_name.h"

#include "report/words/columns.h"

namespace norn::report {
namespace {

constexpr size_t kNameBytes = 512;

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Spelling {
  Text long_form;
  Text short_form;
};
constexpr Spelling kSpellings[] = {
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string"},
    {"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>", "std::string"},
    {"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
    {"std::__cxx11::", "std::"},
    {"std::__1::", "std::"},
};

// How many bytes of `name` the bracketed part at its start takes, brackets included.
size_t bracketed(Text name) {
  const char opening = name[0];
  const char closing = opening == '<' ? '>' : ')';
  size_t depth = 0;
  for (size_t i = 0; i < name.size; ++i) {
    if (name[i] == opening) ++depth;
    if (name[i] == closing && !(closing == '>' && i > 0 && name[i - 1] == '-') && --depth == 0) return i + 1;
  }
  return name.size;
}

struct Collapse {
  bool templates = false;
  bool parameters = false;
};

void put_collapsed(Text name, Collapse collapse, Sink sink) {
  bool in_word = false;
  size_t at = 0;
  while (at < name.size) {
    const Text rest = name.part(at);
    if (!in_word) {
      const Spelling* found = nullptr;
      for (const Spelling& spelling : kSpellings)
        if (found == nullptr && rest.starts_with(spelling.long_form)) found = &spelling;
      if (found != nullptr) {
        sink.put(found->short_form);
        at += found->long_form.size;
        continue;
      }
      // The symbol of an operator is not a bracket.
      if (rest.starts_with("operator") && rest.size > 8 && !is_identifier(rest[8])) {
        size_t length = 8;
        if (rest.part(8).starts_with("()")) {
          length += 2;
        } else {
          while (length < rest.size && rest[length] != '(' && rest[length] != ' ' && !is_identifier(rest[length]))
            ++length;
        }
        sink.put(rest.part(0, length));
        at += length;
        continue;
      }
    }
    const char c = name[at];
    in_word = is_identifier(c);
    if (collapse.templates && c == '<') {
      sink.put("<…>");
      at += bracketed(rest);
    } else if (collapse.parameters && c == '(' && !rest.starts_with("()") && !rest.starts_with("(anonymous")) {
      sink.put("(…)");
      at += bracketed(rest);
    } else {
      sink.put(static_cast<uint8_t>(c) < 0x20 || c == 0x7f ? '?' : c);
      ++at;
    }
  }
}

}  // namespace

void put_function(Text name, size_t width, Sink sink) {
  constexpr Collapse kSteps[] = {{}, {.templates = true}, {.templates = true, .parameters = true}};
  char bytes[kNameBytes];
  Buffer shorter(bytes, sizeof(bytes));
  for (const Collapse step : kSteps) {
    shorter.clear();
    put_collapsed(name, step, shorter.sink());
    if (width == 0 || (!shorter.overflowed() && columns(shorter.text()) <= width)) {
      sink.put(shorter.text());
      if (shorter.overflowed()) sink.put("…");
      return;
    }
  }
  // The end of a name says most: …::Class::method(…). It is cut between scopes if it has any.
  Text tail = shorter.text();
  while (columns(tail) > width - 1) {
    do tail = tail.part(1);
    while (!tail.empty() && (static_cast<uint8_t>(tail[0]) & 0xc0) == 0x80);
  }
  for (size_t i = 0; i + 2 < tail.size; ++i) {
    if (tail[i] != ':' || tail[i + 1] != ':') continue;
    tail = tail.part(i);
    break;
  }
  sink.put("…");
  sink.put(tail);
}

}  // namespace norn::report
