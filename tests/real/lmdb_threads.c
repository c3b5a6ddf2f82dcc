/* Writers and readers of one LMDB environment in one process: what LMDB promises is checked.
 *
 * Writers move amounts between accounts and count their transactions; each read transaction must see the same total and
 * as many transactions as the sum of the writers' own counters. Every third read transaction is kept and renewed, every
 * fourth write transaction is aborted. The map is large because a reader that sleeps keeps all pages written meanwhile.
 * Usage: lmdb_threads DIRECTORY [WRITERS READERS TRANSACTIONS] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lmdb.h"

enum { kAccounts = 64, kStart = 1000, kMaxThreads = 16 };

static MDB_env* env;
static MDB_dbi accounts, counters;
static int writers = 2, readers = 3, transactions = 300;

static void check(int rc, const char* what) {
  if (rc == MDB_SUCCESS) return;
  fprintf(stderr, "lmdb_threads: %s: %s\n", what, mdb_strerror(rc));
  abort();
}

static long get(MDB_txn* txn, MDB_dbi dbi, int id) {
  MDB_val key = {sizeof id, &id}, data;
  long value;
  check(mdb_get(txn, dbi, &key, &data), "get");
  memcpy(&value, data.mv_data, sizeof value);
  return value;
}

static void put(MDB_txn* txn, MDB_dbi dbi, int id, long value) {
  MDB_val key = {sizeof id, &id}, data = {sizeof value, &value};
  check(mdb_put(txn, dbi, &key, &data, 0), "put");
}

static void* write_some(void* arg) {
  int self = (int)(long)arg;
  unsigned seed = 7u + (unsigned)self;
  for (int i = 1; i <= transactions; ++i) {
    MDB_txn* txn;
    check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
    int from = rand_r(&seed) % kAccounts, to = rand_r(&seed) % kAccounts;
    long amount = rand_r(&seed) % 50;
    put(txn, accounts, from, get(txn, accounts, from) - amount);
    put(txn, accounts, to, get(txn, accounts, to) + amount);
    if (i % 4 == 0) {
      mdb_txn_abort(txn);
      continue;
    }
    put(txn, counters, 0, get(txn, counters, 0) + 1);
    put(txn, counters, self, get(txn, counters, self) + 1);
    check(mdb_txn_commit(txn), "commit");
  }
  return NULL;
}

static void* read_some(void* arg) {
  MDB_txn* kept = NULL;
  (void)arg;
  for (int i = 0; i < transactions; ++i) {
    MDB_txn* txn;
    if (kept) {
      txn = kept;
      check(mdb_txn_renew(txn), "renew");
    } else {
      check(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin read");
    }
    MDB_cursor* cursor;
    MDB_val key, data;
    long total = 0, counted = 0;
    check(mdb_cursor_open(txn, accounts, &cursor), "cursor");
    while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == MDB_SUCCESS) {
      long value;
      memcpy(&value, data.mv_data, sizeof value);
      total += value;
    }
    mdb_cursor_close(cursor);
    for (int w = 1; w <= writers; ++w) counted += get(txn, counters, w);
    if (total != (long)kAccounts * kStart || counted != get(txn, counters, 0)) {
      fprintf(stderr, "lmdb_threads: a reader saw a total of %ld\n", total);
      abort();
    }
    if (i % 3 == 0) {
      mdb_txn_reset(txn);
      kept = txn;
    } else {
      mdb_txn_abort(txn);
      kept = NULL;
    }
  }
  if (kept) mdb_txn_abort(kept);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[kMaxThreads];
  MDB_txn* txn;
  if (argc == 5) {
    writers = atoi(argv[2]);
    readers = atoi(argv[3]);
    transactions = atoi(argv[4]);
  }
  if ((argc != 2 && argc != 5) || writers < 1 || readers < 0 || writers + readers > kMaxThreads) {
    fprintf(stderr, "usage: lmdb_threads DIRECTORY [WRITERS READERS TRANSACTIONS]\n");
    return 2;
  }
  check(mdb_env_create(&env), "create");
  check(mdb_env_set_maxdbs(env, 4), "maxdbs");
  check(mdb_env_set_mapsize(env, 1 << 30), "mapsize");
  check(mdb_env_open(env, argv[1], MDB_NOSYNC, 0664), "open");
  check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
  check(mdb_dbi_open(txn, "accounts", MDB_CREATE | MDB_INTEGERKEY, &accounts), "dbi");
  check(mdb_dbi_open(txn, "counters", MDB_CREATE | MDB_INTEGERKEY, &counters), "dbi");
  for (int i = 0; i < kAccounts; ++i) put(txn, accounts, i, kStart);
  for (int i = 0; i <= writers; ++i) put(txn, counters, i, 0);
  check(mdb_txn_commit(txn), "commit");
  for (int i = 0; i < writers + readers; ++i)
    pthread_create(&threads[i], NULL, i < writers ? write_some : read_some, (void*)(long)(i + 1));
  for (int i = 0; i < writers + readers; ++i) pthread_join(threads[i], NULL);
  check(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin read");
  printf("%ld transactions\n", get(txn, counters, 0));
  mdb_txn_abort(txn);
  mdb_env_close(env);
  return 0;
}
