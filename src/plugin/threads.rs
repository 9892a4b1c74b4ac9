//! The threads of Polars.

use polars_core::runtime::RAYON;

use crate::ranking::tasks;

/// The thread pool of all expressions of the process, limited by POLARS_MAX_THREADS.
pub struct Threads;

impl tasks::Pool for Threads {
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (mut work, mut result) = (Some(work), None);
        // Through a pointer, to limit monomorphisation.
        let run: &mut (dyn FnMut() + Send) = &mut || result = work.take().map(|work| work());
        RAYON.install(run);
        result.unwrap_or_else(|| unreachable!("the work has run"))
    }
}
