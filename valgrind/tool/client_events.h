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
  kNornLockTook,        // lock, shared, 1: by a try, 2: with a deadline
  kNornLockGiving,      // lock, shared
  kNornConditionMade,   // condition; also when it is destroyed
  kNornSignalling,      // condition
  kNornBroadcasting,    // condition
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
  kNornLockRefused,     // lock: a try to take it failed
  // OpenMP (openmp.h). Teams and tasks are addresses that the tool gives out; 0: there is none.
  kNornTeamBegins,      // the result is the team
  kNornTeamEnds,        // team
  kNornMemberBegins,    // team; the result is the member's task
  kNornMemberLeaves,    // task; its work is done
  kNornMemberEnds,      // task
  kNornTaskCreated,     // a set of NornTask; the result is the task
  kNornTaskDepends,     // task, address, NornDependence
  kNornTaskBegins,      // task
  kNornTaskSwitches,    // from task, how (ompt_task_status_t), to task
  kNornTaskEnds,        // task
  kNornTaskWaits,       // task: taskwait depend(…) is over
  kNornTasksAtOnce,     // 1: from here on the present task's are of if(0); 0: no more
  kNornTeamWaits,       // at a barrier
  kNornTeamGoesOn,      // from it
  kNornChildrenDone,    // taskwait
  kNornGroupBegins,     // taskgroup
  kNornGroupEnds,       //
  kNornOrderedBegins,   // ordered, or depend(sink)
  kNornOrderedEnds,     // ordered, or depend(source)
  kNornAsksThread,      // which thread it is
  kNornStackIsNew,      // below the caller
  kNornPartEnds,        // the part of a task that the library called
  kNornTaskHasEvent,    // task, event: it is over when that is fulfilled, too
  kNornEventFulfilled,  // event
  kNornStartWatching,   // the result: 1: code must be translated anew
  kNornChecksItself,    // the program was built with norn
};

enum NornTask { kNornTaskAtOnce = 1, kNornTaskFinal = 2, kNornTaskOnlyWaits = 4 };
enum NornDependence { kNornIn, kNornOut, kNornSet, kNornMutexSet };
