//! Interrupts: how a user stops a long computation.
//!
//! Whoever hears of an interrupt calls [`interrupt`]. Long loops [`check`], and unwind if there was one. The unwinding ends
//! where the computation began, in [`during`] and what catches panics around it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether the user has interrupted what runs now.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Computations that run now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// What a computation that was interrupted unwinds with.
#[derive(Debug)]
pub struct Interrupted;

/// Stops all computations that run now. It only sets a flag, so a handler of signals can call it.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Unwinds if the user has interrupted. Otherwise it only reads a flag, so inner loops can afford it.
#[inline]
pub fn check() {
    if INTERRUPTED.load(Ordering::Relaxed) {
        // No panic: nothing is printed.
        resume_unwind(Box::new(Interrupted));
    }
}

/// Runs a computation that interrupts stop. An interrupt from before, when nothing ran, is over.
pub fn during<T>(work: impl FnOnce() -> T) -> T {
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            RUNNING.fetch_sub(1, Ordering::AcqRel);
        }
    }
    if RUNNING.fetch_add(1, Ordering::AcqRel) == 0 {
        INTERRUPTED.store(false, Ordering::Relaxed);
    }
    let _running = Running;
    work()
}
