//! The parts of the runtime that need no store, one behaviour per test, under paused time.

mod adapters;
mod group;
mod group_stop;
mod marking;
mod paced_loop;
mod pool;
mod processor;
mod processor_stop;
mod retry;
mod settings;
mod slow_items;
mod support;
mod worker_member;
