// A lookup in a map while another thread changes the value found.
// RUN: %check %s

#include <map>

#include "order.h"

std::map<int, int> ages{{1, 10}, {2, 20}};
int seen;

static void changes() {
  ages.find(2)->second = 21;  // RACE: observed <ages>
  end_turn();
}

static void reads() {
  await_turn(1);
  seen = ages.find(2)->second;  // RACE: observed <ages>
}

int main() { run_two(changes, reads); }
