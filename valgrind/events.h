// SPDX-License-Identifier: GPL-2.0-or-later
// What the wrappers in the program (preload.c) tell the tool (events.cc): norn_event(code, a, b, c). The function does
// nothing by itself; the tool puts a call of its own into it when it is translated, which is far cheaper than a client
// request.
#pragma once

enum NornEvent {
  kNornCreating,        // routine, argument, detached
  kNornCreated,         // result, pthread_t
  kNornBegins,          // pthread_t, its stack's begin, its end; the result is the routine
  kNornArgument,        // the result is the routine's argument
  kNornHandle,          // pthread_t; the result is the thread's number plus one
  kNornJoined,          // pthread_t, number plus one
  kNornDetaching,       // pthread_t
  kNornName,            // pthread_t (0: the caller), name
  kNornLockMade,        // lock; also when it is destroyed
  kNornLockTook,        // lock, shared
  kNornLockGiving,      // lock, shared
  kNornConditionMade,   // condition; also when it is destroyed
  kNornSignalling,      // condition
  kNornWaitEnter,       // condition, mutex
  kNornWaitLeave,       // condition, mutex, woken
  kNornBarrierMade,     // barrier, count
  kNornBarrierEnter,    // barrier
  kNornBarrierLeave,    // barrier
  kNornObjectMade,      // semaphore or barrier; also when it is destroyed
  kNornPosting,         // semaphore
  kNornWaited,          // semaphore
  kNornOnceCalls,       // control, routine
  kNornOnceBegins,      // where to put the control; the result is the routine
  kNornOnceDone,        // control
  kNornOnceSeen,        // control
  kNornGuardReleasing,  // guard
  kNornReads,           // address, size, caller (0: the program itself)
  kNornWrites,          // address, size, caller
  kNornCopies,          // to, from, size; by the program itself
  kNornUnmaps,          // address, size, caller
  kNornHappensBefore,   // tag
  kNornHappensAfter,    // tag
  kNornNewMemory,       // address, size
  kNornBenign,          // address, size
  kNornIgnoreBegin,     // a set of IgnoreWhat
  kNornIgnoreEnd,       // a set of IgnoreWhat
  kNornObjectGone,      // any; its memory is not touched
  kNornLockGone,        // lock; its memory is not touched
};
