//! Listings: which index of a queue a page goes along, what of it is shown, and where the next page
//! goes on.

mod cursor;
mod filter;
mod page;
mod query;
mod walk;

pub use cursor::{Cursor, PageEnd};
pub use filter::ListFilter;
pub use page::Page;
pub use query::ListQuery;
pub use walk::{Direction, Walk};
