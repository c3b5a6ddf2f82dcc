// The micro-benchmark DBM, disjoint bit manipulation (Portend, §6.3.1): one thread sets a bit of a word while another
// looks at a different bit of it, and one sets a bit of a second word while another clears a different one.
#include "threads.h"

static unsigned permissions = 1;
static unsigned modes = 4;
static int allowed;

static void* grants(void*) {
  // RACE grant look: k-witness-harmless states=same: the reader looks at bit 0 alone, which the writer leaves as it is
  permissions |= 2;  // @grant
  // RACE set clear: k-witness-harmless: different bits are changed, and nobody looks at them later
  modes |= 1;  // @set
  return nullptr;
}

static void* looks(void*) {
  allowed = (permissions & 1) != 0;  // @look
  modes &= ~4u;                      // @clear
  return nullptr;
}

int main() {
  run_both(grants, looks);
  printf("allowed: %d\n", allowed);
}
