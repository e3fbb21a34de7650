//! Which commands change something: a failure to write the answer of one means something else than
//! that of a command that only reads.

use crate::args::Command;

/// What a command has done before it writes its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing that matters: it may be run again.
    #[default]
    None,
    /// It has made a change, which a second run would make again.
    Change,
}

impl Effect {
    pub(crate) fn change_if(is_change: bool) -> Self {
        if is_change { Self::Change } else { Self::None }
    }
}

impl Command {
    /// Names every command, so that a new one does not compile before it is here.
    pub(crate) fn effect(&self) -> Effect {
        match self {
            Self::Enqueue(_)
            | Self::Cancel(_)
            | Self::Drain(_)
            | Self::Promote(_)
            | Self::Redrive(_)
            | Self::Amend(_)
            | Self::Delete(_)
            | Self::Bulk(_)
            | Self::Prune(_)
            | Self::Pause(_)
            | Self::Resume(_)
            | Self::Man(_) => Effect::Change,
            Self::Schedule(args) => args.effect(),
            Self::Batch(args) => args.effect(),
            Self::Limits(args) => args.effect(),
            Self::Token(args) => args.effect(),
            Self::Copy(args) => args.effect(),
            Self::Fsck(args) => args.effect(),
            Self::Migrate(args) => args.effect(),
            Self::Work(_)
            | Self::Lead(_)
            | Self::Status(_)
            | Self::Show(_)
            | Self::Result(_)
            | Self::Wait(_)
            | Self::List(_)
            | Self::Stats(_)
            | Self::Queues(_)
            | Self::Partitions(_)
            | Self::Workers(_)
            | Self::Errors(_)
            | Self::Events(_)
            | Self::Operations(_)
            | Self::Serve(_)
            | Self::Verify
            | Self::Doctor(_)
            | Self::Dump(_)
            | Self::Completions(_) => Effect::None,
            #[cfg(feature = "top")]
            Self::Top(_) => Effect::None,
        }
    }
}
