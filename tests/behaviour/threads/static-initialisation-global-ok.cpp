// What constructors before main write is read by main's threads.
// NORACE
// RUN: %check %s

#include <string>

#include "order.h"

struct Names {
  Names() : first("urd"), second("skuld") {}
  std::string first, second;
} names;
size_t sums[2];

int main() {
  run_two([] { sums[0] = names.first.size(); }, [] { sums[1] = names.first.size() + names.second.size(); });
  return sums[0] + sums[1] != 11;
}
