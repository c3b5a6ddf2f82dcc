// Under _FORTIFY_SOURCE other functions are called: they write and read what those do that they stand for, and a race
// with them has the id that it has without.
// FLAGS: -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wno-#warnings
// RUN: %check %s

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

char copied[32], appended[32], cut[32], joined[32], directory[4096], printed[32];
char named[32] = "skuld", text[] = "urd";
const char* volatile name = named;
volatile size_t length = 4;
volatile char seen[5];

static void writes(void) {
  stpcpy(copied, name);                               // RACE: observed copied
  strncat(appended, name, length);                    // RACE: observed appended
  stpncpy(cut, name, length);                         // RACE: observed cut
  if (getcwd(directory, length + 1000) == 0) return;  // RACE: observed directory
  snprintf(printed, sizeof printed, "%s", text);      // RACE: observed text
  mempcpy(joined, name, length);                      // RACE: observed joined
  end_turn();
}

static void reads(void) {
  await_turn(1);
  seen[0] = copied[0];     // RACE: observed copied
  seen[1] = appended[0];   // RACE: observed appended
  seen[2] = cut[0];        // RACE: observed cut
  seen[3] = joined[0];     // RACE: observed joined
  seen[4] = directory[0];  // RACE: observed directory
  text[0] = 'U';           // RACE: observed text
}

int main(void) { run_two(writes, reads); }
