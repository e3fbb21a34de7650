//! What can go wrong with a call or a hint.

use crate::fault::Gate;
use std::time::Duration;

/// What goes wrong with one call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// It is not sent, and the error says so: a refused connection.
    Refuse,
    /// It is not sent, but nobody can know: a time-out on the way there.
    LoseRequest,
    /// It takes effect, but nobody can know: a time-out on the way back.
    LoseReply,
    /// It is sent after this long, on tokio's clock, so that paused time works.
    Delay(Duration),
    /// It is sent once the test opens the gate.
    HoldUntil(Gate),
    /// It is sent twice in a row, and the first answer is given: a packet that was repeated.
    Duplicate,
}

/// What goes wrong with one hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HintFault {
    /// It never arrives.
    Drop,
    /// It arrives twice.
    Repeat,
    /// It arrives after the next one, which may be never.
    Reorder,
}

/// The kinds of faults, as they are counted.
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
    /// How it is counted.
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
    /// How it is counted.
    pub const fn kind(self) -> FaultKind {
        match self {
            Self::Drop => FaultKind::DropHint,
            Self::Repeat => FaultKind::RepeatHint,
            Self::Reorder => FaultKind::ReorderHint,
        }
    }
}
