// Two threads add to a counter. Compiled for ThreadSanitizer by rustc.
use std::thread;

static mut COUNTER: u32 = 0;

#[inline(never)]
fn add() {
    for _ in 0..100 {
        unsafe { COUNTER += 1 } // RACE
    }
}

#[no_mangle]
pub extern "C" fn rust_main() {
    let one = thread::spawn(add);
    let two = thread::spawn(add);
    one.join().unwrap();
    two.join().unwrap();
}
