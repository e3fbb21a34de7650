//! The order of the jobs of a queue: that of an index of the store, from either end.
//!
//! A page of jobs is a part of a list that may be long, so it is never sorted by itself. The store
//! has no index by kind, by attempts or by error, so these columns do not sort.

use super::super::sorting::{ColumnView, Order};
use crate::visit::{NavLink, Visit};
use queue_core::{Direction, State, Walk};
use queue_view::{JobFilter, JobListing};

/// The order that the address asks for, as the calls of `/v1` name it; none for jobs that have one
/// of their own.
pub(super) fn wanted(visit: &Visit, filter: &JobFilter) -> Option<Direction> {
    let is_oldest = visit.query.get("order") == Some("oldest");
    let direction = if is_oldest { Direction::OldestFirst } else { Direction::NewestFirst };
    (!filter.has_own_order()).then_some(direction)
}

/// The same jobs from the other end of their index; `None` if they have an order of their own.
pub(super) fn turned(visit: &Visit, listing: &JobListing) -> Option<NavLink> {
    if listing.filter().has_own_order() {
        return None;
    }
    let here = visit.query.without(&["after", "order", "did", "n", "not", "store"]);
    let oldest = Some(("order", "oldest")).filter(|_| listing.walk().is_reversed());
    let pairs: Vec<(&str, &str)> = here.into_iter().chain(oldest).collect();
    let label = if oldest.is_some() { "Oldest first" } else { "Newest first" };
    Some(NavLink { href: visit.link("jobs", &pairs), label: label.to_owned(), is_current: false })
}

/// The head of the column of times, which sorts where the index has the times that it shows.
pub(super) fn when(listing: &JobListing, turned: Option<&NavLink>) -> ColumnView {
    const BY_WHEN: [State; 3] = [State::Processing, State::Failed, State::Cancelled];
    let plain = ColumnView { label: "When", ..ColumnView::default() };
    match (listing.walk(), turned) {
        (Walk::State(state, direction), Some(turned)) if BY_WHEN.contains(state) => {
            let order = match direction {
                Direction::OldestFirst => Order::Ascending,
                Direction::NewestFirst => Order::Descending,
            };
            ColumnView { href: turned.href.clone(), order: order.aria(), ..plain }
        }
        _ => plain,
    }
}
