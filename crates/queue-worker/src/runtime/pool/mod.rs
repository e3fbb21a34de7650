//! A bounded number of jobs at once, for work that comes from the program itself.

mod job_handle;
mod pool_run;

pub use job_handle::{JobHandle, NotDone};
pub use pool_run::{Pool, PoolClosed};
