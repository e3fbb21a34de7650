//! The defects, each with an invariant that it breaks.

use queue_testkit::Invariant;

/// A defect of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    LosesJobs,
    SwapsPayloads,
    LeasesTwice,
    HonoursZombies,
    ForgetsSettles,
    ReopensEnded,
    ChargesReleases,
    NeverGivesUp,
    AcceptsDuplicates,
    IgnoresCancels,
    StartsEarly,
    ReversesOrder,
    MixesResults,
    HidesJobs,
    GivesTooMany,
    SplitsGroups,
    Miscounts,
    ForgetsOnReopen,
    RepeatsStarts,
    TurnsBackTime,
    RepeatsFollowers,
    ReplacesRunning,
    LosesSignals,
    CountsTwice,
    OpensEarly,
    IgnoresUrgency,
    IgnoresLimits,
    IgnoresLimitedMax,
}

impl Bug {
    /// Every defect, and an invariant that it breaks.
    pub(crate) const ALL: &[(Self, Invariant)] = &[
        (Self::LosesJobs, Invariant::I1),
        (Self::SwapsPayloads, Invariant::I2),
        (Self::LeasesTwice, Invariant::I3),
        (Self::HonoursZombies, Invariant::I4),
        (Self::ForgetsSettles, Invariant::I5),
        (Self::ReopensEnded, Invariant::I6),
        (Self::ChargesReleases, Invariant::I7),
        (Self::NeverGivesUp, Invariant::I8),
        (Self::AcceptsDuplicates, Invariant::I9),
        (Self::IgnoresCancels, Invariant::I10),
        (Self::StartsEarly, Invariant::I11),
        (Self::ReversesOrder, Invariant::I12),
        (Self::MixesResults, Invariant::I13),
        (Self::HidesJobs, Invariant::I15),
        (Self::GivesTooMany, Invariant::I17),
        (Self::SplitsGroups, Invariant::I19),
        (Self::Miscounts, Invariant::I20),
        (Self::ForgetsOnReopen, Invariant::I21),
        (Self::RepeatsStarts, Invariant::I23),
        (Self::TurnsBackTime, Invariant::I24),
        (Self::RepeatsFollowers, Invariant::I5),
        (Self::ReplacesRunning, Invariant::I9),
        (Self::LosesSignals, Invariant::I28),
        (Self::CountsTwice, Invariant::I28),
        (Self::OpensEarly, Invariant::I29),
        (Self::IgnoresUrgency, Invariant::I29),
        (Self::IgnoresLimits, Invariant::I25),
        (Self::IgnoresLimitedMax, Invariant::I25),
    ];
}
