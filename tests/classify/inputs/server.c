// A server with a thread for each connection: "add N\n" adds to a sum without a lock, "sum\n" asks for it, "stop\n"
// ends the server. Listens on the port that it is given.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static long sum;
static int stop[2];

static void answer(int fd, const char* line) {
  char words[64];
  if (strncmp(line, "add ", 4) == 0) {
    sum += atol(line + 4);  // @add
    strcpy(words, "added\n");
  } else if (strncmp(line, "sum", 3) == 0) {
    snprintf(words, sizeof(words), "%ld\n", sum);
  } else {
    strcpy(words, "bye\n");
  }
  if (write(fd, words, strlen(words)) < 0) perror("write");
  if (strncmp(line, "stop", 4) == 0 && write(stop[1], "s", 1) != 1) perror("stop");
}

static void* serve(void* given) {
  const int fd = (int)(long)given;
  char line[128];
  size_t size = 0;
  for (;;) {
    const ssize_t got = recv(fd, line + size, sizeof(line) - 1 - size, 0);
    if (got <= 0) break;
    size += (size_t)got;
    line[size] = '\0';
    for (char* end; (end = strchr(line, '\n')) != NULL;) {
      *end = '\0';
      answer(fd, line);
      size -= (size_t)(end + 1 - line);
      memmove(line, end + 1, size + 1);
    }
  }
  close(fd);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2 || pipe(stop) != 0) return 2;
  // One that had the number of the listener before, and another address.
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const int before = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(before, (struct sockaddr*)&any, sizeof(any)) != 0 || close(before) != 0) return 7;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (struct sockaddr*)&address, sizeof(address)) != 0 || listen(listener, 8) != 0) return 3;
  struct sockaddr_in own;
  socklen_t own_size = sizeof(own);
  if (getsockname(listener, (struct sockaddr*)&own, &own_size) != 0 || own.sin_port != address.sin_port) return 8;
  puts("ready");
  fflush(stdout);
  struct pollfd files[2] = {{listener, POLLIN, 0}, {stop[0], POLLIN, 0}};
  for (int number = 1;; ++number) {
    if (poll(files, 2, -1) < 0) return 4;
    if (files[1].revents != 0) break;
    struct sockaddr_in from;
    socklen_t size = sizeof(from);
    const int fd = accept(listener, (struct sockaddr*)&from, &size);
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) return 5;
    struct sockaddr_in peer;
    size = sizeof(peer);
    if (getpeername(fd, (struct sockaddr*)&peer, &size) != 0 || peer.sin_port != from.sin_port) return 6;
    printf("connection %d from %s\n", number, inet_ntoa(from.sin_addr));
    pthread_t thread;
    pthread_create(&thread, NULL, serve, (void*)(long)fd);
    pthread_detach(thread);
  }
  printf("sum %ld\n", sum);
  return 0;
}
