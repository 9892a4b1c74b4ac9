//! Interrupts of long computations.
//!
//! A signal handler calls [`interrupt`]. Long loops [`check`] for it, and unwind. The unwinding ends where
//! the computation began: in [`during`], and in its caller that catches panics.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether the running computations are interrupted.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The number of running computations.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The payload of the unwinding after an interrupt.
#[derive(Debug)]
pub struct Interrupted;

/// Stops all running computations. It only sets a flag, so it is safe in a signal handler.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Unwinds after an interrupt. Otherwise it only reads a flag, which is cheap enough for inner loops.
#[inline]
pub fn check() {
    if INTERRUPTED.load(Ordering::Relaxed) {
        // Unlike a panic, this prints nothing.
        resume_unwind(Box::new(Interrupted));
    }
}

/// Runs a computation that can be interrupted. Interrupts from before, when no computation was running, are
/// cleared.
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
