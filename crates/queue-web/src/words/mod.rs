//! How the pages say what was done, and how jobs stand.

mod notices;
mod states;

pub(crate) use notices::notice;
pub(crate) use states::{StateWord, standing_word, state_word};
