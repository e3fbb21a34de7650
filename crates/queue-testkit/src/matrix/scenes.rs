//! The scenes: each state by each path that leads to it, through the verbs of the store.

use super::{
    deed::{
        EXPIRE, Over, PARK,
        Signal::{Plain, Urgent},
        expire_held, extend_with_progress, fail_with_details, interrupt, redrive_as_another_type,
        snooze_with_progress, suspend,
    },
    scene::scenes,
};
use crate::{
    Invariant::{I1, I2, I3, I4, I5, I6, I7, I8, I9, I10, I11, I13, I25, I28, I29},
    bench::prelude::*,
};
use queue_core::{
    LeaseToken, Retention, Span,
    lifecycle::{Cause, Event, OnProcessing},
};

const CANCEL: Event = Event::Cancel { processing: OnProcessing::Request };

scenes! { CASES Plain []
    queued [I1 I9 I11] = [];
    scheduled [I1 I11] = [Later];
    released [I5 I11] = [Claim Hold(release)];
    interrupted [I5 I11] = [Claim Hold(interrupt)];
    snoozed [I5 I11] = [Claim Hold(snooze)];
    snoozed_with_progress [I5 I11 I13] = [Claim Hold(snooze_with_progress)];
    rescheduled [I1 I11] = [Later Change(Event::Reschedule { delay: LEASE })];
    parked [I1 I11] = [Change(PARK)];
    redriven [I6 I7] = [Claim Hold(terminally) Change(Event::Redrive { content_type: None })];
    redriven_from_cancelled [I6 I10] = [Change(CANCEL) Change(Event::Redrive { content_type: None })];
    redriven_as_another_type [I2 I6] = [Claim Hold(terminally) Change(redrive_as_another_type())];
    redriven_after_its_expiry [I6 I9] =
        [Change(EXPIRE) Pass(RETRY) Change(Event::Redrive { content_type: None })];
    failing [I5 I7 I11] = [Claim Hold(fail_with_details)];
    failing_after_a_stall [I7 I11] = [Claim Stall];
    failing_after_two_stalls [I7 I11] = [Claim Stall Claim Stall];
    failing_and_released [I5 I7] = [Claim Hold(fail) Pass(RETRY) Claim Hold(release)];
    failing_and_snoozed [I5 I7 I11] = [Claim Hold(fail) Pass(RETRY) Claim Hold(snooze)];
    failing_and_promoted [I7 I11] = [Claim Hold(fail) Change(Event::Promote)];
    failing_and_rescheduled [I7 I11] = [Claim Hold(fail) Change(Event::Reschedule { delay: LEASE })];
    processing [I3 I4 I5] = [Claim];
    processing_after_a_release [I3 I4 I5] = [Claim Hold(release) Claim];
    processing_after_a_failure [I4 I7] = [Claim Hold(fail_with_details) Pass(RETRY) Claim];
    processing_after_a_stall [I3 I4 I7] = [Claim Stall Claim];
    processing_for_the_last_attempt [I7 I8] =
        [Claim Hold(fail) Pass(RETRY) Claim Hold(fail) Pass(RETRY) Claim];
    processing_for_the_last_stall [I7 I8] = [Claim Stall Claim Stall Pass(STALL) Claim];
    processing_and_extended [I3 I4] = [Claim Pass(MILLI) Hold(extend_with_progress)];
    processing_after_a_redrive [I4 I6] = [Claim Hold(terminally) Change(Event::Redrive { content_type: None }) Claim];
    completed [I5 I6 I13] = [Claim Hold(complete)];
    completed_after_a_failure [I5 I6 I13] = [Claim Hold(fail_with_details) Pass(RETRY) Claim Hold(complete)];
    completed_and_retained [I5 I6 I13] = [Claim Hold(complete) Change(Event::SetRetention(SHORT))];
    completed_past_its_lapse [I5 I13] = [Claim Pass(LEASE) Hold(complete)];
    failed_for_good [I5 I6 I8] = [Claim Hold(terminally)];
    failed_and_exhausted [I6 I7 I8] =
        [Claim Hold(fail) Pass(RETRY) Claim Hold(fail) Pass(RETRY) Claim Hold(fail_with_details)];
    failed_by_stalls [I6 I7 I8] = [Claim Stall Claim Stall Pass(STALL) Claim Stall];
    failed_for_an_unknown_kind [I6 I8] = [Claim Hold(unknown_kind)];
    failed_for_an_undecodable_payload [I6 I8] = [Claim Hold(undecodable)];
    failed_and_kept_for_ever [I6 I8] = [Claim Hold(terminally) Change(Event::SetRetention(Retention::Forever))];
    cancelled_while_queued [I6 I10] = [Change(CANCEL)];
    cancelled_while_failing [I6 I10] = [Claim Hold(fail_with_details) Change(CANCEL)];
    cancelled_at_a_failure [I6 I10] = [Claim Change(CANCEL) Hold(fail_with_details)];
    cancelled_at_a_release [I6 I10] = [Claim Change(CANCEL) Hold(release)];
    cancelled_at_a_lapse [I6 I10] = [Claim Change(CANCEL) Stall];
    expired [I6 I9] = [Pass(RETRY) Change(EXPIRE)];
    expired_in_hand [I4 I5 I6] = [Claim Pass(RETRY) Hold(expire_held)];
    purged [I1 I13] = [Claim Hold(complete) Pass(KEPT)];
    deleted [I1 I4] = [Claim Hold(release) Change(Event::Delete)];
    removed_at_its_end [I1 I5] = [Claim Hold(terminally) Change(Event::SetRetention(Retention::Remove))];
    anew_after_a_cancel [I4 I9 I10] = [Claim Hold(release) Change(CANCEL) Again(Over::Block)];
    anew_after_an_expiry [I1 I9] = [Pass(RETRY) Again(Over::Block)];
    anew_after_an_expiry_and_processing [I3 I9] = [Claim Hold(release) Pass(RETRY) Again(Over::Block) Claim];
    anew_after_a_failure [I4 I5 I9] = [Claim Hold(terminally) Again(Over::Failed)];
    anew_after_a_delete [I4 I9] = [Claim Hold(complete) Change(Event::Delete) Again(Over::Block)];
    anew_after_a_purge [I4 I9 I13] = [Claim Hold(complete) Pass(KEPT) Again(Over::Block)];
    anew_over_a_waiting_one [I2 I9] = [Claim Hold(release) Pass(MILLI) Again(Over::Waiting)];
    anew_over_a_scheduled_one [I9 I11] = [Later Pass(MILLI) Again(Over::WaitingWithin)];
    anew_over_a_failing_one [I7 I9] = [Claim Hold(fail_with_details) Pass(MILLI) Again(Over::WaitingWithin)];
    anew_over_a_waiting_one_and_processing [I3 I4 I9] =
        [Claim Hold(snooze_with_progress) Again(Over::Waiting) Claim];
    anew_and_processing [I3 I4 I9] = [Claim Hold(terminally) Again(Over::Failed) Claim];
    anew_and_completed [I4 I5 I13] =
        [Claim Hold(terminally) Again(Over::Failed) Claim Hold(complete)];
}

scenes! { GATE_CASES OfGates [crate::cases::Need::Gates]
    gated [I29 I11] = [];
    gated_and_counting [I28 I29] = [Signal(Plain)];
    gated_and_rescheduled [I29 I11] = [Change(Event::Reschedule { delay: LEASE })];
    opened_by_signals [I28 I29] = [Signal(Plain) Signal(Plain)];
    opened_by_an_urgent_signal [I28 I29] = [Signal(Urgent)];
    opened_by_a_promote [I29] = [Change(Event::Promote)];
    opened_and_processing [I28 I3] = [Change(Event::Promote) Claim];
    opened_and_released [I29 I5] = [Change(Event::Promote) Claim Hold(release)];
    opened_and_failing [I29 I7] = [Change(Event::Promote) Claim Hold(fail)];
    opened_and_completed [I28 I6] = [Change(Event::Promote) Claim Hold(complete)];
    signalled_while_processing [I28 I29] =
        [Change(Event::Promote) Claim Signal(Plain) Signal(Urgent)];
    sealed [I29] = [Change(Event::Seal)];
    suspended [I29 I5] = [Change(Event::Promote) Claim Hold(suspend)];
    suspended_and_opened [I28 I29] =
        [Change(Event::Promote) Claim Hold(suspend) Signal(Plain) Signal(Plain)];
    gated_and_cancelled [I28 I10] = [Change(CANCEL)];
    gated_and_redriven [I28 I29 I6] = [Change(CANCEL) Change(Event::Redrive { content_type: None })];
}

scenes! { PARTITION_CASES OfPartitions [crate::cases::Need::Partitions]
    in_a_partition [I25 I11] = [];
    in_a_partition_and_scheduled [I25 I11] = [Later];
    in_a_partition_and_released [I25 I5] = [Claim Hold(release)];
    in_a_partition_and_parked [I25 I11] = [Change(PARK)];
    in_a_partition_and_redriven [I25 I6] = [Claim Hold(terminally) Change(Event::Redrive { content_type: None })];
    in_a_partition_and_failing [I25 I7] = [Claim Hold(fail_with_details)];
    in_a_partition_and_processing [I25 I4] = [Claim];
    in_a_partition_and_processing_after_a_stall [I25 I7] = [Claim Stall Claim];
    in_a_partition_and_completed [I25 I6] = [Claim Hold(complete)];
    in_a_partition_and_failed_for_good [I25 I6] = [Claim Hold(terminally)];
    in_a_partition_and_cancelled_at_a_lapse [I25 I10] = [Claim Change(CANCEL) Stall];
    in_a_partition_and_deleted [I25 I4] = [Claim Hold(release) Change(Event::Delete)];
    in_a_partition_anew_over_a_waiting_one [I25 I9] = [Claim Hold(release) Pass(MILLI) Again(Over::Waiting)];
    in_a_partition_anew_and_processing [I25 I9] = [Claim Hold(terminally) Again(Over::Failed) Claim];
}

const SHORT: Retention = Retention::Keep(Span::from_secs(5));

fn terminally(token: LeaseToken) -> Event {
    fail_because(token, Cause::Terminal)
}

fn unknown_kind(token: LeaseToken) -> Event {
    fail_because(token, Cause::UnknownKind)
}

fn undecodable(token: LeaseToken) -> Event {
    fail_because(token, Cause::Undecodable)
}
