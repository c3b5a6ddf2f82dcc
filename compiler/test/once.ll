; RUN: %instrument %s -o %t.ll
; RUN: %instrument %t.ll -o %t.again.ll
; RUN: diff <(grep -v ModuleID %t.ll) <(grep -v ModuleID %t.again.ll)
; A module is instrumented once.
target triple = "x86_64-pc-linux-gnu"
@x = global i32 0
define void @f() {
  store i32 1, ptr @x
  ret void
}
