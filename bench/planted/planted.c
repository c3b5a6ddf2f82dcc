// Compiled without norn: what it does is no part of the program that is looked at.
#include "planted.h"

#include <stdio.h>
#include <stdlib.h>

enum { kSites = 4096, kSkips = 64 };

static unsigned char active[kSites];
static volatile unsigned char reached[kSites];
static _Thread_local const volatile void* skipped[kSkips];
static _Thread_local int skips;

__attribute__((constructor)) static void read_sites(void) {
  const char* at = getenv("NORN_PLANT");
  while (at != NULL && *at != '\0') {
    char* end = NULL;
    const unsigned long site = strtoul(at, &end, 10);
    if (end == at) return;
    if (site < kSites) active[site] = 1;
    at = *end == ',' ? end + 1 : end;
  }
}

// NORN_PLANT_REACHED: a file for the sites that a run came to.
__attribute__((destructor)) static void write_reached(void) {
  const char* name = getenv("NORN_PLANT_REACHED");
  FILE* file = name == NULL ? NULL : fopen(name, "w");
  if (file == NULL) return;
  for (int site = 0; site < kSites; ++site)
    if (reached[site]) fprintf(file, "%d\n", site);
  fclose(file);
}

int norn_planted(int site) {
  reached[site] = 1;
  return active[site];
}

int norn_plant_skips(int site, const volatile void* lock) {
  if (!norn_planted(site) || skips == kSkips) return 0;
  skipped[skips++] = lock;
  return 1;
}

int norn_plant_skipped(const volatile void* lock) {
  for (int i = skips; i > 0; --i) {
    if (skipped[i - 1] != lock) continue;
    for (--skips; i <= skips; ++i) skipped[i - 1] = skipped[i];
    return 1;
  }
  return 0;
}
