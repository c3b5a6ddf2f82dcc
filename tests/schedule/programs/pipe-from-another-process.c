// One thread waits in read() for another process, which writes late; the other thread goes on meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int got, counted;

static void* wait_for_it(void* unused) {
  char letter = 0;
  assert(read(ends[0], &letter, 1) == 1);
  pthread_mutex_lock(&mutex);
  got = letter;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* go_on(void* unused) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    ++counted;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execlp("sh", "sh", "-c", "sleep 0.2; printf x", (char*)NULL);
    _exit(1);
  }
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, wait_for_it, NULL);
  pthread_create(&threads[1], NULL, go_on, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(got == 'x' && counted == 10);
  assert(waitpid(child, NULL, 0) == child);
}
