#include "options/options.h"

namespace norn::options {
namespace {

// TSan's and its sanitizer_common's flags that have no meaning here: knowing them tells a flag from a typo.
constexpr Text kOtherTsanKeys =
    "abort_on_error|allocator_may_return_null|allocator_release_to_os_interval_ms|allow_addr2line|allow_user_segv_"
    "handler|atexit_sleep_ms|can_use_proc_maps_statm|check_printf|clear_shadow_mmap_threshold|compress_stack_depot|"
    "coverage|coverage_dir|coverage_pcs|cov_8bit_counters_out|cov_pcs_out|decorate_proc_maps|dedup_token_length|"
    "demangle|detect_deadlocks|detect_leaks|detect_stack_use_after_return|die_after_fork|disable_coredump|"
    "dump_instruction_bytes|dump_registers|enable_adaptive_delay|enable_annotations|enable_symbolizer_markup|"
    "exitcode|external_symbolizer_path|fast_unwind_on_check|fast_unwind_on_fatal|fast_unwind_on_malloc|flush_memory_"
    "ms|flush_symbolizer_ms|force_background_thread|force_seq_cst_atomics|full_address_space|handle_abort|handle_"
    "ioctl|handle_segv|handle_sigbus|handle_sigfpe|handle_sigill|handle_sigtrap|hard_rss_limit_mb|heap_profile|help|"
    "history_size|"
    "html_cov_report|ignore_interceptors_accesses|ignore_noninstrumented_modules|include|include_if_exists|"
    "intercept_intrin|intercept_memcmp|intercept_memmem|intercept_send|intercept_stat|intercept_strchr|intercept_"
    "strcmp|intercept_strlen|intercept_strndup|intercept_strpbrk|intercept_strspn|intercept_strstr|intercept_tls_get_"
    "addr|io_sync|leak_check_at_exit|legacy_pthread_cond|log_exe_name|log_suffix|log_to_syslog|malloc_context_size|"
    "max_allocation_size_mb|mmap_limit_mb|no_huge_pages_for_shadow|print_benign|print_cmdline|print_"
    "full_thread_history|print_module_map|print_summary|print_suppressions|profile_memory|quarantine_size_mb|report_"
    "atomic_races|report_bugs|report_destroy_locked|report_mutex_bugs|report_signal_unsafe|report_thread_leaks|"
    "running_on_valgrind|second_deadlock_stack|shared_ptr_interceptor|show_internal_frames|sleep_before_dying|soft_"
    "rss_limit_mb|stack_trace_format|stop_on_start|strict_memcmp|strict_string_checks|strip_path_prefix|suppress_"
    "equal_addresses|suppress_equal_stacks|suppress_java|symbolize|symbolize_inline_frames|symbolize_vs_style|"
    "test_only_emulate_no_memorymap|test_only_replace_dlopen_mmap|thread_local_quarantine_size_kb|use_madv_dontdump|"
    "use_sigaltstack|verbosity|verify_asan_link_order|write_coverage";

constexpr size_t kLongestWord = 64;

char folded(char c) { return c == '-' ? '_' : c; }

bool same_key(Text a, Text b) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; ++i)
    if (folded(a[i]) != folded(b[i])) return false;
  return true;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Takes the next name off a list joined by any byte of `separators`.
bool next_name(Text& list, Text& name, Text separators) {
  if (list.data == nullptr) return false;
  size_t end = 0;
  const auto separates = [&](char c) {
    for (const char s : separators)
      if (s == c) return true;
    return false;
  };
  while (end < list.size && !separates(list[end])) ++end;
  name = list.part(0, end);
  list = end < list.size ? list.part(end + 1) : Text();
  return true;
}

class Message {
 public:
  explicit Message(OptionError& error) : error_(error), buffer_(error.bytes, sizeof(error.bytes)) {}
  ~Message() { error_.size = buffer_.text().size; }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  Message& put(Text text) {
    buffer_.sink().put(text.part(0, 80));
    return *this;
  }
  Message& put_names(Text names) {
    options::put_names(names, buffer_.sink());
    return *this;
  }
  Message& put_nearest(Text name) {
    if (!name.empty()) put("; did you mean ").put(name).put("?");
    return *this;
  }

 private:
  OptionError& error_;
  Buffer buffer_;
};

bool parse_number(Text value, uint64_t max, uint64_t& number) {
  number = 0;
  if (value.empty()) return false;
  for (const char c : value) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (number > max / 10 || digit > max - number * 10) return false;
    number = number * 10 + digit;
  }
  return true;
}

bool parse_flag(Text value, bool& flag) {
  constexpr Text kOn[] = {"on", "1", "yes", "true", ""};
  constexpr Text kOff[] = {"off", "0", "no", "false"};
  for (const Text word : kOn)
    if (value == word) return flag = true, true;
  for (const Text word : kOff)
    if (value == word) return flag = false, true;
  return false;
}

bool parse_choice(Text value, Text values, uint64_t& index) {
  Text name;
  for (index = 0; next_name(values, name, "|"); ++index)
    if (name == value) return true;
  return false;
}

bool parse_set(Text value, Text values, uint64_t& set, Text& wrong) {
  set = 0;
  if (value == "none" || value == "0") return true;
  if (value.empty() || value == "all" || value == "1") {
    Text name;
    for (uint64_t bit = 1; next_name(values, name, "|"); bit <<= 1) set |= bit;
    return true;
  }
  Text word;
  while (next_name(value, word, ",+|")) {
    uint64_t index = 0;
    if (!parse_choice(word, values, index)) return wrong = word, false;
    set |= uint64_t{1} << index;
  }
  return true;
}

}  // namespace

// Without any rule that orders threads, or passes a race over, beyond what the language and POSIX say.
void put_names(Text names, Sink sink) {
  Text name;
  for (bool first = true; next_name(names, name, "|"); first = false) {
    if (!first) sink.put(names.data == nullptr ? Text(" or ") : Text(", "));
    sink.put(name);
  }
}

const Option* find_option(Text key) {
  for (const Option& option : all_options())
    if (same_key(option.key, key)) return &option;
  return nullptr;
}

const Option* find_tsan_option(Text key) {
  for (const Option& option : all_options())
    if (!option.tsan.empty() && option.tsan == key) return &option;
  return nullptr;
}

bool set_option(Settings& settings, Text key, Text value, OptionError& error) {
  const Option* option = find_option(key);
  if (option == nullptr) {
    Message(error).put("unknown option ").put(key).put_nearest(nearest_option(key));
    return false;
  }
  uint64_t number = 0;
  switch (option->kind) {
    case OptionKind::kChoice:
      if (parse_choice(value, option->values, number)) break;
      Message(error)
          .put(option->key)
          .put("=")
          .put(value)
          .put(" is not one of ")
          .put_names(option->values)
          .put_nearest(nearest_name(value, option->values));
      return false;
    case OptionKind::kSet: {
      Text wrong;
      if (parse_set(value, option->values, number, wrong)) break;
      Message(error)
          .put(option->key)
          .put("=")
          .put(wrong)
          .put(" is not one of ")
          .put_names(option->values)
          .put_nearest(nearest_name(wrong, option->values));
      return false;
    }
    case OptionKind::kNumber:
      if (parse_number(value, option->max, number)) break;
      Message(error)
          .put(option->key)
          .put("=")
          .put(value)
          .put(" is not a number from 0 to ")
          .put(Decimal(option->max).text());
      return false;
    case OptionKind::kFlag: {
      bool flag = false;
      if (parse_flag(value, flag)) {
        number = flag ? 1 : 0;
        break;
      }
      Message(error).put(option->key).put("=").put(value).put(" is neither on nor off");
      return false;
    }
    case OptionKind::kText:
      if (!value.empty()) break;
      Message(error).put(option->key).put(" needs a value: ").put(option->key).put("=").put(option->values);
      return false;
  }
  option->store(settings, number, value);
  return true;
}

bool next_option(Text& list, Text& key, Text& value, bool commas_separate) {
  const auto is_separator = [=](char c) { return c == ':' || is_space(c) || (commas_separate && c == ','); };
  size_t at = 0;
  while (at < list.size && is_separator(list[at])) ++at;
  if (at == list.size) {
    list = {};
    return false;
  }
  const size_t key_start = at;
  while (at < list.size && list[at] != '=' && !is_separator(list[at])) ++at;
  key = list.part(key_start, at - key_start);
  value = {};
  if (at < list.size && list[at] == '=') {
    ++at;
    const char quote = at < list.size && (list[at] == '\'' || list[at] == '"') ? list[at] : '\0';
    const size_t value_start = quote != '\0' ? ++at : at;
    while (at < list.size && (quote != '\0' ? list[at] != quote : !is_separator(list[at]))) ++at;
    value = list.part(value_start, at - value_start);
    if (quote != '\0' && at < list.size) ++at;
  }
  list = list.part(at);
  return true;
}

bool parse_options(Settings& settings, Text list, OptionError& error) {
  Text key, value;
  while (next_option(list, key, value))
    if (!set_option(settings, key, value, error)) return false;
  return true;
}

void parse_tsan_options(Settings& settings, Text list, void (*unknown)(void* context, Text message), void* context) {
  Text key, value;
  while (next_option(list, key, value, true)) {
    const Option* option = find_tsan_option(key);
    OptionError error;
    if (option != nullptr) {
      if (set_option(settings, option->key, value, error)) continue;
    } else if (key == "print_suppressions") {
      if (value != "0" && value != "false") settings.verbose |= kVerboseSuppressions;
      continue;
    } else {
      Text names = kOtherTsanKeys, name;
      bool known = false;
      while (next_name(names, name, "|")) known = known || name == key;
      if (known) continue;
      Text nearest = nearest_name(key, kOtherTsanKeys);
      for (const Option& candidate : all_options()) {
        const Text other = nearest_name(key, candidate.tsan);
        if (!other.empty() && (nearest.empty() || edit_distance(key, other) < edit_distance(key, nearest)))
          nearest = other;
      }
      Message(error).put("unknown key ").put(key).put_nearest(nearest);
    }
    if (unknown != nullptr) unknown(context, error.message());
  }
}

// Optimal string alignment: rows i-2, i-1 and i of the table are all it needs.
size_t edit_distance(Text a, Text b) {
  a = a.part(0, kLongestWord);
  b = b.part(0, kLongestWord);
  size_t rows[3][kLongestWord + 1] = {};
  for (size_t j = 0; j <= b.size; ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size; ++i) {
    size_t* row = rows[i % 3];
    const size_t* above = rows[(i + 2) % 3];
    const size_t* two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size; ++j) {
      size_t best = above[j - 1] + (folded(a[i - 1]) == folded(b[j - 1]) ? 0 : 1);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_above[j - 2] + 1 < best)
        best = two_above[j - 2] + 1;
      row[j] = best;
    }
  }
  return rows[a.size % 3][b.size];
}

// Near is: a third of the word may be wrong, or the word begins a longer name.
Text nearest_name(Text word, Text names) {
  Text nearest, name;
  size_t smallest = ~size_t{0};
  while (next_name(names, name, "|")) {
    size_t distance = edit_distance(word, name);
    if (word.size >= 2 && name.starts_with(word)) distance = 1;
    if (distance < smallest) smallest = distance, nearest = name;
  }
  const size_t allowed = word.size / 3 > 2 ? word.size / 3 : 2;
  return smallest <= allowed && smallest < word.size ? nearest : Text();
}

Text nearest_option(Text key) {
  Text nearest;
  size_t smallest = ~size_t{0};
  for (const Option& option : all_options()) {
    if (option.use == OptionUse::kStarter) continue;
    const Text name = nearest_name(key, option.key);
    if (name.empty()) continue;
    const size_t distance = edit_distance(key, name);
    if (distance < smallest) smallest = distance, nearest = name;
  }
  return nearest;
}

}  // namespace norn::options
