// puts, fputs and fwrite read what another thread writes; so does write(2). How much: up to the text's end, or as said.
// RUN: %check %s

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

char line[] = "abracadabra", text[] = "abracadabra\n", block[] = "abracadabra\n", bytes[] = "abracadabra\n";
char behind[32] = "short";
FILE* sink;
int descriptor;

static void prints(void) {
  fputs(text, sink);                   // RACE: observed text
  fwrite(block, 1, 8, sink);           // RACE: observed block
  if (write(descriptor, bytes, 8) < 8  // RACE: observed bytes
      || freopen("/dev/null", "w", stdout) == NULL)
    return;
  puts(line);  // RACE: observed line
  printf("%s %.3s\n", behind, behind);
  end_turn();
}

static void changes(void) {
  await_turn(1);
  text[3] = 'z';    // RACE: observed text
  block[3] = 'z';   // RACE: observed block
  bytes[3] = 'z';   // RACE: observed bytes
  line[3] = 'z';    // RACE: observed line
  block[8] = 'z';   // not read
  bytes[8] = 'z';   // not read
  behind[6] = 'z';  // behind the end
}

int main(void) {
  sink = fopen("/dev/null", "w");
  descriptor = open("/dev/null", O_WRONLY);
  run_two(prints, changes);
  fclose(sink);
  close(descriptor);
}
