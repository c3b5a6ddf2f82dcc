// The words that a page uses, explained where they stand.
export const terms: Record<string, string> = {
  race: 'Two threads access the same memory, at least one of them writes, and nothing makes one wait for the other.',
  confirmed: 'A schedule was found that brings both threads before their statements at once. The token replays it.',
  observed: 'In this run nothing ordered the two accesses: they raced.',
  proved: 'No run showed it yet, but one is proved to exist in which nothing orders the two accesses.',
  predicted:
    'In this run only the accident of who took a lock first kept the two accesses apart; no lock protects both. Another schedule may bring them together.',
  static: "The program's text alone says that two threads may access the same memory unordered.",
  flag: 'A plain variable that a loop waits for. It is taken as synchronization, as the program means it, though the language does not promise it: it should be atomic.',
  hazard: 'Something besides a race that another schedule may turn into a failure, or a primitive that was misused.',
  suppressed: 'A rule or norn accept keeps it from counting.',
  token: 'A word that holds all a run needs to take the same decisions again.',
  schedule: 'Which thread went on at each step of a run in which one thread runs at a time.',
  values:
    'What was in memory when the race was found → what is written then; of a read, what is read. Of the access before, nothing is known, unless a schedule confirmed the race: then the values of both are those of the schedule.',
  locks: 'The locks that the thread held when it accessed the memory. A lock protects only if both sides hold it.',
  'spec-violated': 'In one order of the two accesses the program crashes, deadlocks or breaks what it promises.',
  'output-differs': 'The order of the two accesses changes what the program puts out.',
  'k-witness-harmless': 'In all orders, inputs and schedules that were tried the program did the same.',
  'single-ordering': 'Only one order of the two accesses is possible: something else keeps them apart.',
};
