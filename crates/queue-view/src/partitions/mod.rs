//! Partitions and limits, as every face shows them.

mod limits;
mod listing;
mod partition_view;

pub use limits::{LimitView, LimitsView, scope_word};
pub use listing::{
    PARTITIONS_LOOKED_AT_MAX, PartitionOrder, Partitions, PartitionsToRead, UnknownPartitionOrder,
};
pub use partition_view::PartitionView;
pub(crate) use partition_view::leases_words;
