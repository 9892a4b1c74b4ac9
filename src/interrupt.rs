//! Interrupts: how a user stops a long computation.
//!
//! Whoever hears of an interrupt sets [`flag`]. Long loops [`check`] it, and unwind when it is set. The unwinding ends
//! where the computation began, in [`during`] and what catches panics around it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

static FLAG: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Computations that run now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// What a computation that was interrupted unwinds with.
#[derive(Debug)]
pub struct Interrupted;

/// The flag that stops all computations that run now.
pub fn flag() -> Arc<AtomicBool> {
    FLAG.clone()
}

/// Unwinds if the user has interrupted. Otherwise it only reads the flag, so inner loops can afford it.
#[inline]
pub fn check() {
    if FLAG.load(Ordering::Relaxed) {
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
        FLAG.store(false, Ordering::Relaxed);
    }
    let _running = Running;
    work()
}
