// The format of the output is set while it is already used.
#include "threads.h"

static const char* volatile format = "%d\n";

static void* configures(void* unused) {
  // RACE set use: output-differs output: used first, it is the old format
  format = "%x\n";  // @set
  return unused;
}

static void* prints(void* unused) {
  later();
  const char* now = format;  // @use
  printf(now, 255);
  return unused;
}

int main(void) { run_both(configures, prints); }
