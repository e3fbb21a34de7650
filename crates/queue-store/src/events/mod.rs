//! Hints to the subscribers of one process, and what is collected of them until a commit.

mod hint_stream;
mod hub;
#[cfg(test)]
mod hub_tests;
mod news;
mod notices;

pub use hint_stream::HintStream;
pub use hub::Hub;
pub use news::News;
pub use notices::{NoticeLevel, Notices};
