//! Mistakes about schedules: in the calendar, at a wake-up, and in an edit.
//!
//! A store that enqueues the ticks again when a settle is repeated is a defect of stores, and is
//! planted there.

use super::{
    mistake::Mistake,
    programs::{client, due, spec, worker},
};

const CIVIL: &str = "crates/queue-schedule/src/civil.rs";
const DUE: &str = "crates/queue-schedule/src/due.rs";
const SHIFT: &str = "crates/queue-schedule/src/shift.rs";
const SPEC: &str = "crates/queue-schedule/src/spec.rs";
const FIRING: &str = "crates/queue-schedule/src/firing.rs";
const WAKE: &str = "crates/queue-worker/src/reserved/schedule.rs";
const RESERVED: &str = "crates/queue-worker/src/reserved/mod.rs";
const EDIT: &str = "crates/queue/src/schedules/edit.rs";

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "ticks are those of the worker's own clock",
        file: WAKE,
        right: "FiringContext { progress, previous, now, clock, room }",
        wrong: "FiringContext { progress, previous, now, clock: queue_core::Clock::now(&queue_core::SystemClock), room }",
        caught_by: worker(
            "schedules::time::ticks_go_by_the_clock_of_the_store_and_not_by_that_of_this_machine",
        ),
    },
    Mistake {
        name: "ticks are those of store time, which may be ahead of the calendar",
        file: WAKE,
        right: "FiringContext { progress, previous, now, clock, room }",
        wrong: "FiringContext { progress, previous, now, clock: now, room }",
        caught_by: worker("schedules::time::no_tick_comes_early_where_store_time_is_ahead_of_the_calendar"),
    },
    Mistake {
        name: "which ticks were missed is decided by the worker's own clock",
        file: DUE,
        right: "self.to_run(before.dealt, until)",
        wrong: "self.to_run(before.dealt, queue_core::Clock::now(&queue_core::SystemClock))",
        caught_by: due("grace::so_many_of_the_newest_are_made_up_for_oldest_first"),
    },
    Mistake {
        name: "how far a schedule has come follows from when it was due",
        file: WAKE,
        right: "job.meta.progress().map(Progress::from_bytes).transpose()?",
        wrong: "Some(Progress { dealt: Timestamp::from_millis(job.meta.run_at.as_millis() - 1), ran: None })",
        caught_by: worker("schedules::what_is_dealt_with_does_not_follow_from_when_the_schedule_was_due"),
    },
    Mistake {
        name: "how far a schedule has come is not stored with its snooze",
        file: WAKE,
        right: "Some(progress.into())",
        wrong: "None",
        caught_by: worker("schedules::a_wake_up_that_is_repeated_finds_nothing_left_to_do"),
    },
    Mistake {
        name: "ticks are enqueued in a step before the settle",
        file: WAKE,
        right: "settled(job, firing)",
        wrong: "store.enqueue(&job.meta.queue, vec![std::mem::take(&mut firing.jobs)]).await?; settled(job, firing)",
        caught_by: worker("schedules::a_wake_up_that_is_never_settled_enqueues_nothing"),
    },
    Mistake {
        name: "a wake-up enqueues more than the store takes in one call",
        file: FIRING,
        right: "TICKS_MAX.min(self.jobs).min(self.bytes / bytes_each.max(1)).max(1)",
        wrong: "TICKS_MAX",
        caught_by: worker(
            "schedules::a_backlog_goes_in_parts_that_the_store_takes_and_none_is_lost_between_them",
        ),
    },
    Mistake {
        name: "ticks that a wake-up has no room for count as dealt with",
        file: DUE,
        right: "if more { run[max - 1] } else { until }",
        wrong: "until",
        caught_by: due("wakes::more_ticks_than_a_wake_up_enqueues_go_on_at_once"),
    },
    Mistake {
        name: "a clock that is put back brings its ticks again",
        file: DUE,
        right: "self.unshifted(clock).max(before.dealt)",
        wrong: "self.unshifted(clock)",
        caught_by: due("wakes::a_clock_that_is_put_back_repeats_nothing_and_waits_for_what_is_left"),
    },
    Mistake {
        name: "a tick is enqueued up to a second early",
        file: DUE,
        right: "self.unshifted(clock).max(before.dealt)",
        wrong: "minus(self.unshifted(clock), -1000).max(before.dealt)",
        caught_by: due("wakes::a_tick_is_run_at_its_moment_and_not_a_millisecond_earlier"),
    },
    Mistake {
        name: "a schedule sleeps until its tick by the rules that its zone has when it goes to sleep",
        file: DUE,
        right: "wait.min(LOOK_EVERY)",
        wrong: "wait",
        caught_by: due("new_rules::a_tick_that_new_rules_move_earlier_runs_within_its_grace"),
    },
    Mistake {
        name: "a wait by a store time that runs slow is as long as by the calendar",
        file: FIRING,
        right: "Span::from_millis(wait.as_millis() - wait.as_millis() / SLOW_PART)",
        wrong: "wait",
        caught_by: worker("schedules::time::a_schedule_wakes_by_its_tick_where_store_time_runs_slow"),
    },
    Mistake {
        name: "the newest missed tick runs although ticks that are late are skipped",
        file: DUE,
        right: "self.oldest(minus_span(until, grace).max(dealt), until)",
        wrong: "self.newest(1, dealt, until)",
        caught_by: due("grace::a_tick_runs_up_to_the_last_millisecond_of_a_given_grace"),
    },
    Mistake {
        name: "of ticks of seconds only the newest is run, however little they are late",
        file: DUE,
        right: "self.oldest(minus_span(until, GRACE_MIN).max(dealt), until)",
        wrong: "Vec::new()",
        caught_by: due("grace::ticks_of_seconds_have_ten_seconds"),
    },
    Mistake {
        name: "the jitter of a tick is drawn at random",
        file: SHIFT,
        right: "hash(name.as_bytes()) ^ tick.as_millis().unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15)",
        wrong: "std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0)",
        caught_by: due("shifts::spread_and_jitter_are_the_same_for_everybody_and_for_ever"),
    },
    Mistake {
        name: "the spread of a schedule is drawn at random",
        file: SHIFT,
        right: "part(hash(name.as_bytes()), within)",
        wrong: "part(std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0), within)",
        caught_by: due("shifts::spread_and_jitter_are_the_same_for_everybody_and_for_ever"),
    },
    Mistake {
        name: "the id of a tick is the name of its schedule",
        file: SPEC,
        right: "format!(\"{}@{}\", self.name, Tick::from(tick))",
        wrong: "self.name.clone()",
        caught_by: spec("ids_tell_the_tick_in_utc_and_no_two_ticks_share_one"),
    },
    Mistake {
        name: "the id of a tick has its minute and no more",
        file: SPEC,
        right: "format!(\"{}@{}\", self.name, Tick::from(tick))",
        wrong: "format!(\"{}@{:.16}Z\", self.name, Tick::from(tick).to_string())",
        caught_by: spec("ids_tell_the_tick_in_utc_and_no_two_ticks_share_one"),
    },
    Mistake {
        name: "a time in spring's gap does not run that day",
        file: CIVIL,
        right: "zone.following(before_the_jump).next().map(|jump| jump.timestamp())",
        wrong: "Some(Timestamp::MIN)",
        caught_by: due("clock_changes::a_time_that_spring_skips_runs_once_at_the_end_of_the_gap"),
    },
    Mistake {
        name: "a time in spring's gap runs as long after the gap as it lay in it",
        file: CIVIL,
        right: "zone.following(before_the_jump).next().map(|jump| jump.timestamp())",
        wrong: "zone.to_offset(before_the_jump).to_timestamp(civil).ok()",
        caught_by: due("clock_changes::a_time_that_spring_skips_runs_once_at_the_end_of_the_gap"),
    },
    Mistake {
        name: "times in spring's gap run one after the other",
        file: CIVIL,
        right: "next_time_of_day(pattern, zone.rules(), after)",
        wrong: "let mut civil = zone.rules().to_datetime(after).start_of_day(); loop { \
            civil = pattern.next_civil(civil, false)?; \
            let moment = zone.rules().to_ambiguous_timestamp(civil).compatible().ok()?; \
            if moment > after { break Some(moment); } }",
        caught_by: due("clock_changes::times_of_one_gap_run_together_once"),
    },
    Mistake {
        name: "a time of autumn's fold runs in both passes",
        file: CIVIL,
        right: "pattern.is_interval()",
        wrong: "true",
        caught_by: due("clock_changes::a_time_that_autumn_repeats_runs_in_its_first_pass_alone"),
    },
    Mistake {
        name: "a time of autumn's fold runs in the second pass",
        file: CIVIL,
        right: "once(zone, civil)?",
        wrong: "zone.to_ambiguous_timestamp(civil).later().ok()?",
        caught_by: due("clock_changes::a_time_that_autumn_repeats_runs_in_its_first_pass_alone"),
    },
    Mistake {
        name: "an interval runs in one pass of autumn's fold",
        file: CIVIL,
        right: "pattern.is_interval()",
        wrong: "false",
        caught_by: due("clock_changes::an_interval_runs_in_both_passes_of_an_hour"),
    },
    Mistake {
        name: "overlap is looked for at the last tick, which may not have run",
        file: FIRING,
        right: "self.standing(progress).ran.map(|tick| self.tick_id(tick)).transpose()",
        wrong: "Some(self.standing(progress).dealt).map(|tick| self.tick_id(tick)).transpose()",
        caught_by: worker("schedules::ticks_are_skipped_for_as_long_as_the_last_that_ran_goes_on"),
    },
    Mistake {
        name: "a tick that was skipped for its overlap counts as the last that ran",
        file: FIRING,
        right: "Progress { ran, ..due.progress }",
        wrong: "due.progress",
        caught_by: worker("schedules::ticks_are_skipped_for_as_long_as_the_last_that_ran_goes_on"),
    },
    Mistake {
        name: "missed ticks that must not overlap all run",
        file: FIRING,
        right: "due.run.truncate(1)",
        wrong: "()",
        caught_by: worker("schedules::of_missed_ticks_that_must_not_overlap_one_is_enqueued"),
    },
    Mistake {
        name: "the job of the tick before goes on, though it was to be cancelled",
        file: FIRING,
        right: "if cancels { self.previous(context.progress)? } else { None }",
        wrong: "None",
        caught_by: worker(
            "schedules::the_job_of_the_tick_before_is_cancelled_where_the_schedule_asks_for_it",
        ),
    },
    Mistake {
        name: "a schedule of a newer version fails",
        file: WAKE,
        right: "!matches!(error, ScheduleError::Unreadable { .. })",
        wrong: "false",
        caught_by: worker("schedules::a_schedule_of_a_newer_version_waits_for_a_worker_that_can_read_it"),
    },
    Mistake {
        name: "a reserved kind that is not known fails",
        file: RESERVED,
        right: "put_back(job, \"this version of the library does not know the kind\")",
        wrong: "Event::Fail { token: job.token, failure: queue_core::Failure::new(\"UnknownKind\", \"planted\"), \
            cause: queue_core::lifecycle::Cause::Terminal, delay: None, retention: None, then: Vec::new() }.into()",
        caught_by: worker(
            "reserved::a_kind_of_a_newer_version_waits_for_a_worker_that_knows_it_however_long",
        ),
    },
    Mistake {
        name: "an edit forgets the ticks that are due",
        file: EDIT,
        right: "self.fire(&present, spec).await?",
        wrong: "Firing::none(Progress { dealt: present.clock(), ran: None })",
        caught_by: client("schedules::changes::a_schedule_that_is_edited_goes_on_where_it_stood"),
    },
    Mistake {
        name: "an edit wakes a schedule that is paused",
        file: EDIT,
        right: "job_of(&new, Span::MAX)?",
        wrong: "job_of(&new, sleep)?",
        caught_by: client(
            "schedules::changes::a_paused_schedule_waits_and_a_resumed_one_makes_up_as_its_policy_says",
        ),
    },
    Mistake {
        name: "an edit does not look whether the tick before still runs",
        file: EDIT,
        right: "previous.map(|record| record.meta.state)",
        wrong: "previous.map(|_| State::Completed)",
        caught_by: client("schedules::edits::an_edit_treats_the_tick_before_as_a_wake_up_does"),
    },
    Mistake {
        name: "an edit sends a backlog in one call, however large",
        file: EDIT,
        right: "CallRoom::beside(&self.queue.storage().capabilities().limits, 2, bytes)",
        wrong: "CallRoom::beside(&queue_core::Limits::default(), 2, bytes)",
        caught_by: client("schedules::edits::an_edit_enqueues_a_backlog_in_parts_that_the_store_takes"),
    },
    Mistake {
        name: "ticks that an edit leaves out are in no log",
        file: EDIT,
        right: "firing.log(&present.meta().id)",
        wrong: "()",
        caught_by: client("schedules::edits::ticks_that_an_edit_leaves_out_are_logged_as_by_a_worker"),
    },
    Mistake {
        name: "a schedule that sleeps beyond its tick counts as unchanged",
        file: EDIT,
        right: "self.wake_in_time(&present).await",
        wrong: "Ok(Tried::Put(Put::Unchanged))",
        caught_by: client("schedules::edits::a_put_or_a_declare_wakes_a_schedule_that_would_oversleep"),
    },
    Mistake {
        name: "each start of a program writes its schedules anew",
        file: EDIT,
        right: "spec.says_the_same(present.spec())",
        wrong: "false",
        caught_by: client("schedules::changes::declaring_twice_writes_once_and_what_is_gone_is_reported"),
    },
];
