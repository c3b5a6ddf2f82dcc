// Each thread has its copy of a string.
// NORACE
// RUN: %check %s

#include <string>

#include "order.h"

std::string name = "a name that is too long to lie inside the string itself";
size_t sums[2];

static size_t works() {
  std::string copy = name;
  copy += " and longer";
  copy[0] = 'A';
  return copy.size() + copy.find("long");
}

int main() {
  run_two([] { sums[0] = works(); }, [] { sums[1] = works(); });
  return sums[0] != sums[1];
}
