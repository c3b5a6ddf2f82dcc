/* Reduced from LevelDB's PosixEnv: a file opened with fopen gets the number of a descriptor that another thread closed.
 *
 * norn: race on file descriptor N, observed: close(N) in one thread against fwrite in the other. It is a false alarm:
 * the kernel gave the number out again only after the close, and what fopen made is another descriptor. open() makes
 * the number new (set_thing in runtime/files.cc); fopen does not, nor does any other function that makes descriptors
 * unseen.
 *
 * norn-cc -pthread descriptor-given-out-again.c && norn run -- ./a.out
 * wanted: no races. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* closes(void* none) {
  int fd = open("/dev/null", O_RDONLY);
  usleep(100000);
  close(fd);
  return none;
}

static void* opens(void* none) {
  usleep(300000); /* no synchronization, but the number is free by now */
  FILE* file = fopen("/dev/null", "w");
  fwrite("x", 1, 1, file);
  fclose(file);
  return none;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, closes, NULL);
  pthread_create(&two, NULL, opens, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  puts("done");
  return 0;
}
