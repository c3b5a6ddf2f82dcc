; RUN: %instrument %s | FileCheck --check-prefix=USES %s
; RUN: sed s/pthread_cond_signal/other/ %s > %t.ll && %instrument %t.ll | FileCheck --check-prefix=NOT %s
; An object whose code calls what may be a condition variable's says so for its linked module.
target triple = "x86_64-pc-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare i32 @pthread_cond_signal(ptr)

; USES: @__norn_uses_conditions = linkonce_odr hidden constant i8 1, comdat
; NOT: @__norn_uses_conditions = extern_weak hidden constant i8
define i32 @signals(ptr %c) sanitize_thread {
  %error = call i32 @pthread_cond_signal(ptr %c)
  ret i32 %error
}
