//! Why a call was refused, where clients act on more than the kind.

use super::ProblemKind;
use axum::http::StatusCode;
use queue::batches::BatchError;
use queue_core::Error;
use serde::Serialize;

/// Why a call was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProblemReason {
    OtherKey,
    /// A batch of this name was opened in another way.
    BatchExists,
    /// The id of the batch's own job is taken.
    NameTaken,
    /// There is no such batch.
    NoBatch,
    /// The batch has ended.
    BatchEnded,
    /// The batch takes members from its members alone.
    BatchSealed,
}

/// What a batch refuses is no fault of the request as such: the batch stands in its way.
pub(super) fn refused_by_batch(error: &Error) -> Option<(ProblemKind, StatusCode, ProblemReason)> {
    let refused = std::error::Error::source(error)?.downcast_ref::<BatchError>()?;
    let in_the_way = |reason| (ProblemKind::Invalid, StatusCode::CONFLICT, reason);
    Some(match refused {
        BatchError::NoBatch { .. } => (ProblemKind::NotFound, StatusCode::NOT_FOUND, ProblemReason::NoBatch),
        BatchError::Exists { .. } => in_the_way(ProblemReason::BatchExists),
        BatchError::Ended { .. } => in_the_way(ProblemReason::BatchEnded),
        BatchError::Sealed { .. } => in_the_way(ProblemReason::BatchSealed),
        _ => in_the_way(ProblemReason::NameTaken),
    })
}
