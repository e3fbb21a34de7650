//! What can go wrong with a call or a hint.

use crate::fault::Gate;
use std::time::Duration;

/// What goes wrong with one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The call is not sent, and the error says so: a refused connection.
    Refuse,
    /// The call is not sent, but the caller cannot know: a time-out on the way there.
    LoseRequest,
    /// The call takes effect, but the caller cannot know: a time-out on the way back.
    LoseReply,
    /// The call is sent after this long, on Tokio's clock, so that paused time works.
    Delay(Duration),
    /// The call is sent once the test opens the gate.
    HoldUntil(Gate),
    /// The call is sent twice in a row, and the first answer is returned: a repeated packet.
    Duplicate,
}

/// What goes wrong with one hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HintFault {
    /// The hint never arrives.
    Drop,
    /// The hint arrives twice.
    Repeat,
    /// The hint arrives after the next one, which may be never.
    Reorder,
}

/// The kinds of faults, as [`Tally`](super::FaultCounts) counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// [`Fault::Refuse`].
    Refuse,
    /// [`Fault::LoseRequest`].
    LoseRequest,
    /// [`Fault::LoseReply`].
    LoseReply,
    /// [`Fault::Delay`] and [`Fault::HoldUntil`].
    Delay,
    /// [`Fault::Duplicate`].
    Duplicate,
    /// [`HintFault::Drop`].
    DropHint,
    /// [`HintFault::Repeat`].
    RepeatHint,
    /// [`HintFault::Reorder`].
    ReorderHint,
}

impl Fault {
    /// The kind under which this fault is counted.
    pub const fn kind(&self) -> FaultKind {
        match self {
            Self::Refuse => FaultKind::Refuse,
            Self::LoseRequest => FaultKind::LoseRequest,
            Self::LoseReply => FaultKind::LoseReply,
            Self::Delay(_) | Self::HoldUntil(_) => FaultKind::Delay,
            Self::Duplicate => FaultKind::Duplicate,
        }
    }
}

impl HintFault {
    /// The kind under which this fault is counted.
    pub const fn kind(self) -> FaultKind {
        match self {
            Self::Drop => FaultKind::DropHint,
            Self::Repeat => FaultKind::RepeatHint,
            Self::Reorder => FaultKind::ReorderHint,
        }
    }
}
