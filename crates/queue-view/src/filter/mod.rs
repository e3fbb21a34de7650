//! Which jobs of a queue are meant, and how a store finds them.

mod invalid_filter;
mod job_filter;
mod listing;
mod parts;
mod standing;
mod written;

pub use invalid_filter::InvalidFilter;
pub use job_filter::JobFilter;
pub use listing::JobListing;
pub use standing::{Standing, UnknownStanding};
