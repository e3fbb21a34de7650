//! The contract between the library and a store: the verbs, their requests and their answers.

mod answer_room;
mod answers;
mod capabilities;
mod claim;
mod claim_portion;
mod counts;
mod ext;
mod hint;
mod layer;
mod list;
mod lost_claim;
mod prune;
mod queues;
mod storage_trait;
mod traced_followers;
mod worker_info;

pub use answer_room::AnswerRoom;
pub use answers::{Applied, Enqueued, Stamped};
pub use capabilities::{Capabilities, Durability, EventReach, Reach};
pub use claim::{ClaimRequest, Claimed, ClaimedJob};
pub use claim_portion::ClaimPortion;
pub use counts::Counts;
pub use ext::{Changed, RE_DECIDES_MAX, StorageExt};
pub use hint::{EventStream, Hint, Interest, JobChange};
pub use layer::StorageLayer;
pub use list::{Cursor, Direction, ListFilter, ListQuery, Page, PageEnd, Walk};
pub use lost_claim::LostClaim;
pub use prune::{Prune, PruneRequest};
pub use queues::{QueueStatus, QueuesPage, QueuesQuery};
pub use storage_trait::{Detail, Storage};
pub use worker_info::{Duty, WorkerInfo};
