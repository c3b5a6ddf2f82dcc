// What a format of printf's family makes it read besides itself: the texts of its %s. Freestanding.
#pragma once

#include <stdarg.h>
#include <stddef.h>

namespace norn::rt {

// Calls on_text(text, most) for each text that is printed; at most `most` bytes of it are.
template <class OnText>
void for_texts_of_format(const char* format, va_list values, OnText on_text) {
  constexpr size_t kAll = ~size_t{0};
  va_list list;
  va_copy(list, values);
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') continue;
    ++at;
    if (*at == '%') continue;
    bool has_precision = false;
    size_t precision = 0;
    // Flags, width, precision, length: only what changes how many values are taken, and how.
    int longs = 0;
    bool is_size = false;
    bool is_long_double = false;
    for (bool done = false; !done && *at != '\0';) {
      switch (*at) {
        case '*': {
          const int value = va_arg(list, int);
          if (has_precision && value >= 0) precision = static_cast<size_t>(value);
          if (has_precision && value < 0) has_precision = false;
          ++at;
          break;
        }
        case '.':
          has_precision = true;
          precision = 0;
          ++at;
          break;
        case 'l':
          ++longs;
          ++at;
          break;
        case 'z':
        case 'j':
        case 't':
        case 'q':
          is_size = true;
          ++at;
          break;
        case 'L':
          is_long_double = true;
          ++at;
          break;
        case 'h':
        case '-':
        case '+':
        case ' ':
        case '#':
        case '\'':
        case 'I':
          ++at;
          break;
        case '$':
          // Values by position: rare, and their types are not known yet here.
          va_end(list);
          return;
        default:
          if (*at >= '0' && *at <= '9') {
            if (has_precision) precision = precision * 10 + static_cast<size_t>(*at - '0');
            ++at;
            break;
          }
          done = true;
      }
    }
    switch (*at) {
      case 's':
        if (const char* text = va_arg(list, const char*); text != nullptr && longs == 0) {
          on_text(text, has_precision ? precision : kAll);
        }
        break;
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
      case 'c':
        if (longs > 0 || is_size) {
          (void)va_arg(list, long);
          break;
        }
        (void)va_arg(list, int);
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (is_long_double) {
          (void)va_arg(list, long double);
          break;
        }
        (void)va_arg(list, double);
        break;
      case 'p':
      case 'n':
        (void)va_arg(list, void*);
        break;
      case 'm':
        break;
      default:  // not known: neither is what follows
        va_end(list);
        return;
    }
  }
  va_end(list);
}

}  // namespace norn::rt
