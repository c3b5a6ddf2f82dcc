; RUN: split-file %s %t
; RUN: %instrument-program %t/early.ll | FileCheck %t/early.ll
; RUN: %instrument-program -load=%plugin -norn-prune=covered,calls,escape,constants %t/early.ll | FileCheck %t/early.ll --check-prefix=OFF
; RUN: %instrument %t/early.ll | FileCheck %t/early.ll --check-prefix=OFF
; RUN: %instrument-program -load=%plugin -norn-profile=sampling %t/early.ll | FileCheck %t/early.ll --check-prefix=SAMPLED
; RUN: %instrument-program %t/late.ll | FileCheck %t/late.ll
; RUN: sed -e 's/CALLED/rand/' %t/constructor.ll | %instrument-program - | FileCheck %t/constructor.ll
; RUN: sed -e 's/CALLED/unknown/' %t/constructor.ll | %instrument-program - | FileCheck %t/constructor.ll --check-prefix=CREATES
; RUN: sed -e 's/dso_local i32 @main/i32 @main/' %t/early.ll | %instrument-program - | FileCheck %t/early.ll --check-prefix=OFF
; RUN: sed -e 's/@main/@library/' %t/early.ll | %instrument-program - | FileCheck %t/early.ll --check-prefix=OFF
; RUN: %instrument-program %t/replaced.ll | FileCheck %t/replaced.ll
; RUN: %instrument-program %t/streams.ll | FileCheck %t/streams.ll
; RUN: sed -e 's/ptr @quiet_sync/ptr @creating_sync/' %t/streams.ll | %instrument-program - | FileCheck %t/streams.ll --check-prefix=CREATES
; RUN: sed -e 's/^  CALL/  call void @unknown()/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  %%c = call i32 @_setjmp(ptr @jump)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  %%c = call i32 @llvm.eh.sjlj.setjmp(ptr @jump)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  call void @qsort(ptr null, i64 0, i64 0, ptr @compare)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  %%c = call ptr @signal(i32 2, ptr @compare)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  %%c = call ptr @dlopen(ptr null, i32 1)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr null, i32 0, ptr @compare)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  call void %%f()/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  call void asm sideeffect "syscall", ""()/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  call void @replaceable()/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll
; RUN: sed -e 's/^  CALL/  call void asm sideeffect "", "~{memory}"()/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll --check-prefix=QUIET
; RUN: sed -e 's/^  CALL/  call void @recursive(i32 3)/' %t/calls.ll | %instrument-program - | FileCheck %t/calls.ll --check-prefix=QUIET
; Memory that is written only while there is one thread is not checked, if the module is the whole program.

;--- early.ll
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @printf(ptr, ...)
declare i32 @atoi(ptr nocapture)
declare ptr @fgets(ptr nocapture, i32, ptr nocapture)
declare i32 @puts(ptr nocapture readonly)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@format = private constant [3 x i8] c"%d\00"
@limit = internal global i32 0
@table = internal global [64 x i32] zeroinitializer
@copy = internal global [64 x i32] zeroinitializer
@line = internal global [64 x i8] zeroinitializer
@counter = internal global i32 0
@flag = internal global i32 0
@visible = global i32 0

; OFF-LABEL: @reader(
; OFF: call void @__norn_read4(ptr @limit,
; OFF: call void @__norn_read4(ptr %e,
; OFF: call void @__norn_read1(ptr @line,
; CHECK-LABEL: @reader(
; CHECK-NOT: call void @__norn_read4(
; CHECK: call i32 @__norn_atomic32_load(ptr @flag,
; CHECK-NOT: call void @__norn_read
; CHECK: call void @__norn_read4(ptr @visible,
; CHECK-NOT: call void @__norn_read
; CHECK: call void @__norn_write4(ptr @counter,
; CHECK: ret ptr
; SAMPLED-LABEL: @reader(
; SAMPLED-NOT: @__norn_read{{.*}}@limit
; SAMPLED-NOT: @__norn_read{{.*}}@line
; SAMPLED: __norn_read{{.*}}@visible
; SAMPLED: ret ptr
define internal ptr @reader(ptr %given) {
  %a = load i32, ptr @limit
  %i = zext i32 %a to i64
  %e = getelementptr [64 x i32], ptr @table, i64 0, i64 %i
  %b = load i32, ptr %e
  %c = load i32, ptr @copy
  %d = load i8, ptr @line
  ; What synchronizes is told as ever.
  %f = load atomic i32, ptr @flag acquire, align 4
  %g = load i32, ptr @visible
  %h = load i32, ptr @counter
  %j = add i32 %h, 1
  store i32 %j, ptr @counter
  ret ptr null
}

; Called before and nowhere else.
; OFF-LABEL: @fill(
; OFF: call void @__norn_write4(ptr %e,
; CHECK-LABEL: @fill(
; CHECK-NOT: __norn_write
; CHECK: ret void
define internal void @fill(ptr %where, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %at = zext i32 %i to i64
  %e = getelementptr [64 x i32], ptr %where, i64 0, i64 %at
  store i32 %i, ptr %e
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; It creates a thread itself, after it has written.
; CHECK-LABEL: @start(
; CHECK-NOT: __norn_write
; CHECK: call i32 @pthread_create(
define internal void @start(ptr %id) {
  store i32 5, ptr @limit
  store atomic i32 1, ptr @flag release, align 4
  %t = call i32 @pthread_create(ptr %id, ptr null, ptr @reader, ptr null)
  ret void
}

; OFF-LABEL: define {{.*}}i32 @{{main|library}}(
; OFF: call void @__norn_write4(ptr @limit,
; CHECK-LABEL: @main(
; CHECK-NOT: __norn_write
; CHECK: call ptr @__norn_memcpy(ptr @copy, ptr @table, i64 256, ptr null, ptr null)
; CHECK-NOT: __norn_write
; CHECK: call void @__norn_write4(ptr @visible,
; CHECK-NOT: __norn_write
; CHECK: ret i32
define dso_local i32 @main(i32 %count, ptr %values) {
  %id = alloca i64
  %n = call i32 @atoi(ptr %values)
  store i32 %n, ptr @limit
  %p = call i32 (ptr, ...) @printf(ptr @format, i32 %n)
  call void @fill(ptr @table, i32 %n)
  call void @llvm.memcpy.p0.p0.i64(ptr @copy, ptr @table, i64 256, i1 false)
  %l = call ptr @fgets(ptr @line, i32 64, ptr null)
  store i32 1, ptr @visible
  call void @start(ptr %id)
  %q = call i32 @puts(ptr @line)
  ret i32 0
}

;--- late.ll
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare ptr @fgets(ptr nocapture, i32, ptr nocapture)
declare void @lends(ptr nocapture)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
@after_create = internal global i32 0
@after_join = internal global i32 0
@in_loop = internal global i32 0
@by_both = internal global i32 0
@by_pointer = internal global i32 0
@by_taken = internal global i32 0
@line = internal global [64 x i8] zeroinitializer
@lent = internal global i32 0
@told = global ptr @referred
@referred = internal global i32 0
@sometimes = internal global i32 0
@on_both_sides = internal global i32 0
@by_atomic = internal global i32 0
@by_thread = internal global i32 0
@by_copy = internal global [64 x i32] zeroinitializer
@by_fill = internal global [64 x i32] zeroinitializer
@taken = global ptr @address_taken

; CHECK-LABEL: @reader(
; CHECK: call void @__norn_read4(ptr @after_create,
; CHECK: call void @__norn_read4(ptr @after_join,
; CHECK: call void @__norn_read4(ptr @in_loop,
; CHECK: call void @__norn_read4(ptr @by_both,
; CHECK: call void @__norn_read4(ptr @by_pointer,
; CHECK: call void @__norn_read4(ptr @by_taken,
; CHECK: call void @__norn_read1(ptr @line,
; CHECK: call void @__norn_read4(ptr @lent,
; CHECK: call void @__norn_read4(ptr @referred,
; CHECK: call void @__norn_read4(ptr @sometimes,
; CHECK: call void @__norn_read4(ptr @on_both_sides,
; CHECK: call void @__norn_read4(ptr @by_atomic,
; CHECK: call void @__norn_read4(ptr @by_copy,
; CHECK: call void @__norn_read4(ptr @by_fill,
; CHECK: call void @__norn_write4(ptr @by_thread,
define internal ptr @reader(ptr %given) {
  %a = load i32, ptr @after_create
  %b = load i32, ptr @after_join
  %c = load i32, ptr @in_loop
  %d = load i32, ptr @by_both
  %e = load i32, ptr @by_pointer
  %f = load i32, ptr @by_taken
  %g = load i8, ptr @line
  %h = load i32, ptr @lent
  %i = load i32, ptr @referred
  %j = load i32, ptr @sometimes
  %k = load i32, ptr @on_both_sides
  %l = load i32, ptr @by_atomic
  %m = load i32, ptr @by_copy
  %n = load i32, ptr @by_fill
  store i32 1, ptr @by_thread
  ret ptr null
}

; Called before and after.
; CHECK-LABEL: @both(
; CHECK: call void @__norn_write4(ptr @by_both,
define internal void @both() {
  store i32 1, ptr @by_both
  ret void
}
; Called by both, only.
; CHECK-LABEL: @store_to(
; CHECK: call void @__norn_write4(ptr %where,
define internal void @store_to(ptr %where) {
  store i32 1, ptr %where
  ret void
}
; Somebody may call it.
; CHECK-LABEL: @address_taken(
; CHECK: call void @__norn_write4(ptr @by_taken,
define internal void @address_taken() {
  store i32 1, ptr @by_taken
  ret void
}
define internal void @create(ptr %id) {
  %t = call i32 @pthread_create(ptr %id, ptr null, ptr @reader, ptr null)
  ret void
}

; CHECK-LABEL: define {{.*}}@main(
; CHECK: call void @__norn_write4(ptr @on_both_sides,
; CHECK: call void @__norn_write4(ptr @in_loop,
; CHECK: call void @__norn_write4(ptr @sometimes,
; CHECK: call void @__norn_write4(ptr @after_create,
; CHECK: call void @__norn_write4(ptr @after_join,
define dso_local i32 @main(i32 %count, ptr %values) {
  %id = alloca i64
  store i32 1, ptr @on_both_sides
  call void @both()
  call void @store_to(ptr @by_pointer)
  call void @address_taken()
  %some = icmp sgt i32 %count, 1
  br i1 %some, label %loop, label %end
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i32 %i, ptr @in_loop
  call void @create(ptr %id)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  store i32 1, ptr @sometimes
  store i32 1, ptr @after_create
  store i32 1, ptr @on_both_sides
  call void @both()
  call void @store_to(ptr @by_pointer)
  %l = call ptr @fgets(ptr @line, i32 64, ptr null)
  call void @lends(ptr @lent)
  call void @llvm.memcpy.p0.p0.i64(ptr @by_copy, ptr @line, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr @by_fill, i8 1, i64 64, i1 false)
  %old = atomicrmw add ptr @by_atomic, i32 1 seq_cst
  %t = load i64, ptr %id
  %j = call i32 @pthread_join(i64 %t, ptr null)
  store i32 1, ptr @after_join
  ret i32 0
}

;--- constructor.ll
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @CALLED()
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @constructor, ptr null }]
@seed = internal global i32 0
@limit = internal global i32 0

; CHECK-LABEL: @constructor(
; CHECK-NOT: __norn_write
; CHECK: ret void
; CREATES-LABEL: @constructor(
; CREATES: call void @__norn_write4(ptr @seed,
define internal void @constructor() {
  %r = call i32 @CALLED()
  store i32 %r, ptr @seed
  ret void
}
; CHECK-LABEL: @reader(
; CHECK-NOT: __norn_read
; CHECK: ret ptr
; CREATES-LABEL: @reader(
; CREATES: call void @__norn_read4(ptr @seed,
; CREATES: call void @__norn_read4(ptr @limit,
define internal ptr @reader(ptr %given) {
  %a = load i32, ptr @seed
  %b = load i32, ptr @limit
  ret ptr null
}
; CREATES-LABEL: define {{.*}}@main(
; CREATES: call void @__norn_write4(ptr @limit,
define dso_local i32 @main() {
  %id = alloca i64
  store i32 3, ptr @limit
  %t = call i32 @pthread_create(ptr %id, ptr null, ptr @reader, ptr null)
  ret i32 0
}

;--- replaced.ll
; The C library may call it, and it may create a thread: printf then may.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i32 @printf(ptr, ...)
declare ptr @unknown(i64)
@format = private constant [3 x i8] c"%d\00"
@before = internal global i32 0
@after = internal global i32 0
define ptr @malloc(i64 %size) {
  %p = call ptr @unknown(i64 %size)
  ret ptr %p
}
; CHECK-LABEL: @reader(
; CHECK-NOT: __norn_read4(ptr @before,
; CHECK: call void @__norn_read4(ptr @after,
define ptr @reader(ptr %given) {
  %a = load i32, ptr @before
  %b = load i32, ptr @after
  ret ptr null
}
define dso_local i32 @main() {
  store i32 3, ptr @before
  %p = call i32 (ptr, ...) @printf(ptr @format, i32 1)
  store i32 3, ptr @after
  ret i32 0
}

;--- streams.ll
; Streams call virtual functions, which may be the program's.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare ptr @_ZNSolsEi(ptr, i32)
declare ptr @_ZNSolsEPFRSoS_E(ptr, ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare ptr @manipulator(ptr)
@_ZSt4cout = external global i8
@_ZTV6Buffer = internal constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @quiet_sync] }
@first = internal global i32 0
@second = internal global i32 0
@third = internal global i32 0
define internal i32 @quiet_sync(ptr %this) {
  ret i32 0
}
define internal i32 @creating_sync(ptr %this) {
  %id = alloca i64
  %t = call i32 @pthread_create(ptr %id, ptr null, ptr @reader, ptr null)
  ret i32 0
}
; CHECK-LABEL: @reader(
; CHECK-NOT: __norn_read4(ptr @first,
; CHECK-NOT: __norn_read4(ptr @second,
; CHECK: call void @__norn_read4(ptr @third,
; CREATES-LABEL: @reader(
; CREATES-NOT: __norn_read4(ptr @first,
; CREATES: call void @__norn_read4(ptr @second,
; CREATES: call void @__norn_read4(ptr @third,
define internal ptr @reader(ptr %given) {
  %a = load i32, ptr @first
  %b = load i32, ptr @second
  %c = load i32, ptr @third
  ret ptr null
}
define dso_local i32 @main() {
  store i32 3, ptr @first
  %p = call ptr @_ZNSolsEi(ptr @_ZSt4cout, i32 1)
  store i32 3, ptr @second
  %q = call ptr @_ZNSolsEPFRSoS_E(ptr @_ZSt4cout, ptr @manipulator)
  store i32 3, ptr @third
  ret i32 0
}

;--- calls.ll
; What may create a thread.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @unknown()
declare i32 @_setjmp(ptr) returns_twice
declare i32 @llvm.eh.sjlj.setjmp(ptr)
declare void @qsort(ptr, i64, i64, ptr)
declare ptr @signal(i32, ptr)
declare ptr @dlopen(ptr, i32)
declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
@data = internal global i32 0
@function = global ptr null
@jump = global [25 x i64] zeroinitializer
; CHECK-LABEL: @reader(
; CHECK: call void @__norn_read4(ptr @data,
; QUIET-LABEL: @reader(
; QUIET-NOT: __norn_read4
; QUIET: ret ptr
define ptr @reader(ptr %given) {
  %a = load i32, ptr @data
  ret ptr null
}
define i32 @compare(ptr %a, ptr %b) {
  ret i32 0
}
define weak void @replaceable() {
  ret void
}
define internal void @recursive(i32 %n) {
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %again, label %done
again:
  %less = sub i32 %n, 1
  call void @recursive(i32 %less)
  br label %done
done:
  ret void
}
define dso_local i32 @main() {
  %f = load ptr, ptr @function
  CALL
  store i32 1, ptr @data
  ret i32 0
}
