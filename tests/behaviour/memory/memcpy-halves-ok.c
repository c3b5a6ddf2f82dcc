// Two threads fill the two halves of a buffer, not at a word's bound.
// NORACE
// RUN: %check %s

#include <string.h>

#include "order.h"

char buffer[255];
char source[255];
size_t middle = 101;

static void lower(void) { memcpy(buffer, source, middle); }

static void upper(void) { memcpy(buffer + middle, source, sizeof buffer - middle); }

int main(void) { run_two(lower, upper); }
