// Times of the casebook: seconds since 1970 in its rows, local dates for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace norn::casebook {

[[nodiscard]] int64_t now();

// "2026-03-01 12:00", local; with seconds "2026-03-01 12:00:00".
[[nodiscard]] std::string local_time(int64_t seconds, bool with_seconds = false);
[[nodiscard]] std::string local_day(int64_t seconds);
// "2026-03-01T11:00:00Z", wherever one is.
[[nodiscard]] std::string universal_time(int64_t seconds);

// "2026-03-01", "2026-03-01 12:00" or "2026-03-01 12:00:00" (a T may stand for the space), local. Nothing: it is none.
[[nodiscard]] std::optional<int64_t> parse_local_time(std::string_view text);
// Whether it is "2026-03-01", and there is such a day.
[[nodiscard]] bool is_day(std::string_view text);

}  // namespace norn::casebook
