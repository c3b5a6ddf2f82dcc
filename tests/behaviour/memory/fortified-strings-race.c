// Under _FORTIFY_SOURCE other functions are called: they write and read what those do that they stand for, and a race
// with them has the id that it has without.
// FLAGS: -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wno-#warnings
// RUN: %check %s

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "order.h"

char copied[32], appended[32], cut[32], joined[32], directory[4096], printed[32], host[256];
char named[32] = "skuld", text[] = "urd";
const char* volatile name = named;
volatile size_t length = 4;
char sum;

static void writes(void) {
  stpcpy(copied, name);                               // RACE: observed copied
  strncat(appended, name, length);                    // RACE: observed appended
  stpncpy(cut, name, length);                         // RACE: observed cut
  if (getcwd(directory, length + 1000) == 0) return;  // RACE: observed directory
  if (gethostname(host, length + 200) != 0) return;   // RACE: observed host
  snprintf(printed, sizeof printed, "%s", text);      // RACE: observed text
  mempcpy(joined, name, length);                      // RACE: observed joined
  end_turn();
}

static void reads(void) {
  await_turn(1);
  sum = copied[0];                   // RACE: observed copied
  sum = (char)(sum + appended[0]);   // RACE: observed appended
  sum = (char)(sum + cut[0]);        // RACE: observed cut
  sum = (char)(sum + joined[0]);     // RACE: observed joined
  sum = (char)(sum + directory[0]);  // RACE: observed directory
  sum = (char)(sum + host[0]);       // RACE: observed host
  text[0] = 'U';                     // RACE: observed text
}

int main(void) { run_two(writes, reads); }
