// Reads a file in three ways, its standard input, the environment, the time and random numbers, in two threads with a
// race between them, and prints it all.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int lines;
static char words[256];

static void* read_file(void* unused) {
  (void)unused;
  FILE* file = fopen("data.txt", "r");
  char line[64];
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) lines++;
  if (file != NULL) fclose(file);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, read_file, NULL);
  char input[64] = "";
  if (fgets(input, sizeof(input), stdin) == NULL) strcpy(input, "none\n");
  lines++;
  pthread_join(thread, NULL);
  struct stat status;
  const int there = stat("data.txt", &status) == 0;
  const int fd = open("data.txt", O_RDONLY);
  const ssize_t size = fd < 0 ? -1 : read(fd, words, sizeof(words) - 1);
  if (fd >= 0) close(fd);
  unsigned random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random)) return 3;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const char* colour = getenv("COLOUR");
  printf("%d lines, %d there, %ld bytes, %ld in all\n%s%s%s\n%u %ld\n", lines, there, (long)size, (long)status.st_size,
         words, input, colour == NULL ? "none" : colour, random, (long)now.tv_sec);
  return access("absent.txt", F_OK) == 0 ? 4 : 0;
}
