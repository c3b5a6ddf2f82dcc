// Under _FORTIFY_SOURCE other functions are called; they hand over like those that they stand for.
// NORACE
// FLAGS: -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wno-#warnings
// RUN: %check %s

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"

int data[5];
int pipes[4][2];
int sockets[2];
volatile size_t size = 1;

static void gives(void) {
  for (int i = 0; i < 4; i++) {
    data[i] = 1;
    if (write(pipes[i][1], "x\n", 2) != 2) abort();
  }
  data[4] = 1;
  if (send(sockets[1], "x", 1, 0) != 1) abort();
}

static void takes(void) {
  char buffer[16];
  struct pollfd files[2] = {{pipes[0][0], POLLIN, 0}, {-1, 0, 0}};
  if (poll(files, size, -1) != 1) abort();
  data[0]++;
  if (read(pipes[1][0], buffer, size) != 1) abort();
  data[1]++;
  FILE* lines = fdopen(pipes[2][0], "r");
  if (fgets(buffer, (int)size + 2, lines) == NULL) abort();
  data[2]++;
  FILE* blocks = fdopen(pipes[3][0], "r");
  if (fread(buffer, size, 1, blocks) != 1) abort();
  data[3]++;
  if (recv(sockets[0], buffer, size, 0) != 1) abort();
  data[4]++;
}

int main(void) {
  for (int i = 0; i < 4; i++) {
    if (pipe(pipes[i]) != 0) return 1;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  run_two(gives, takes);
}
