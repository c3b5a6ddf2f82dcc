// Blocks by the names that an allocator has for its own functions, given back by one thread and got by the next.
#include <pthread.h>
#include <stddef.h>

#ifdef MIMALLOC
void* mi_malloc(size_t size);
void* mi_realloc(void* block, size_t size);
void mi_free(void* block);
#define GET mi_malloc
#define CHANGE mi_realloc
#define GIVE mi_free
#elif defined(TCMALLOC)
void* tc_malloc(size_t size);
void* tc_realloc(void* block, size_t size);
void tc_free(void* block);
#define GET tc_malloc
#define CHANGE tc_realloc
#define GIVE tc_free
#else
void* mallocx(size_t size, int flags);
void* rallocx(void* block, size_t size, int flags);
void dallocx(void* block, int flags);
#define GET(size) mallocx(size, 6)  // aligned to 64
#define CHANGE(block, size) rallocx(block, size, 6)
#define GIVE(block) dallocx(block, 6)
#endif

static void* uses(void* unused) {
  for (int i = 0; i < 5000; i++) {
    char* block = GET(100);
    for (int k = 0; k < 100; k++) block[k] = 1;
    block = CHANGE(block, 300);
    block[0] = block[299] = 2;
    GIVE(block);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, uses, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}
