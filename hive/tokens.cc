#include "hive/tokens.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <iterator>
#include <stdexcept>

namespace norn::hive {
namespace {

constexpr std::string_view kRoleNames[] = {"site", "developer", "admin"};

std::string hex_of(const unsigned char* bytes, size_t size) {
  std::string hex;
  for (size_t i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

template <size_t size>
void fill(unsigned char (&bytes)[size]) {
  if (RAND_bytes(bytes, static_cast<int>(size)) != 1) throw std::runtime_error("the system has no random numbers");
}

}  // namespace

std::string_view name_of(Role role) { return kRoleNames[static_cast<size_t>(role)]; }

std::optional<Role> role_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kRoleNames); ++i)
    if (kRoleNames[i] == name) return static_cast<Role>(i);
  return std::nullopt;
}

bool may(Role has, Role needed) { return has == needed || (has == Role::kAdmin && needed == Role::kDeveloper); }

std::string new_token(Role role) {
  unsigned char bytes[32];
  fill(bytes);
  return fmt::format("norn_{}_{}", name_of(role), hex_of(bytes, sizeof(bytes)));
}

std::string new_id() {
  unsigned char bytes[8];
  fill(bytes);
  return hex_of(bytes, sizeof(bytes));
}

std::string hash_of(std::string_view text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return hex_of(digest, sizeof(digest));
}

std::string base64_of(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes(text.size() / 4 * 3 + 1, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  // What fills the last group counts as bytes there.
  size_t filled = 0;
  while (filled < 2 && filled < text.size() && text[text.size() - 1 - filled] == '=') ++filled;
  bytes.resize(static_cast<size_t>(size) - filled);
  return bytes;
}

}  // namespace norn::hive
