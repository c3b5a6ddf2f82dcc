// Who may speak to the hive, and as what. A token is a secret text, of which the hive keeps a hash; its id is public.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace norn::hive {

enum class Role : uint8_t {
  kSite,       // fetches tasks, sends results
  kDeveloper,  // submits programs, reads what is known
  kAdmin,      // makes and withdraws tokens, and may all that a developer may
};
[[nodiscard]] std::string_view name_of(Role role);
[[nodiscard]] std::optional<Role> role_of(std::string_view name);
// Whether who has the one may do what the other is needed for.
[[nodiscard]] bool may(Role has, Role needed);

// 256 random bits: "norn_site_Xk3…".
[[nodiscard]] std::string new_token(Role role);
// A random name for a token: 16 hexadecimal digits.
[[nodiscard]] std::string new_id();
// SHA-256, hexadecimal. A token has all its 256 bits, so that nothing slower is needed.
[[nodiscard]] std::string hash_of(std::string_view text);

[[nodiscard]] std::string base64_of(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace norn::hive
