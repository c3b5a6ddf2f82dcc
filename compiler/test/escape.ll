; RUN: %instrument %s | FileCheck %s
; RUN: %instrument -load=%plugin -norn-prune=covered,calls,constants %s | FileCheck %s --check-prefix=OFF
; Memory that never leaves its thread is not checked, whoever it is passed to.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @unknown(ptr)
declare void @borrows(ptr nocapture)
declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @_Znwm(i64)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
@published = global ptr null
@hidden = internal global i32 0
@own = internal thread_local global i32 0
@lent = internal thread_local global i32 0
declare ptr @llvm.threadlocal.address.p0(ptr)

; Called with variables only: nothing to check inside.
; OFF-LABEL: @fill(
; OFF: call void @__norn_write4(
; CHECK-LABEL: @fill(
; CHECK-NOT: __norn
; CHECK: ret void
define internal void @fill(ptr %to) {
  store i32 1, ptr %to
  ret void
}
; CHECK-LABEL: @passes_down(
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret i32
define i32 @passes_down() {
  %local = alloca i32
  call void @fill(ptr %local)
  %v = load i32, ptr %local
  ret i32 %v
}

; Called with shared memory too: checked inside, the variable itself is still private.
; CHECK-LABEL: @fill_any(
; CHECK: call void @__norn_write4(
define internal void @fill_any(ptr %to) {
  store i32 1, ptr %to
  ret void
}
; CHECK-LABEL: @passes_both(
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret i32
define i32 @passes_both(ptr %shared) {
  %local = alloca i32
  call void @fill_any(ptr %local)
  call void @fill_any(ptr %shared)
  %v = load i32, ptr %local
  ret i32 %v
}

; Others may call it with anything.
; CHECK-LABEL: @fill_for_all(
; CHECK: call void @__norn_write4(
define void @fill_for_all(ptr %to) {
  store i32 1, ptr %to
  ret void
}

; A function that keeps what it gets.
; CHECK-LABEL: @keep(
; CHECK: call void @__norn_write8(ptr @published,
define internal void @keep(ptr %p) {
  store ptr %p, ptr @published
  ret void
}
; CHECK-LABEL: @passes_to_keeper(
; CHECK: call void @__norn_write4(ptr %local,
define void @passes_to_keeper() {
  %local = alloca i32
  store i32 1, ptr %local
  call void @keep(ptr %local)
  ret void
}

; Heap memory in a variable that stays.
; CHECK-LABEL: @heap_in_a_variable(
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret void
define void @heap_in_a_variable() {
  %holder = alloca { i64, ptr }
  %p = call ptr @_Znwm(i64 8)
  %slot = getelementptr i8, ptr %holder, i64 8
  store ptr %p, ptr %slot
  %q = load ptr, ptr %slot
  store i64 1, ptr %q
  %size = load i64, ptr %holder
  %r = load i64, ptr %q
  call void @free(ptr %q)
  ret void
}

; The holder is lent to code that may look into it.
; CHECK-LABEL: @holder_lent(
; CHECK: call void @__norn_write8(ptr %q,
define void @holder_lent() {
  %holder = alloca ptr
  %p = call ptr @malloc(i64 8)
  store ptr %p, ptr %holder
  call void @borrows(ptr %holder)
  %q = load ptr, ptr %holder
  store i64 1, ptr %q
  ret void
}

; Memory itself lent to code that keeps no pointer to it stays here.
; CHECK-LABEL: @memory_lent(
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret void
define void @memory_lent() {
  %p = call ptr @malloc(i64 8)
  call void @borrows(ptr %p)
  store i64 1, ptr %p
  ret void
}

; Published through another piece of the heap.
; CHECK-LABEL: @chain(
; CHECK: call void @__norn_write8(ptr %inner,
define void @chain() {
  %outer = call ptr @malloc(i64 8)
  %inner = call ptr @malloc(i64 8)
  store ptr %inner, ptr %outer
  call void @unknown(ptr %outer)
  store i64 1, ptr %inner
  ret void
}

; As an integer, and back.
; CHECK-LABEL: @disguised(
; CHECK: call void @__norn_write4(ptr %local,
define void @disguised(ptr %shared) {
  %local = alloca i32
  store i32 1, ptr %local
  %number = ptrtoint ptr %local to i64
  %tagged = or i64 %number, 1
  store i64 %tagged, ptr %shared
  ret void
}

; How far apart two pointers are is not a pointer.
; CHECK-LABEL: @distance(
; CHECK: call void @__norn_write8(ptr %shared,
; CHECK-NOT: __norn_write8
; CHECK: ret void
define void @distance(ptr %shared, i64 %n) {
  %p = call ptr @malloc(i64 %n)
  %end = getelementptr i8, ptr %p, i64 %n
  store i64 0, ptr %p
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %end to i64
  %size = sub i64 %b, %a
  store i64 %size, ptr %shared
  ret void
}

; Given to a new thread.
; CHECK-LABEL: @thread_argument(
; CHECK: call void @__norn_write4(ptr %local,
define void @thread_argument(ptr %id) {
  %local = alloca i32
  %r = call i32 @pthread_create(ptr %id, ptr null, ptr @body, ptr %local)
  store i32 1, ptr %local
  ret void
}
; Its address is taken: its argument may be anything.
; CHECK-LABEL: @body(
; CHECK: call void @__norn_write4(
define internal ptr @body(ptr %arg) {
  store i32 2, ptr %arg
  ret ptr null
}

; What a function returns is its caller's.
; CHECK-LABEL: @make(
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret ptr
define internal ptr @make() {
  %p = call ptr @malloc(i64 4)
  store i32 0, ptr %p
  ret ptr %p
}
; CHECK-LABEL: @uses_made(
; CHECK-NOT: __norn_{{read|write}}
; CHECK: ret void
define void @uses_made() {
  %p = call ptr @make()
  store i32 1, ptr %p
  ret void
}
; CHECK-LABEL: @make_for_all(
; CHECK: call void @__norn_write4(
define ptr @make_for_all() {
  %p = call ptr @malloc(i64 4)
  store i32 0, ptr %p
  ret ptr %p
}

; A thread's own variable, unless its address is told.
; CHECK-LABEL: @thread_local_variables(
; CHECK-NOT: __norn_write4(ptr %mine
; CHECK: call void @__norn_write4(ptr %told,
; CHECK: ret void
define void @thread_local_variables() {
  %mine = call ptr @llvm.threadlocal.address.p0(ptr @own)
  store i32 1, ptr %mine
  %told = call ptr @llvm.threadlocal.address.p0(ptr @lent)
  store i32 1, ptr %told
  call void @unknown(ptr %told)
  ret void
}

; A global variable is everybody's, also where only this module knows it.
; CHECK-LABEL: @hidden_global(
; CHECK: call void @__norn_write4(ptr @hidden,
define void @hidden_global() {
  store i32 1, ptr @hidden
  ret void
}
