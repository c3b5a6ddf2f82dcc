; RUN: %instrument %s | FileCheck %s
; RUN: %instrument -load=%plugin -norn-prune=covered,calls,escape %s | FileCheck %s --check-prefix=OFF
; Memory that nobody writes is not checked.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @unknown(ptr)
@fixed = constant i32 7
@table = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@written = internal global [4 x i32] zeroinitializer
@told = internal global i32 1
@referred = internal global i32 1
@refers = global ptr @referred
@visible = global i32 1
@__libc_single_threaded = external global i8

; OFF-LABEL: @reads(
; OFF: call void @__norn_read4(ptr @fixed,
; OFF: call void @__norn_read4(ptr %p,
; OFF: call void @__norn_read4(ptr %e,
; OFF: call void @__norn_read1(ptr @__libc_single_threaded,
; CHECK-LABEL: @reads(
; CHECK-NOT: __norn
; CHECK: ret void
define void @reads(ptr %p, i64 %i) {
  %a = load i32, ptr @fixed
  %b = load i32, ptr %p, !invariant.load !0
  %e = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %c = load i32, ptr %e
  %d = load i8, ptr @__libc_single_threaded
  ret void
}

; CHECK-LABEL: @may_be_written(
; CHECK: call void @__norn_read4(ptr %e,
; CHECK: call void @__norn_read4(ptr @told,
; CHECK: call void @__norn_read4(ptr @referred,
; CHECK: call void @__norn_read4(ptr @visible,
; CHECK: ret void
define void @may_be_written(i64 %i) {
  %e = getelementptr [4 x i32], ptr @written, i64 0, i64 %i
  %c = load i32, ptr %e
  %d = load i32, ptr @told
  %f = load i32, ptr @referred
  %g = load i32, ptr @visible
  ret void
}

define void @writes(i64 %i) {
  %e = getelementptr [4 x i32], ptr @written, i64 0, i64 %i
  store i32 1, ptr %e
  call void @unknown(ptr @told)
  ret void
}
!0 = !{}
