//! Numbers, times and stored text as people read them. The word of a state is [`Standing::as_str`].
//!
//! [`Standing::as_str`]: crate::Standing::as_str

mod escape;
mod numbers;
mod times;

pub use escape::{escaped, escaped_json, escaped_lines};
pub use numbers::{number, plural, share, size};
pub use times::{Moment, age, date, length, millis, moment};
