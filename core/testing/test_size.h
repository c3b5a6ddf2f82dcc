// How large a test may be. Under a sanitizer everything takes many times as long, so that tests of large numbers take
// smaller ones there; with NORN_TEST_FULL in the environment, as in the long tests, they do not.
#pragma once

#include <cstdlib>

namespace norn {

inline bool is_full_size() {
#if __has_feature(address_sanitizer)
  return std::getenv("NORN_TEST_FULL") != nullptr;
#else
  return true;
#endif
}

}  // namespace norn
