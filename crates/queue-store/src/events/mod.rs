//! Hints to the subscribers of one process, and what is collected of them until a commit.

mod hub;
#[cfg(test)]
mod hub_tests;
mod news;
mod notices;

pub use hub::Hub;
pub use news::News;
pub use notices::{NoticeLevel, Notices};
