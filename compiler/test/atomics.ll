; RUN: %instrument %s | FileCheck %s
; The runtime does atomic operations. Orders: relaxed 0, acquire 1, release 2, acq_rel 3, seq_cst 4.
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @loads_and_stores(
define void @loads_and_stores(ptr %p) {
; CHECK: call i8 @__norn_atomic8_load(ptr %p, i32 0, ptr @norn.site
  %a = load atomic i8, ptr %p monotonic, align 1
; CHECK: call i16 @__norn_atomic16_load(ptr %p, i32 1,
  %b = load atomic i16, ptr %p acquire, align 2
; CHECK: %[[BITS:.*]] = call i64 @__norn_atomic64_load(ptr %p, i32 4,
; CHECK: inttoptr i64 %[[BITS]] to ptr
  %c = load atomic ptr, ptr %p seq_cst, align 8
; CHECK: call void @__norn_atomic32_store(ptr %p, i32 1065353216, i32 2,
  store atomic float 1.0, ptr %p release, align 4
; CHECK: call void @__norn_atomic128_store(ptr %p, i128 1, i32 4,
  store atomic i128 1, ptr %p seq_cst, align 16
  ret void
}

; CHECK-LABEL: @updates(
define void @updates(ptr %p) {
; CHECK: call i32 @__norn_atomic32_exchange(ptr %p, i32 1, i32 4,
  %a = atomicrmw xchg ptr %p, i32 1 seq_cst
; CHECK: call i64 @__norn_atomic64_fetch_add(ptr %p, i64 1, i32 0,
  %b = atomicrmw add ptr %p, i64 1 monotonic
; CHECK: call i8 @__norn_atomic8_fetch_sub(
  %c = atomicrmw sub ptr %p, i8 1 acquire
; CHECK: call i16 @__norn_atomic16_fetch_and(
  %d = atomicrmw and ptr %p, i16 1 release
; CHECK: call i32 @__norn_atomic32_fetch_or(ptr %p, i32 1, i32 3,
  %e = atomicrmw or ptr %p, i32 1 acq_rel
; CHECK: call i32 @__norn_atomic32_fetch_xor(
  %f = atomicrmw xor ptr %p, i32 1 seq_cst
; CHECK: call i32 @__norn_atomic32_fetch_nand(
  %g = atomicrmw nand ptr %p, i32 1 seq_cst
  ret void
}

; CHECK-LABEL: @rare_updates(
define float @rare_updates(ptr %p) {
; CHECK: call i32 @__norn_atomic32_load(ptr %p, i32 0,
; CHECK: icmp sgt i32
; CHECK: call i32 @__norn_atomic32_compare_exchange(ptr %p, i32 %{{.*}}, i32 %{{.*}}, i32 4, i32 4,
; CHECK: br i1
  %a = atomicrmw max ptr %p, i32 1 seq_cst
; CHECK: call i32 @__norn_atomic32_load(ptr %p, i32 0,
; CHECK: fadd float
; CHECK: call i32 @__norn_atomic32_compare_exchange(ptr %p, i32 %{{.*}}, i32 %{{.*}}, i32 2, i32 0,
  %b = atomicrmw fadd ptr %p, float 1.0 release
  ret float %b
}

; CHECK-LABEL: @compare_exchange(
define i1 @compare_exchange(ptr %p, ptr %e, ptr %d) {
; CHECK: %[[E:.*]] = ptrtoint ptr %e to i64
; CHECK: %[[D:.*]] = ptrtoint ptr %d to i64
; CHECK: %[[OLD:.*]] = call i64 @__norn_atomic64_compare_exchange(ptr %p, i64 %[[E]], i64 %[[D]], i32 3, i32 1,
; CHECK: icmp eq i64 %[[OLD]], %[[E]]
  %r = cmpxchg weak ptr %p, ptr %e, ptr %d acq_rel acquire
  %s = extractvalue { ptr, i1 } %r, 1
  ret i1 %s
}

; CHECK-LABEL: @fences(
define void @fences() {
; CHECK: call void @__norn_fence(i32 1, i32 0,
  fence acquire
; CHECK: call void @__norn_fence(i32 4, i32 1,
  fence syncscope("singlethread") seq_cst
  ret void
}

; CHECK: declare zeroext i8 @__norn_atomic8_fetch_sub(ptr, i8 zeroext, i32, ptr)
