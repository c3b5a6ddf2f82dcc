; The sampling profile: two copies, with all synchronization in both, and questions at the entry and where loops go on.
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=sampling -passes=norn,verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=sampling -norn-checks=inline -passes=norn,verify -disable-output %s
target triple = "x86_64-unknown-linux-gnu"

@x = global i32 0
@flag = global i32 0

; CHECK: @norn.region = private externally_initialized global i32 0, section "norn_regions", align 4
; CHECK: @__norn_regions = external thread_local(initialexec) global ptr

; CHECK-LABEL: define i32 @both(
; CHECK: %[[NUMBER:.*]] = load i32, ptr @norn.region
; CHECK: %[[COUNTERS:.*]] = load ptr, ptr @__norn_regions
; CHECK: %[[LEFT:.*]] = sub i32 %{{.*}}, 1
; CHECK: store i32 %[[LEFT]]
; CHECK: %[[ASKS:.*]] = icmp slt i32 %[[LEFT]], 0
; CHECK: br i1 %[[ASKS]], label %norn.ask, label %norn.on, !prof
; CHECK: norn.body:
; CHECK-NEXT: %v = load i32, ptr @x
; CHECK-NEXT: call void @__norn_atomic32_store(ptr @flag, i32 1, i32 18,
; CHECK-NEXT: ret i32 %v
; CHECK: norn.body.checked:
; CHECK-NEXT: call void @__norn_read4(ptr @x
; CHECK-NEXT: load i32, ptr @x
; CHECK-NEXT: call void @__norn_atomic32_store(ptr @flag, i32 1, i32 2,
; CHECK: norn.ask:
; CHECK-NEXT: %[[ANSWER:.*]] = call preserve_allcc i32 @__norn_sample(i32 %[[NUMBER]])
; CHECK-NEXT: %[[YES:.*]] = icmp ne i32 %[[ANSWER]], 0
; CHECK-NEXT: br i1 %[[YES]], label %norn.body.checked, label %norn.on
define i32 @both() sanitize_thread {
  %v = load i32, ptr @x
  store atomic i32 1, ptr @flag release, align 4
  ret i32 %v
}

; What the library does for a function is looked at as its own code is: the site of the call says which copy made it.
; CHECK-LABEL: define void @calls(
; CHECK: norn.body:
; CHECK: store volatile ptr getelementptr (i8, ptr @{{.*}}, i64 {{.*}}2), ptr %norn.sp
; CHECK: call void @free(
; CHECK: norn.body.checked:
; CHECK: store volatile ptr @{{[^ ]*}}, ptr %norn.sp
; CHECK: call void @free(
declare void @free(ptr)
define void @calls(ptr %p) sanitize_thread {
  call void @free(ptr %p)
  ret void
}

; Volatile writes may be flags; nothing else is to be checked here, so there is one copy.
; CHECK-LABEL: define void @flag_only(
; CHECK-NEXT: call void @__norn_write4(ptr @flag
; CHECK-NEXT: store volatile i32 1, ptr @flag
; CHECK-NEXT: ret void
define void @flag_only() sanitize_thread {
  store volatile i32 1, ptr @flag
  ret void
}

; A short loop counts by itself in the unchecked copy; both copies leave it by where it was entered from, and the sum
; goes along.
; CHECK-LABEL: define i32 @short_loop(
; CHECK: loop.norn.again:
; CHECK: %[[FEWER:.*]] = sub i32 %norn.left, 1
; CHECK: icmp eq i32 %[[FEWER]], 0
; CHECK: loop:
; CHECK-DAG: %[[HOME:.*]] = phi i1 {{.*}}[ false, %loop.norn.enter ]
; CHECK-DAG: %norn.left = phi i32 {{.*}}[ 1024, %loop.norn.enter ]
; CHECK: done.norn.left:
; CHECK: br i1 %{{.*}}, label %done.checked, label %done
; CHECK: done.norn.left.checked:
; CHECK: br i1 %{{.*}}, label %done.checked, label %done
define i32 @short_loop(ptr %p, i32 %n) sanitize_thread {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %s = phi i32 [ 0, %0 ], [ %t, %loop ]
  %a = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %a
  %t = add i32 %s, %v
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  store i32 %t, ptr %p
  ret i32 %t
}

; In a nest the outer loop asks at the end of each iteration, the inner one in the checked copy only.
; CHECK-LABEL: define void @nest(
; CHECK-NOT: %norn.left
; CHECK: outer.norn.again:
; CHECK: load ptr, ptr @__norn_regions
; CHECK: inner.norn.again:
; CHECK-NEXT: br label %inner
; CHECK: outer.norn.again.checked:
; CHECK: load ptr, ptr @__norn_regions
; CHECK: inner.norn.again.checked:
; CHECK: load ptr, ptr @__norn_regions
define void @nest(ptr %p, i32 %n) sanitize_thread {
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i1, %next ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %k = add i32 %i, %j
  %a = getelementptr i32, ptr %p, i32 %k
  store i32 %k, ptr %a
  %j1 = add i32 %j, 1
  %c = icmp slt i32 %j1, %n
  br i1 %c, label %inner, label %next
next:
  %i1 = add i32 %i, 1
  %d = icmp slt i32 %i1, %n
  br i1 %d, label %outer, label %done
done:
  ret void
}

; Whose blocks have addresses is always checked.
; CHECK-LABEL: define void @jumps(
; CHECK-NOT: __norn_sample
; CHECK: call void @__norn_write4(ptr @x
define void @jumps(ptr %to) sanitize_thread {
  store i32 1, ptr @x
  indirectbr ptr %to, [label %a, label %b]
a:
  ret void
b:
  ret void
}
