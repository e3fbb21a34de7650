//! Listings: the index of a queue that a page walks, the filter of the jobs to show, and the cursor
//! of the next page.

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
