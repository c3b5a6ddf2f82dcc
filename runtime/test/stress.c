#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared; static atomic_int handled; static atomic_bool stop;
static void handler(int s) { (void)s; atomic_fetch_add(&handled, 1); }
static void* worker(void* p) { unsigned x = (unsigned)(size_t)p; while (!atomic_load(&stop)) { x = x * 1103515245 + 12345; void* q = malloc(x % 5000); q = realloc(q, (x >> 8) % 9000 + 1); memset(q, 1, 1); pthread_mutex_lock(&m); shared++; pthread_mutex_unlock(&m); free(q); } return 0; }
static void* forker(void* p) { (void)p; while (!atomic_load(&stop)) { pid_t c = fork(); if (c == 0) { pthread_mutex_init(&m, 0); void* q = malloc(100); shared = 3; free(q); pthread_t t; if (pthread_create(&t, 0, worker, (void*)1) == 0) { usleep(1000); atomic_store(&stop, 1); pthread_join(t, 0); } _exit(7); } int st = 0; if (c < 0) { perror("fork"); continue; } waitpid(c, &st, 0); if (!WIFEXITED(st) || WEXITSTATUS(st) != 7) { fprintf(stderr, "child status %x\n", st); abort(); } } return 0; }
int main(int argc, char** argv) { int secs = argc > 1 ? atoi(argv[1]) : 5; signal(SIGUSR1, handler); pthread_t w[4], f; for (size_t i = 0; i < 4; i++) pthread_create(&w[i], 0, worker, (void*)i); pthread_create(&f, 0, forker, 0); time_t end = time(0) + secs; long sent = 0; while (time(0) < end) { pthread_kill(w[sent % 4], SIGUSR1); sent++; usleep(50); } atomic_store(&stop, 1); for (int i = 0; i < 4; i++) pthread_join(w[i], 0); pthread_join(f, 0); printf("handled %d of %ld, shared %s\n", atomic_load(&handled), sent, shared > 0 ? "ok" : "?"); return 0; }
