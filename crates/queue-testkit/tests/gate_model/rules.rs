//! The broken variants of the protocol, and the properties that they break.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    SignalsOnRequeue,
    SilentLapse,
    SilentExpiry,
    SilentDelete,
    ReplaySignals,
    StaleDecisionSignals,
    RedriveSignalsAgain,
    DuplicateRaises,
    SignalsBeforeRaises,
    PartialFoldOpens,
    PartialFoldLosesUrgent,
    FoldBesideOpenRaise,
    LockedFoldTakesSlips,
    SealLeavesNoSlip,
    SealOpensByTheRow,
    SuspendLeavesNoSlip,
    CompleteGateRaised,
    RaiseJudgedByTheRow,
    HoldersRaiseRefused,
    EndedMemberReplaced,
    OrphanStored,
    ReleaseCloses,
    LateSignalEndsBackOff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// The gate opened by completeness before an accepted member had ended, or unsealed.
    NeverEarly,
    /// All have ended, the gate is sealed, no transaction is open, and no fold opens it.
    NeverStuck,
    /// Signals in the row and in slips are the first ends of accepted members, by outcome.
    EachEndCountsOnce,
    /// Needs in the row and in slips are the accepted members.
    EachMemberRaisesOnce,
    /// A complete gate takes raises from its holder alone.
    NeverRaisedWhenComplete,
    /// What opened by completeness is raised by its holder alone.
    NeverRaisedAfterItOpened,
    NoBackOffCutShort,
    NoUrgentSignalLost,
    OrphansLeaveNothing,
    HoldersMayRaise,
}
