; The production profile: probes that sleep before accesses, questions around what orders, nothing else.
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=production -norn-probes=all -passes=norn,verify -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=production -passes=norn,verify -S %s | FileCheck --check-prefix=NONE %s
; RUN: echo 1234 > %t && opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=production -norn-probes=%t -passes=norn,verify -S %s | FileCheck --check-prefix=NONE %s
; RUN: not opt -load-pass-plugin=%plugin -load=%plugin -norn-profile=production -norn-probes=%t.gone -passes=norn -S %s 2>&1 | FileCheck --check-prefix=GONE %s
; GONE: norn: list of probes {{.*}}gone
target triple = "x86_64-unknown-linux-gnu"

@x = global i32 0
@flag = global i32 0

; CHECK: @__norn_following = external {{.*}}global i8
; CHECK: @norn.probes = private externally_initialized global [1 x { i64, i32, i8, i8, i16 }] [{ i64, i32, i8, i8, i16 } { i64 {{-?[0-9]+}}, i32 4, i8 0, i8 0, i16 0 }], section "norn_probes", align 8
; CHECK: @norn.probes.{{[0-9]+}} = private externally_initialized global [2 x { i64, i32, i8, i8, i16 }] [{ i64, i32, i8, i8, i16 } { i64 0, i32 0, i8 4, i8 0, i16 0 }, { i64, i32, i8, i8, i16 } { i64 {{-?[0-9]+}}, i32 4, i8 1, i8 0, i16 1 }], section "norn_probes", align 8
; CHECK-NOT: norn_sites
; CHECK-NOT: norn_loops
; NONE-NOT: section "norn_probes"

; An access is looked at before it is made; other code stays as it is.
; CHECK-LABEL: define i32 @reads(
; CHECK-NEXT: %[[ACTIVE:.*]] = load i8, ptr getelementptr inbounds (i8, ptr @norn.probes, i64 13)
; CHECK-NEXT: %[[YES:.*]] = icmp ne i8 %[[ACTIVE]], 0
; CHECK-NEXT: br i1 %[[YES]], label %[[ASK:.*]], label %[[ON:.*]], !prof
; CHECK: [[ASK]]:
; CHECK-NEXT: call preserve_mostcc void @__norn_probe(ptr @x, ptr @norn.probes)
; CHECK: [[ON]]:
; CHECK-NEXT: %v = load i32, ptr @x
; CHECK-NEXT: ret i32 %v
; NONE-LABEL: define i32 @reads(
; NONE-NEXT: %v = load i32, ptr @x
define i32 @reads() sanitize_thread {
  %v = load i32, ptr @x
  ret i32 %v
}

; What orders threads is followed with and without probes: before it releases, after it acquired.
; NONE-LABEL: define i32 @orders(
; NONE: load i8, ptr @__norn_following
; NONE: call preserve_mostcc void @__norn_probe_release(ptr @flag, i32 2)
; NONE: store atomic i32 1, ptr @flag release
; NONE: load atomic i32, ptr @flag acquire
; NONE: load i8, ptr @__norn_following
; NONE: call preserve_mostcc void @__norn_probe_acquire(ptr @flag, i32 1)
; NONE: call preserve_mostcc void @__norn_probe_fence(i32 4)
; NONE: fence seq_cst
define i32 @orders() sanitize_thread {
  store atomic i32 1, ptr @flag release, align 4
  %v = load atomic i32, ptr @flag acquire, align 4
  fence seq_cst
  ret i32 %v
}

; What a loop waits for has no probe; who leaves the loop comes after all.
; CHECK-LABEL: define void @waits(
; CHECK: test:
; CHECK-NEXT: %v = load volatile i32, ptr @x
; CHECK: call preserve_mostcc void @__norn_probe_waited()
define void @waits() sanitize_thread {
  br label %test
test:
  %v = load volatile i32, ptr @x
  %again = icmp eq i32 %v, 0
  br i1 %again, label %test, label %left
left:
  ret void
}

; A length that nobody knows before is said when it is.
; CHECK-LABEL: define void @fills(
; CHECK: call preserve_mostcc void @__norn_probe_range(ptr %to, ptr @norn.probes{{.*}}, i64 %size)
; CHECK: call void @llvm.memset
define void @fills(ptr %to, i64 %size) sanitize_thread {
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %size, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; A loop that calls nothing stands twice: its probes are asked only where one of them is active when it is entered.
; CHECK-LABEL: define void @zeros(
; CHECK: load i8, ptr getelementptr inbounds (i8, ptr @norn.probes{{.*}}, i64 13)
; CHECK: br i1 %{{.*}}, label %[[PROBED:.*]], label %[[PLAIN:.*]], !prof
; CHECK: [[PLAIN]]:
; CHECK: .plain:
; CHECK-NOT: norn.probes
; CHECK: store i32 0
; CHECK-NOT: norn.probes
; CHECK: [[PROBED]]:
; CHECK: load i8, ptr getelementptr inbounds (i8, ptr @norn.probes{{.*}}, i64 29)
; CHECK: store i32 0
define void @zeros(ptr %to, i64 %count) sanitize_thread {
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %more, %next ]
  %at = getelementptr i32, ptr %to, i64 %i
  store i32 0, ptr %at
  %more = add i64 %i, 1
  %again = icmp ult i64 %more, %count
  br i1 %again, label %next, label %left
left:
  ret void
}

; CHECK: call void @__norn_probe_module_init(ptr @__norn_probe_module, i32 0)
