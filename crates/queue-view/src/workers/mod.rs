//! The workers that are present in a store.

mod about_worker;
mod worker_view;

pub use about_worker::{AboutWorker, CurrentJob, LeftOutCounts, QueueWork};
pub use worker_view::{WorkerView, duty_word, is_library_worker, works_on};
