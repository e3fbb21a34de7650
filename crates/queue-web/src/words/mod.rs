//! How the pages say what was done, how jobs stand, and what is stored.

mod document;
mod notices;
mod states;
mod stored_text;

pub(crate) use document::{Document, WrongField};
pub(crate) use notices::notice;
pub(crate) use states::{StateWord, batch_word, standing_word, state_word};
pub(crate) use stored_text::{lines, long, plain, text};
