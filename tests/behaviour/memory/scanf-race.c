// What sscanf and fscanf write and read is accessed like by any other function.
// RUN: %check %s

#include <stdio.h>

#include "order.h"

int number, rest;
char word[16], letters[8], text[] = "34 x";
double real;

static void scans(void) {
  FILE* file = fmemopen((char[]){"7 8"}, 3, "r");
  int got = sscanf("12 apples abc 2.5", "%d %*s %3[a-c] %lf", &number, letters, &real);  // RACE: observed number
  if (got != 3) abort();
  if (sscanf(text, "%15s", word) != 1) abort();    // RACE: observed text
  if (fscanf(file, "%*d%d", &rest) != 1) abort();  // RACE: observed rest
  fclose(file);
  end_turn();
}

static void uses(void) {
  await_turn(1);
  number++;       // RACE: observed number
  text[0] = '5';  // RACE: observed text
  rest++;         // RACE: observed rest
}

int main(void) { run_two(scans, uses); }
