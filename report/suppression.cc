#include "report/suppression.h"

#include "options/options.h"
#include "report/race.h"

namespace norn::report {
namespace {

constexpr Text kRuleNames = "race|race_top|mutex|thread|signal|deadlock|called_from_lib|id";

Text trim(Text text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text[0])) text = text.part(1);
  while (!text.empty() && is_space(text[text.size - 1])) text = text.part(0, text.size - 1);
  return text;
}

constexpr size_t kNotFound = ~size_t{0};

size_t find(Text text, Text what, size_t from = 0) {
  for (size_t i = from; i + what.size <= text.size; ++i)
    if (text.part(i, what.size) == what) return i;
  return kNotFound;
}

size_t find_char(Text text, char what) { return find(text, Text(&what, 1)); }

bool next_line(Text& text, Text& line) {
  if (text.empty()) return false;
  size_t end = find_char(text, '\n');
  if (end == kNotFound) end = text.size;
  line = text.part(0, end);
  text = text.part(end + 1);
  return true;
}

bool fail(SuppressionError& error, uint32_t line, Text words, Text detail = {}, Text more = {}) {
  Buffer buffer(error.bytes, sizeof(error.bytes));
  buffer.sink().put(words);
  buffer.sink().put(detail.part(0, 60));
  buffer.sink().put(more);
  error.line = line;
  error.size = buffer.text().size;
  return false;
}

// ---- what a rule is for ----

constexpr Text kFields[] = {"reason:", "owner:", "expires:"};

// Where a field's name stands in a comment: at a word's start.
size_t find_field(Text comment, Text field) {
  for (size_t at = find(comment, field); at != kNotFound; at = find(comment, field, at + 1))
    if (at == 0 || comment[at - 1] == ' ' || comment[at - 1] == '\t' || comment[at - 1] == '#') return at;
  return kNotFound;
}

// Reads `reason: … owner: … expires: …`, each up to the next one.
bool read_fields(Text comment, uint32_t line, Rule& rule, SuppressionError& error) {
  for (const Text field : kFields) {
    const size_t at = find_field(comment, field);
    if (at == kNotFound) continue;
    size_t end = comment.size;
    for (const Text other : kFields) {
      const size_t start = find_field(comment, other);
      if (start != kNotFound && start > at && start < end) end = start;
    }
    const Text value = trim(comment.part(at + field.size, end - at - field.size));
    if (field == "reason:") rule.reason = value;
    if (field == "owner:") rule.owner = value;
    if (field == "expires:") {
      if (!parse_day(value, rule.expires)) return fail(error, line, "expires: is not a day like 2027-03-01: ", value);
      rule.expires_text = value;
    }
  }
  return true;
}

// Splits a trailing comment off: '#' at the start or after white space.
Text split_comment(Text& line) {
  for (size_t i = 0; i < line.size; ++i) {
    if (line[i] != '#' || (i > 0 && line[i - 1] != ' ' && line[i - 1] != '\t')) continue;
    const Text comment = line.part(i + 1);
    line = line.part(0, i);
    return comment;
  }
  return {};
}

// ---- matching ----

// "libfoo.so+0x1234", or with the whole path if the pattern has a directory.
bool matches_offset(Text pattern, const Frame& frame) {
  if (frame.module.empty() || find(pattern, "+0x") == kNotFound) return false;
  char bytes[512];
  Buffer name(bytes, sizeof(bytes));
  name.sink().put(find_char(pattern, '/') == kNotFound ? base_name(frame.module) : frame.module);
  name.sink().put('+');
  name.sink().put(Hex(frame.offset).text());
  // An offset is a whole number: 0x12 is not found in 0x1234.
  if (search_pattern(pattern, name.text())) {
    const char last = pattern[pattern.size - 1];
    if (last == '*' || last == '$') return true;
    const Text digits = pattern.part(find(pattern, "+0x"));
    return name.text().size >= digits.size && name.text().part(name.text().size - digits.size) == digits;
  }
  return false;
}

// "deposit(Account&, int)" without its parameters, so that ^deposit$ means what it says.
Text without_parameters(Text function) {
  if (function.empty() || function[function.size - 1] != ')') return function;
  size_t depth = 0;
  for (size_t i = function.size; i-- > 0;) {
    if (function[i] == ')') ++depth;
    if (function[i] == '(' && --depth == 0) return function.part(0, i);
  }
  return function;
}

bool matches_frame(Text pattern, const Frame& frame) {
  return search_pattern(pattern, frame.function) || search_pattern(pattern, without_parameters(frame.function)) ||
         search_pattern(pattern, frame.file) || search_pattern(pattern, frame.module) || matches_offset(pattern, frame);
}

bool matches_any(Text pattern, List<Frame> frames) {
  for (const Frame& frame : frames)
    if (matches_frame(pattern, frame)) return true;
  return false;
}

bool matches_id(Text pattern, const RaceId& id) {
  if (pattern.starts_with("R")) pattern = pattern.part(1);
  return id.text().starts_with(pattern);
}

// The frames below a thread's start function, which a Valgrind stack has and ours does not.
bool is_thread_start(Text pattern) {
  constexpr Text kStarts[] = {
      "fun:mythread_wrapper", "fun:start_thread",         "fun:clone*", "fun:clone",
      "fun:clone3",           "fun:vgDrd_thread_wrapper", "fun:_start", "fun:__libc_start_main*"};
  for (const Text start : kStarts)
    if (pattern == start) return true;
  return find(pattern, "vgpreload_") != kNotFound ||
         (pattern.starts_with("obj:") && find(pattern, "libpthread") != kNotFound) ||
         (pattern.starts_with("obj:") && find(pattern, "libc.so") != kNotFound);
}

bool matches_valgrind_frame(Text pattern, const Frame& frame) {
  if (pattern.starts_with("fun:")) {
    const Text name = pattern.part(4);
    return whole_pattern(name, frame.linkage) || whole_pattern(name, frame.function) ||
           whole_pattern(name, without_parameters(frame.function));
  }
  if (pattern.starts_with("obj:")) return whole_pattern(pattern.part(4), frame.module);
  Text source = pattern.part(4);  // src:
  const size_t colon = find_char(source, ':');
  if (colon != kNotFound) {
    if (!(source.part(colon + 1) == Decimal(frame.line).text())) return false;
    source = source.part(0, colon);
  }
  return whole_pattern(source, frame.file) || whole_pattern(source, base_name(frame.file));
}

// The lines of a rule against a stack; what follows below the last line does not matter. Greedy, with one point to
// come back to: the last `...` and how many frames it stood for.
bool matches_valgrind_stack(Text lines, List<Frame> frames) {
  Text after_dots;
  size_t resume = kNotFound;
  size_t at = 0;
  Text line;
  while (next_line(lines, line)) {
    line = trim(line);
    if (line.empty() || line[0] == '#') continue;
    if (line == "...") {
      after_dots = lines;
      resume = at;
      continue;
    }
    if (at < frames.size && matches_valgrind_frame(line, frames[at])) {
      ++at;
    } else if (at == frames.size && at > 0 && is_thread_start(line)) {
      continue;
    } else if (resume < frames.size) {
      at = ++resume;
      lines = after_dots;
    } else {
      return false;
    }
  }
  return true;
}

// ---- parsing ----

bool is_frame_line(Text line) {
  return line == "..." ||
         ((line.starts_with("fun:") || line.starts_with("obj:") || line.starts_with("src:")) && line.size > 4);
}

// "Helgrind:Race", "Helgrind,DRD:Race": is the kind one of ours?
bool is_race_kind(Text kind) {
  const size_t colon = find_char(kind, ':');
  const Text tools = kind.part(0, colon);
  const Text error = kind.part(colon + 1);
  const auto has = [&](Text tool) { return find(tools, tool) != kNotFound; };
  return ((has("Helgrind") || has("norn")) && error == "Race") || (has("DRD") && error == "ConflictingAccess") ||
         (has("drd") && error == "ConflictingAccess");
}

}  // namespace

bool search_pattern(Text pattern, Text text) {
  if (text.empty() || pattern.empty()) return false;
  const bool from_start = pattern[0] == '^';
  if (from_start) pattern = pattern.part(1);
  const bool to_end = !pattern.empty() && pattern[pattern.size - 1] == '$';
  if (to_end) pattern = pattern.part(0, pattern.size - 1);

  bool anchored = from_start;  // the next piece must stand at `at`
  size_t at = 0;
  while (true) {
    const size_t star = find_char(pattern, '*');
    const bool last = star == kNotFound;
    const Text piece = pattern.part(0, last ? pattern.size : star);
    if (last && to_end) {
      if (text.size < at + piece.size) return false;
      const size_t start = text.size - piece.size;
      return text.part(start) == piece && (!anchored || start == at);
    }
    const size_t found = anchored ? (text.part(at).starts_with(piece) ? at : kNotFound) : find(text, piece, at);
    if (found == kNotFound) return false;
    if (last) return true;
    at = found + piece.size;
    pattern = pattern.part(star + 1);
    anchored = false;
  }
}

bool whole_pattern(Text pattern, Text text) {
  if (text.empty()) return false;
  // Greedy with one point to come back to: the last '*' and where its match ended.
  size_t p = 0, t = 0, star = kNotFound, resume = 0;
  while (t < text.size) {
    if (p < pattern.size && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != kNotFound) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size && pattern[p] == '*') ++p;
  return p == pattern.size;
}

bool parse_day(Text text, Day& day) {
  if (text.size != 10 || text[4] != '-' || text[7] != '-') return false;
  int32_t parts[3] = {};
  size_t part = 0;
  for (size_t i = 0; i < text.size; ++i) {
    if (i == 4 || i == 7) {
      ++part;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') return false;
    parts[part] = parts[part] * 10 + (text[i] - '0');
  }
  const auto [year, month, date] = parts;
  constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1970 || month < 1 || month > 12) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (date < 1 || date > kDays[month - 1] + (month == 2 && leap ? 1 : 0)) return false;
  day = (year - 1970) * 365 + (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400;
  for (int32_t m = 1; m < month; ++m) day += kDays[m - 1] + (m == 2 && leap ? 1 : 0);
  day += date - 1;
  return true;
}

size_t count_rules_at_most(Text contents) {
  size_t lines = 1;
  for (const char c : contents) lines += c == '\n';
  return lines;
}

Rule* Suppressions::add(uint32_t line, SuppressionError& error) {
  if (count_ == capacity_) {
    fail(error, line, "more rules than there is memory for");
    return nullptr;
  }
  rules_[count_] = Rule{.line = line};
  return &rules_[count_++];
}

bool Suppressions::parse(Text contents, SuppressionError& error) {
  Text line;
  uint32_t number = 0;
  Rule pending;  // what comments right above say of the next rule
  while (next_line(contents, line)) {
    ++number;
    line = trim(line);
    if (line.empty()) {
      pending = {};
      continue;
    }
    if (line[0] == '#') {
      if (!read_fields(line.part(1), number, pending, error)) return false;
      continue;
    }

    if (line[0] == '{') {
      Rule* rule = add(number, error);
      if (rule == nullptr) return false;
      const uint32_t start = number;
      *rule = pending;
      rule->line = start;
      pending = {};
      if (!trim(line.part(1)).empty()) return fail(error, number, "only a '{' may stand on this line");
      Text kind;
      const char* frames_begin = nullptr;
      const char* frames_end = nullptr;
      bool closed = false;
      while (!closed && next_line(contents, line)) {
        ++number;
        const Text raw = line;
        line = trim(line);
        if (line.empty()) continue;
        if (line[0] == '#') {
          if (!read_fields(line.part(1), number, *rule, error)) return false;
        } else if (line == "}") {
          closed = true;
        } else if (rule->name.empty()) {
          rule->name = line;
        } else if (kind.empty()) {
          if (find_char(line, ':') == kNotFound)
            return fail(error, number, "not a kind of error like Helgrind:Race: ", line);
          kind = line;
        } else if (is_frame_line(line)) {
          if (frames_begin == nullptr) frames_begin = raw.begin();
          frames_end = raw.end();
        } else if (frames_begin != nullptr || is_race_kind(kind)) {
          // Other tools' kinds have a line of their own before the frames.
          return fail(error, number, "not a frame like fun:NAME, obj:FILE, src:FILE:LINE or ...: ", line);
        }
      }
      if (!closed) return fail(error, start, "the rule that begins here has no '}'");
      if (kind.empty()) return fail(error, start, "a rule needs a name and a kind like Helgrind:Race");
      rule->kind = is_race_kind(kind) ? RuleKind::kValgrind : RuleKind::kOther;
      if (frames_begin != nullptr) rule->pattern = {frames_begin, static_cast<size_t>(frames_end - frames_begin)};
      if (rule->kind == RuleKind::kValgrind && rule->pattern.empty())
        return fail(error, start, "a rule without frames would hide every race; say at least fun:NAME");
      continue;
    }

    const Text comment = split_comment(line);
    line = trim(line);
    const size_t colon = find_char(line, ':');
    if (colon == kNotFound) return fail(error, number, "not a rule like race:PATTERN: ", line);
    const Text type = line.part(0, colon);
    const Text pattern = trim(line.part(colon + 1));
    Rule* rule = add(number, error);
    if (rule == nullptr) return false;
    *rule = pending;
    rule->line = number;
    pending = {};
    rule->name = line;
    rule->pattern = pattern;
    if (type == "race") {
      rule->kind = RuleKind::kRace;
    } else if (type == "race_top") {
      rule->kind = RuleKind::kRaceTop;
    } else if (type == "called_from_lib") {
      rule->kind = RuleKind::kCalledFromLib;
    } else if (type == "id") {
      rule->kind = RuleKind::kId;
      const Text digits = pattern.starts_with("R") ? pattern.part(1) : pattern;
      bool hex = digits.size >= 6 && digits.size <= 16;
      for (const char c : digits) hex = hex && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
      if (!hex) return fail(error, number, "not the id of a race like R3f9c1a02: ", pattern);
    } else if (type == "mutex" || type == "thread" || type == "signal" || type == "deadlock") {
      rule->kind = RuleKind::kOther;
    } else {
      const Text nearest = options::nearest_name(type, kRuleNames);
      if (nearest.empty())
        return fail(error, number, "unknown kind of rule: ", type,
                    "; there are race, race_top, called_from_lib, id, mutex, thread, signal, deadlock");
      return fail(error, number, "unknown kind of rule, did you mean ", nearest, "?");
    }
    if (pattern.empty()) return fail(error, number, "a rule without a pattern would hide every race: ", line);
    if (!read_fields(comment, number, *rule, error)) return false;
  }
  return true;
}

bool matches(const Rule& rule, const Race& race) {
  switch (rule.kind) {
    case RuleKind::kId:
      return matches_id(rule.pattern, race.id);
    case RuleKind::kRace:
      for (const Access& access : race.accesses) {
        if (matches_any(rule.pattern, access.stack) || matches_any(rule.pattern, access.thread_created_at)) return true;
        if (matches_frame(rule.pattern, access.site)) return true;
      }
      return race.location.kind == LocationKind::kGlobal &&
             (search_pattern(rule.pattern, race.location.name) || search_pattern(rule.pattern, race.location.object));
    case RuleKind::kRaceTop:
      for (const Access& access : race.accesses)
        if (matches_frame(rule.pattern, access.stack.empty() ? access.site : access.stack[0])) return true;
      return false;
    case RuleKind::kCalledFromLib:
      for (const Access& access : race.accesses)
        if (search_pattern(rule.pattern, site_of(access).module)) return true;
      return false;
    case RuleKind::kValgrind:
      for (const Access& access : race.accesses) {
        const List<Frame> site(&access.site, access.site.known() ? 1 : 0);
        if (matches_valgrind_stack(rule.pattern, access.stack.empty() ? site : access.stack)) return true;
      }
      return false;
    case RuleKind::kOther:
      return false;
  }
  return false;
}

const Rule* Suppressions::match(const Race& race) {
  for (size_t i = 0; i < count_; ++i) {
    if (expired(rules_[i]) || !matches(rules_[i], race)) continue;
    ++rules_[i].hits;
    return &rules_[i];
  }
  return nullptr;
}

}  // namespace norn::report
