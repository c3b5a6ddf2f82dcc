// One thread finds what the other wrote, and writes something else: a value of each type.
#include "order.h"

enum class Color : unsigned char { kRed, kBlue };

struct {
  int number;
  signed char small;
  unsigned short port;
  long total;
  bool open;
  char letter;
  float part;
  double rate;
  const void* next;
  Color color;
  char block[3];
} all;
int seen;

static void first() {
  all.number = 3;
  all.small = -2;
  all.port = 80;
  all.total = -1;
  all.open = false;
  all.letter = 'x';
  all.part = 0.5F;
  all.rate = 1e100;
  all.next = nullptr;
  all.color = Color::kRed;
  seen = 42;
  end_turn();
}

static void second() {
  await_turn(1);
  all.number += 1;
  all.small = -3;
  all.port = 65535;
  all.total -= 5;
  all.open = true;
  all.letter = '\n';
  all.part = -0.25F;
  all.rate = 2.5;
  all.next = &all;
  all.color = Color::kBlue;
  if (seen == 1) end_turn();
}

int main() { run_two(first, second); }
