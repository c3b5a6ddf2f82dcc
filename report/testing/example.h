// The race of a small bank, as a model: what the tests of the renderers render.
#pragma once

#include "report/race.h"

namespace norn::report::example {

inline constexpr Frame kDepositStack[] = {
    {.function = "deposit(Account&, int)",
     .linkage = "_Z7depositR7Accounti",
     .file = "bank.cpp",
     .line = 14,
     .column = 19,
     .module = "/home/ann/bank",
     .offset = 0x11a4},
    {.function = "teller(int)",
     .linkage = "_Z6telleri",
     .file = "bank.cpp",
     .line = 22,
     .column = 5,
     .module = "/home/ann/bank",
     .offset = 0x1210},
};
inline constexpr Frame kReportStack[] = {
    {.function = "report(Account&)",
     .linkage = "_Z6reportR7Account",
     .file = "bank.cpp",
     .line = 19,
     .column = 9,
     .module = "/home/ann/bank",
     .offset = 0x11c8},
    {.function = "main",
     .linkage = "main",
     .file = "bank.cpp",
     .line = 33,
     .column = 3,
     .module = "/home/ann/bank",
     .offset = 0x12f0},
};
inline constexpr Frame kCreatedAt[] = {
    {.function = "pthread_create", .module = "/lib/libc.so.6", .offset = 0x8f8ec, .library = true},
    {.function = "main",
     .linkage = "main",
     .file = "bank.cpp",
     .line = 31,
     .column = 3,
     .module = "/home/ann/bank",
     .offset = 0x12c0},
};
inline constexpr LockHeld kAuditLock[] = {
    {.name = "audit_mutex",
     .address = 0x4040,
     .taken_at = {.function = "report(Account&)",
                  .file = "bank.cpp",
                  .line = 18,
                  .module = "/home/ann/bank",
                  .offset = 0x11b0}},
};
inline constexpr NamedCount kSync[] = {{"locks", 12}, {"threads", 4}};
inline constexpr Text kCommand[] = {"./bank"};

[[nodiscard]] constexpr Race bank_race() {
  Race race{.detection = Detection::kObserved,
            .location = {.name = "account.balance",
                         .object = "account",
                         .address = 0x404060,
                         .size = 4,
                         .object_size = 16,
                         .offset = 0,
                         .kind = LocationKind::kGlobal,
                         .declared_at = {.file = "bank.cpp", .line = 5}},
            .accesses = {{.op = Op::kWrite,
                          .size = 4,
                          .thread = 2,
                          .thread_name = "teller-2",
                          .thread_created_at = kCreatedAt,
                          .stack = kDepositStack,
                          .expression = "account.balance",
                          .count = 1998},
                         {.op = Op::kRead,
                          .size = 4,
                          .thread = 1,
                          .thread_name = "teller-1",
                          .stack = kReportStack,
                          .locks = kAuditLock,
                          .expression = "account.balance",
                          .count = 3}},
            .count = 1998};
  const char id[] = "3f9c1a02";
  for (size_t i = 0; i < 8; ++i) race.id.hex[i] = id[i];
  return race;
}

// Two transfers that lock their accounts in different orders.
inline constexpr HazardStep kTransfers[] = {
    {.thread = 2,
     .thread_name = "teller-2",
     .does = "holds savings.lock (taken at bank.cpp:40) and takes account.lock",
     .stack = kDepositStack},
    {.thread = 3, .does = "holds account.lock (taken at bank.cpp:18) and takes savings.lock", .stack = kReportStack}};
inline constexpr uint64_t kTransferSites[] = {0x1234, 0x5678};

[[nodiscard]] constexpr Hazard bank_hazard() {
  Hazard hazard{.kind = HazardKind::kLockOrder,
                .title = "lock order: savings.lock, account.lock",
                .places = "bank.cpp:14 / bank.cpp:19",
                .sites = kTransferSites,
                .steps = kTransfers};
  const char id[] = "5e1f0b77";
  for (size_t i = 0; i < 8; ++i) hazard.id.hex[i] = id[i];
  return hazard;
}

[[nodiscard]] constexpr RunSummary bank_run() {
  return {
      .program = "./bank",
      .command = kCommand,
      .engine = "hybrid",
      .front_end = "native",
      .pid = 4711,
      .parent = 4710,
      .exit = 0,
      .ended = true,
      .stats = {
          .events = 5000, .accesses = 4021, .sync = kSync, .threads = 3, .microseconds = 120000, .peak_rss = 8 << 20}};
}

}  // namespace norn::report::example
