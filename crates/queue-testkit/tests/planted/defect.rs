//! The table of defects: what each does wrong, which invariants it violates, and which cases find
//! it.

use queue_testkit::Invariant;
use std::fmt;

/// The table of defects:
/// `Name "what the store does wrong" [invariants that this breaks] in "groups that find it";`
macro_rules! defects {
    ($($name:ident $does:literal [$($broken:ident)+] in $($group:literal)+;)+) => {
        /// Something that a store does wrong on purpose. The code checks for each by name at the
        /// place where it goes wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Defect {
            $($name),+
        }

        impl Defect {
            pub(crate) const ALL: &[Self] = &[$(Self::$name),+];

            /// The defect in words.
            const fn does(self) -> &'static str {
                match self {
                    $(Self::$name => $does),+
                }
            }

            /// The invariants that it violates. A case that finds it must cite one of these, or it
            /// found the defect by accident.
            pub(crate) const fn breaks(self) -> &'static [Invariant] {
                match self {
                    $(Self::$name => &[$(Invariant::$broken),+]),+
                }
            }

            /// The groups of cases that an ordinary test run tries on it.
            pub(crate) const fn groups(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$(concat!($group, "::")),+]),+
                }
            }
        }
    };
}

defects! {
    GroupCutAtDuplicate "a duplicate ends its group: what follows it is dropped" [I19] in "enqueue";
    CheckedWhileStored "sizes are checked job by job, while the jobs before are stored" [I17 I19] in "limits";
    CheckedThenInserted "the id is looked up, then inserted, without a lock between" [I9] in "concurrency";
    QueuesShareIds "an id that one queue holds is taken in all of them" [I9] in "lives" "ids";
    CancelledBlocksId "a cancelled record blocks its id" [I9] in "dedup";
    OverdueBlocksId "a record past its purge time blocks its id until it is pruned" [I9] in "dedup";
    SeqReused "a life gets the number after the highest that is present" [I5 I9] in "lives";
    ExpiredBlocksId "a job that was not started in time blocks its id until somebody ends it" [I1 I9] in "expiry";
    ExpiryForgotten "the time by which a job must start is not stored" [I2 I9] in "expiry";
    ExpiryStands "a job that has started, or was redriven, expires all the same" [I1] in "expiry";
    ContentTypeStands "a redrive leaves the content type as it was" [I2] in "redrive";
    TextPayloads "payloads are stored as text" [I2] in "binary";

    ClaimedTwice "claims read what is due, then lease it, without a lock between" [I3] in "concurrency";
    LapsedClaimed "a claim takes over a lapsed lease without charging the stall" [I3 I7 I23] in "claim" "stall";
    GivesOneMore "a claim gives one job more than asked for" [I17] in "claim";
    PriorityIgnored "claims go by time alone" [I12] in "priority";
    TiesReversed "jobs of one millisecond are claimed newest first" [I12] in "order";
    DelayIgnored "a delayed job can be claimed early" [I11] in "schedule";
    PauseIgnored "claims of a paused queue give jobs" [I1 I16] in "pause";
    PauseEndless "a pause with an end lasts until somebody resumes" [I15] in "pause";
    PauseUntold "a claim for no jobs says nothing of pauses" [I1] in "pause" "kind_pause";
    KindPauseIgnored "claims give jobs of a paused kind" [I1] in "kind_pause";
    KindPausesAll "a pause of a kind stops the whole queue" [I16] in "kind_pause";
    KindPauseOver "a pause of a kind that is over goes on until somebody resumes" [I15] in "kind_pause";
    KindsUnbounded "any number of kinds is paused" [I17] in "kind_pause";
    RoomIgnored "a claim brings what it was asked for, however large" [I17] in "bounds";
    LateClaimsLease "a claim leases although its sender has stopped to listen" [I3 I23] in "bounds";
    TokenOfFirst "claims sent together lease under the token of the first" [I4] in "together";
    LimitOfFirst "claims sent together are given as many jobs as the first asked for" [I17] in "together";
    LeaseOfFirst "claims sent together last as long as the first" [I3 I15] in "together";
    OneTurnForAll "a call waits for the one before it, though that one's runtime stands still" [I16] in "runtimes";
    GoneShareKept "what claims sent together lease for a caller that is gone stays leased" [I7 I22 I23] in "concurrency";
    HeldNotFound "what a claim holds is not found by its token" [I3 I23] in "bounds";
    EpochIgnored "a settle is taken under the token alone, whichever claim it was of" [I4] in "bounds";
    EpochStands "only the first claim of a life counts up the epoch" [I4] in "fencing" "claim";
    PausedNeverDue "`next_due` of a paused queue knows of lapsing leases alone" [I15] in "pause";
    LapsesNotDue "`next_due` knows of delayed jobs, not of lapsing leases" [I15] in "next_due";

    AnyToken "a settle is taken under any token" [I4] in "fencing";
    OutcomeOverwritten "the last holder's token can still change a terminal record" [I5 I6] in "replay";
    FlagsIgnored "a settle is written although the flags it was decided on have moved" [I10 I13] in "cancel";
    RevisionIgnored "cancel, redrive and delete are written whatever happened since the read" [I6 I10] in "cancel";
    LateHeartbeats "a heartbeat revives a lapsed lease" [I3 I4] in "lease" "extend";
    EarlyRescues "a rescue does not look whether the lease has lapsed" [I3 I7] in "stall";
    QuietHeartbeats "a heartbeat or a mark leaves the revision as it is" [I7 I10 I13] in "stall";
    ForgetsSettles "a settle sent again is answered as a lost lease" [I5] in "replay";
    ResultOfLast "a settle sent again with another result or error replaces the first" [I5 I13] in "replay";
    KeepOfLast "a settle sent again replaces how long the record is kept" [I5 I20] in "replay";
    FollowersRepeated "a settle sent again enqueues what follows it again" [I5] in "replay";
    FollowersOfSnoozesRepeated "a snooze sent again enqueues what follows it again" [I5 I9 I23] in "then";
    StaleFollowed "what follows is enqueued although the decision is stale" [I4 I9 I23] in "then";
    SnoozesUnfollowed "what follows a snooze is dropped" [I1 I9 I23] in "then";
    ReleasesUnfollowed "what follows a job that is given back is dropped" [I1 I9 I23] in "then";
    FailuresUnfollowed "what follows a failure is dropped" [I1 I8] in "then";
    ChangesUnfollowed "what follows a change of somebody who holds no lease is dropped" [I1 I9 I23] in "then";
    HeartbeatsFollowed "a heartbeat may be followed by jobs" [I17 I23] in "then";
    BatchStops "a batch ends at its first refused transition" [I19] in "batch";

    ChargedTwice "a failure is counted when it is settled and once more when it is stored" [I7] in "retry";
    OneStallMore "a job is given up one stall too late" [I7 I8] in "stall";
    DeadLetterLost "a job out of budget is removed, whatever its retention" [I1 I8] in "retry";
    CountersKept "a redrive keeps failures and stalls" [I7] in "retry";
    DetailsLost "the details of an error are not stored" [I13] in "results";

    ProgressDropped "a job that is given back half-way loses what its holder noted" [I2 I13] in "progress";
    ProgressCleared "a job that is given back without a note loses the note of before" [I13] in "progress";
    RescheduleIgnored "a rescheduled job stays due when it was" [I11] in "reschedule";
    FirstTimeForgotten "a life that takes the place of a waiting one is as old as itself" [I11] in "replace";
    MaxWaitIgnored "a job can be put off for ever by those that take its place" [I11] in "replace";
    RunningReplaced "a job that runs makes room like one that waits" [I3 I4 I9] in "replace";
    ReplacedStays "a waiting job that made room is given all the same" [I3 I9 I20] in "replace";
    ReplacedInTwoSteps "a job is replaced by a removal and an insertion, without a lock between" [I1 I9] in "concurrency";
    ReplacedQuietly "who waits for a job that made room never hears of it" [I14] in "replace";
    OnFailureForgotten "what shall follow a failure is not stored" [I1 I2] in "on_failure";
    RescuesUnmourned "a job that a stranger's rescue fails is followed by nothing" [I1 I8] in "on_failure";
    RetriesMourned "a failure that is retried is followed as if it were the last" [I9 I23] in "on_failure";
    MournedTwice "a failure sent again is followed again, under another id" [I5 I9 I23] in "on_failure";

    AmendedRoomOfFormer "a claim has room for an amended job as if it had its former payload" [I17] in "amend";
    AmendDropsHeaders "a new payload takes the headers of the job away" [I2] in "amend";

    NewerTermsForgotten "terms of a newer version of the library are not stored" [I2] in "terms";
    TermsOfFormerLife "a new life has the terms of the one that made room for it" [I2 I9] in "terms";
    AmendResetsTerms "an amendment of the retention takes the other terms away" [I2] in "terms";

    SecondResultLost "only the first result of a queue is stored" [I13] in "results";
    KeptForever "retention is ignored: terminal records stay" [I1 I13 I20] in "retention";
    OverdueShown "reads show records past their purge time" [I13 I20] in "retention";
    AgeIgnored "pruning by age takes every terminal record" [I20] in "prune";
    CountsDrift "counts go on counting what prune removed" [I20] in "prune";
    QueueSkipped "each page of queues but the first leaves out the queue it begins with" [I20] in "queues";
    QueuesInOrderOfLanguage "queues are listed in the order of a language, whatever their bytes" [I20] in "queues";
    QueueForgotten "a queue whose last record is gone is listed no more" [I20] in "queues";
    PauseOfAnother "the list shows every queue as paused while any is" [I1 I20] in "queues";
    ListedCountsDrift "the list of queues goes on counting what prune removed" [I20] in "queues";
    CursorSkips "each page of a listing leaves out the job after it" [I20] in "list";
    NewestBySeq "jobs of a state are listed by when they were enqueued, not by when they came into it" [I20] in "list";
    ScanCrossesQueues "a page looks at the jobs of every queue" [I20] in "list";
    CursorOfAnyListing "a cursor of another queue, index or filter is taken" [I20] in "list";
    EqualTimesSkipped "a page goes on behind the time at which the last one ended" [I20] in "list";
    TagByPrefix "a tag finds what begins with it" [I20] in "list";
    HeadersNotClaimed "a claim brings no headers" [I20] in "labels";
    TagsOfFollowed "what follows has the tags of the job before it" [I9] in "labels";
    TagsOfFormerLife "a new life has the tags of the one that made room for it" [I9 I20] in "labels";
    RequeueSignalled "a job that waits again sends its end signals" [I28] in "end_signals";
    LapseUnsignalled "a job that ends by a lapse sends no signals" [I28] in "end_signals";
    ExpiryUnsignalled "a job that expires sends no signals" [I28] in "end_signals";
    DeleteUnsignalled "a job that is deleted sends no signals" [I28] in "end_signals";
    SignalledAgain "a settle that is sent again sends the end signals again" [I5 I28] in "raises" "end_signals";
    StaleSignalled "a stale transition sends end signals" [I28] in "end_signals";
    RedriveSignalsAgain "a job that ends again after a redrive signals again" [I28] in "end_signals";
    DuplicateRaises "a duplicate raises the gate" [I28] in "raises";
    SignalsBeforeRaises "a job signals its end before its followers raise" [I29] in "raises";
    CompleteGateRaised "a complete gate is raised" [I29] in "raises";
    HolderRefused "a job whose gate is complete cannot wait for more" [I28 I29] in "suspend";
    OpenedBeforeRaises "a suspend looks at the gate before the followers raise it" [I28 I29] in "suspend";
    OrphanStored "a job whose target takes no raise is stored" [I19 I29] in "raises";
    SignallerReplaced "a record with end signals makes room" [I9 I28] in "end_signals";
    SignallerPurged "a record with end signals is purged after an hour" [I9 I28] in "end_signals";
    SignalToAnyLife "a signal is to whatever life has the id" [I28] in "end_signals";
    SignalBumpsRevision "each signal counts the revision of the gate's job up" [I28] in "end_signals";
    ReleaseCloses "a job that was given back waits behind its gate again" [I20 I29] in "gates";
    BackOffCutShort "a late signal ends the wait after a failure" [I11 I28] in "gates";
    UrgentUnheeded "an urgent signal opens nothing" [I29] in "gates";
    UrgentOfRunLost "an urgent signal that comes while the job runs is lost" [I29] in "suspend";
    SealUnlooked "a seal opens no gate that has all it needs" [I29] in "gates";
    GatedScheduled "jobs behind gates are counted as scheduled" [I20] in "gates";
    FarEndDue "the end of a wait without a time-out is a due time" [I29] in "gates";
    CountsOfGatesForgotten "a reopening forgets what gates have counted" [I21 I28] in "gates";
    AttemptsLostOnLapse "a lapse is charged, and leaves no attempt" [I7 I15] in "attempts";
    AttemptsOfAbsentSkipped "a read of the attempts of many jobs skips those that are absent" [I7] in "attempts_of_many";
    AttemptsUnbounded "every attempt is kept" [I7] in "attempts";
    AttemptAddedAgain "a failure sent again is one attempt more" [I5] in "attempts";
    AttemptsClearedByRedrive "a redrive forgets the attempts of the life" [I7] in "attempts";
    AttemptsOfFormerLife "a new life of an id has the attempts of the former one" [I9 I20] in "attempts";
    FailureTimeStands "a redrive leaves the time of the last failure" [I7] in "attempts" "retry";
    ClaimTimeOfFirst "a job tells when it was first claimed, not when it last was" [I7 I20] in "attempts" "list";
    IndexLeftBehind "a removed record leaves its id in the index" [I20] in "verify";
    SeriesAdded "an entry of a series that is written again is added to what was there" [I20] in "series";
    SeriesOfSlot "two writers of one slot of a series share an entry" [I20] in "series";
    SeriesPageBySlot "a page of a series begins at the slot behind the last one" [I20] in "series";
    SeriesShownAfterTime "an entry of a series is read until a later write removes it" [I20] in "series";
    SeriesKeepsFirstTime "an entry of a series that is written again expires when it first would have" [I20] in "series";

    HintsBeforeWrites "a settle is hinted at before it is written" [I13 I14] in "events";
    NoHints "subscribers never hear anything" [I14 I15] in "events";
    ResultsCutInHints "a result that comes with a hint is cut short" [I13 I14] in "events";
    HintsOutsideLock "hints are published once the lock of the commit is given up" [I20] in "concurrency";
    StreamsOutliveClose "closing a handle leaves its streams open" [I22] in "events";
    EverybodyWoken "every write wakes every sleeper, whatever it was about" [I16] in "events";
    StreamsRunOut "a stream keeps one of a hundred connections, even when it is dropped" [I14 I16] in "events";
    ClosesAll "closing one handle closes them all" [I22] in "handles";
    ClockTrusted "store time is the clock's, which may step back" [I24] in "schedule" "lease";
    TimeStandsStill "time stands still until the clock has caught up with what was told" [I24] in "time";
    FloorTooFast "time that is ahead goes on as fast as the clock" [I24] in "time";
    EmptyClaimLeavesMark "a claim that leases nothing never writes down the time" [I24] in "time";
    LeapNotDoubted "a handle goes along with its clock, however far that leaps" [I24] in "clock_bound";
    LeapRemembered "a call that is refused for its clock moves the time of the handle" [I24] in "clock_bound";
    LeapReadable "reads go by a clock that has leapt" [I24] in "clock_bound";
    LeapDoubtedForGood "a clock that stays ahead is never believed again" [I15 I24] in "clock_bound";
    TimeForgotten "the highest time seen is not kept across a reopen" [I24] in "reopen";
    LastWriteLost "the newest job is answered before it is durable" [I1 I21] in "reopen";
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.does())
    }
}
