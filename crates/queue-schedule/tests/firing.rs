//! The one decision about the jobs of ticks: overlaps, bounds of a call, and what is reported.

use queue_core::{ContentType, JobId, Kind, Limits, NewJob, Payload, Span, State, Timestamp};
use queue_schedule::{CallRoom, Firing, FiringContext, Missed, Overlap, ScheduleSpec, Template, Timing};
use std::time::Duration;

const START: Timestamp = Timestamp::from_millis(1_767_225_600_000);
const HOUR: Span = Span::from_secs(3600);

fn hourly(overlap: Overlap, payload: String) -> ScheduleSpec {
    let json = ContentType::from_static("application/json");
    let job = NewJob::new(JobId::from_static("t"), Kind::from_static("work"), Payload::new(payload, json));
    let timing = Timing::every(Duration::from_secs(3600)).expect("an hour");
    let mut spec = ScheduleSpec::new("s", timing, Template::of(&job).expect("a template"), START);
    (spec.missed, spec.overlap, spec.ran) = (Missed::All { max: 1000 }, overlap, Some(START));
    spec
}

fn fire(spec: &ScheduleSpec, hours: i64, previous: Option<State>, limits: Limits) -> Firing {
    let clock = Timestamp::from_millis(START.as_millis() + hours * HOUR.as_millis());
    let room = CallRoom::beside(&limits, 1, 0);
    let context = FiringContext { progress: None, previous, now: clock, clock, room };
    spec.fire(&context).expect("valid")
}

fn hours(firing: &Firing) -> Vec<String> {
    let hour =
        |job: &NewJob| job.id.as_str().strip_prefix("s@2026-01-01T").expect("of that day")[..2].to_owned();
    firing.jobs.iter().map(hour).collect()
}

#[test]
fn a_tick_beside_one_that_has_not_ended_runs_is_left_out_or_ends_it() {
    use Overlap::{Allow, CancelPrevious, Skip};
    let unfinished = [State::Queued, State::Failing, State::Processing].map(Some);
    let ended = [None, Some(State::Completed), Some(State::Failed), Some(State::Cancelled)];
    let all = ["01", "02", "03"];
    for (states, overlap, run, skipped, cancels) in [
        (&unfinished[..], Allow, &all[..], 0, false),
        (&unfinished[..], Skip, &[][..], 3, false),
        (&unfinished[..], CancelPrevious, &all[2..], 2, true),
        (&ended[..], Allow, &all[..], 0, false),
        (&ended[..], Skip, &all[..1], 2, false),
        (&ended[..], CancelPrevious, &all[2..], 2, false),
    ] {
        let spec = hourly(overlap, "1".to_owned());
        for previous in states {
            let firing = fire(&spec, 3, *previous, Limits::default());
            assert_eq!(hours(&firing), run, "{overlap:?} {previous:?}");
            assert_eq!(firing.skipped, skipped, "{overlap:?} {previous:?}");
            let first = spec.previous(None).expect("a valid name").filter(|_| cancels);
            assert_eq!(firing.cancel, first, "{overlap:?} {previous:?}");
            assert_eq!((firing.sleep, firing.more), (Some(HOUR), false));
        }
    }
}

#[test]
fn a_tick_that_is_not_due_cancels_nothing() {
    let firing =
        fire(&hourly(Overlap::CancelPrevious, "1".to_owned()), 0, Some(State::Queued), Limits::default());
    assert_eq!((firing.jobs.len(), firing.cancel), (0, None));
}

/// The moment of a tick is longer than the placeholder for it.
#[test]
fn the_jobs_of_one_call_fit_it_however_often_they_name_their_tick() {
    let places = vec!["\"$queue.tick\""; 100].join(",");
    let spec = hourly(Overlap::Allow, format!("[{places}]"));
    let limits = Limits { call_bytes_max: 10_000, ..Limits::default() };
    let firing = fire(&spec, 20, None, limits);
    assert!(firing.more && firing.jobs.len() > 1, "{}", firing.jobs.len());
    limits.check_enqueue(std::slice::from_ref(&firing.jobs)).expect("they fit");
    assert_eq!(firing.sleep, Some(Span::ZERO), "the rest follows at once");
    let few = Limits { batch_max: 4, ..Limits::default() };
    assert_eq!(hours(&fire(&spec, 20, None, few)), ["01", "02", "03"]);
    let none = Limits { call_bytes_max: 1, batch_max: 1, ..Limits::default() };
    assert_eq!(hours(&fire(&spec, 20, None, none)), ["01"], "one at least");
    let largest = spec.largest_job().expect("valid").payload.bytes.len();
    assert!(firing.jobs.iter().all(|job| job.payload.bytes.len() <= largest));
}

/// Where one job at most is enqueued, its bytes split no backlog.
#[test]
fn jobs_that_must_not_overlap_go_in_one_call() {
    let few = Limits { batch_max: 2, ..Limits::default() };
    let firing = fire(&hourly(Overlap::CancelPrevious, "1".to_owned()), 3, None, few);
    assert_eq!((hours(&firing), firing.more), (vec!["03".to_owned()], false));
}

/// Of two jobs of one id the store would take the first alone.
#[test]
fn a_run_by_hand_never_takes_the_id_of_a_tick() {
    let spec = hourly(Overlap::Allow, "1".to_owned());
    let tick = START + HOUR;
    for (clock, moment) in [(tick, "01:00:00.001"), (tick + Span::from_millis(7), "01:00:00.007")] {
        let job = spec.job_now(clock).expect("valid");
        assert_eq!(job.id.as_str(), format!("s@2026-01-01T{moment}Z"));
    }
}
