//! Commands about workers: run one, list them, drain them, lead.

pub(crate) mod drain;
pub(crate) mod lead;
pub(crate) mod list;
pub(crate) mod work;
