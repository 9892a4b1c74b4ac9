//! The threads of Polars.

use polars_core::runtime::RAYON;

use crate::ranking::tasks;

/// The threads that POLARS_MAX_THREADS allows: one pool for all expressions of the process.
pub struct Threads;

impl tasks::Pool for Threads {
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        RAYON.install(work)
    }
}
