//! Filters: their spellings, what each matches, and the index that a store walks for it.

use queue_core::{
    ContentType, Counts,
    Direction::{NewestFirst, OldestFirst},
    Gate, JobId, JobMeta, Kind, LeaseInfo, ListFilter, Moment, NewJob, Payload, QueueName, Seq, Span, State,
    Tag, Timestamp, Walk, WorkerId,
};
use queue_view::{InvalidFilter, JobFilter, Standing};

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn mail() -> QueueName {
    QueueName::from_static("mail")
}

fn job(state: State, due_in: Span) -> JobMeta {
    let payload = Payload::new(b"1".to_vec(), ContentType::from_static("application/json"));
    let new = NewJob::new(JobId::from_static("a"), Kind::from_static("k"), payload);
    let begun = JobMeta::begin(mail(), &new, Seq::new(1), NOW);
    JobMeta { state, run_at: NOW + due_in, ..begun }
}

/// A job behind a closed gate.
fn gated(state: State, timeout: Span) -> JobMeta {
    let gate = Gate { needs: 3, closed_at: Some(0), ..Gate::default() };
    JobMeta { gate: Some(Box::new(gate)), ..job(state, timeout) }
}

fn leased(until: Timestamp) -> JobMeta {
    let lease = LeaseInfo { worker: WorkerId::from_static("w"), expires_at: until };
    JobMeta { lease: Some(lease), ..job(State::Processing, Span::ZERO) }
}

/// A job, the standing that says most of it, and all of its standings.
fn each_standing() -> Vec<(JobMeta, Standing, Vec<Standing>)> {
    use Standing::{
        Cancelled, Completed, Due, Failed, Failing, Gated, Lapsed, Parked, Processing, Queued, Scheduled,
    };
    let hour = Span::from_secs(3600);
    vec![
        (job(State::Queued, Span::ZERO), Due, vec![Due, Queued]),
        (job(State::Queued, hour), Scheduled, vec![Scheduled, Queued]),
        (job(State::Queued, Span::MAX), Parked, vec![Scheduled, Parked, Queued]),
        (gated(State::Queued, Span::MAX), Gated, vec![Gated, Queued]),
        (gated(State::Failing, hour), Gated, vec![Gated, Failing]),
        (gated(State::Queued, Span::ZERO), Due, vec![Due, Queued]),
        (job(State::Failing, Span::ZERO), Failing, vec![Due, Failing]),
        (job(State::Failing, hour), Failing, vec![Scheduled, Failing]),
        (job(State::Failing, Span::MAX), Parked, vec![Scheduled, Parked, Failing]),
        (leased(NOW + hour), Processing, vec![Processing]),
        (leased(NOW), Lapsed, vec![Processing, Lapsed]),
        (job(State::Completed, Span::ZERO), Completed, vec![Completed]),
        (job(State::Failed, Span::ZERO), Failed, vec![Failed]),
        (job(State::Cancelled, Span::ZERO), Cancelled, vec![Cancelled]),
    ]
}

#[test]
fn how_a_job_stands_is_what_its_filters_match() {
    for (job, most, all) in each_standing() {
        let (state, due_at) = (job.state, job.run_at);
        assert_eq!(Standing::of(&job, NOW), most, "{state} {due_at:?}");
        let matching: Vec<Standing> = Standing::ALL
            .into_iter()
            .filter(|standing| JobFilter::standing([*standing]).matches(&job, NOW))
            .collect();
        assert_eq!(matching, all, "{state} {due_at:?}");
        assert!(all.iter().all(|standing| standing.states().contains(&state)), "{state} {all:?}");
    }
}

#[test]
fn the_count_of_a_standing_is_the_number_of_jobs_that_stand_so() {
    let jobs: Vec<JobMeta> = each_standing().into_iter().map(|(job, ..)| job).collect();
    let mut counts = Counts::empty(Moment::at(NOW));
    for state in State::ALL {
        counts.set(state, jobs.iter().filter(|job| job.state == state).count() as u64);
    }
    counts.scheduled = jobs.iter().filter(|job| job.is_scheduled(NOW)).count() as u64;
    counts.gated = jobs.iter().filter(|job| job.is_gated(NOW)).count() as u64;
    for standing in Standing::ALL {
        let stand = jobs.iter().filter(|job| standing.includes(job, NOW)).count() as u64;
        let counted = standing.counted(&counts);
        assert!(counted.is_none_or(|counted| counted == stand), "{standing}: {counted:?}, not {stand}");
        assert_eq!(counted.is_none(), matches!(standing, Standing::Parked | Standing::Lapsed));
    }
}

#[test]
fn a_bulk_change_touches_gated_jobs_only_where_the_filter_names_them() {
    for state in [State::Queued, State::Failing] {
        let (gated, due) = (gated(state, Span::MAX), job(state, Span::ZERO));
        for (filter, touches) in [
            ("", false),
            ("state=queued state=failing", false),
            ("state=queued state=failing state=gated", true),
        ] {
            let filter = parts(filter);
            assert!(filter.matches(&gated, NOW) && filter.touches(&due, NOW), "{filter:?}");
            assert_eq!(filter.touches(&gated, NOW), touches, "{filter:?}");
        }
        assert!(parts("state=gated").touches(&gated, NOW) && !parts("state=gated").touches(&due, NOW));
    }
}

fn parts(filter: &str) -> JobFilter {
    filter.parse().unwrap_or_else(|invalid| panic!("{filter}: {invalid}"))
}

#[test]
fn a_filter_walks_the_index_that_is_nearest_to_it() {
    let tag = Tag::new("t").expect("valid");
    let tagged = Walk::Tagged(tag.clone(), OldestFirst);
    let since = Timestamp::from_millis(5)..Timestamp::from_millis(i64::MAX);
    let worker = Some(WorkerId::from_static("w"));
    let in_states = |states: &[State]| ListFilter::in_states(states.iter().copied());
    let all = ListFilter::default;
    for (filter, walk, left) in [
        ("", Walk::All(OldestFirst), all()),
        ("state=failed state=failed", Walk::State(State::Failed, OldestFirst), all()),
        ("state=failed state=queued", Walk::All(OldestFirst), in_states(&[State::Queued, State::Failed])),
        ("state=due", Walk::Due, all()),
        ("state=scheduled", Walk::Scheduled, all()),
        ("state=parked", Walk::Scheduled, all()),
        ("state=gated", Walk::Gated, all()),
        ("state=lapsed", Walk::Lapsed, all()),
        ("state=due state=scheduled", Walk::All(OldestFirst), in_states(&[State::Queued, State::Failing])),
        ("state=due tag=t", Walk::Due, ListFilter { tag: Some(tag.clone()), ..all() }),
        ("state=failed tag=t", tagged.clone(), in_states(&[State::Failed])),
        ("state=failed state=due tag=t", tagged, in_states(&[State::Queued, State::Failing, State::Failed])),
        (
            "state=failed tag=t since_ms=5",
            Walk::State(State::Failed, OldestFirst),
            ListFilter { tag: Some(tag), entered: Some(since), ..all() },
        ),
        (
            "worker=w",
            Walk::State(State::Processing, OldestFirst),
            ListFilter { worker: worker.clone(), ..all() },
        ),
        (
            "worker=w state=lapsed",
            Walk::State(State::Processing, OldestFirst),
            ListFilter { worker, ..all() },
        ),
    ] {
        let listing = parts(filter).listing(mail(), None).expect("a listing");
        assert_eq!((listing.walk(), listing.list_filter()), (&walk, &left), "{filter}");
    }
}

#[test]
fn people_read_the_newest_first_but_for_jobs_that_have_an_order() {
    for (filter, walk) in [
        ("", Walk::All(NewestFirst)),
        ("state=failed", Walk::State(State::Failed, NewestFirst)),
        ("state=due", Walk::Due),
    ] {
        assert_eq!(*parts(filter).newest_first(mail()).expect("a listing").walk(), walk, "{filter}");
    }
    for filter in ["state=due", "state=scheduled", "state=parked", "state=gated", "state=lapsed"] {
        let ordered = parts(filter).listing(mail(), Some(OldestFirst)).expect_err("they have an order");
        assert_eq!(ordered, InvalidFilter::OwnOrder, "{filter}");
    }
}

#[test]
fn a_filter_is_what_its_pairs_and_its_json_say() {
    let line = "state=due state=failed kind=charge tag=a id_prefix=charge-00 since_ms=5 until_ms=6";
    let filter = parts(line);
    assert_eq!(filter.to_string(), line);
    let pairs = filter.parts();
    let again = JobFilter::from_parts(pairs.iter().map(|(part, text)| (*part, text.as_str())));
    assert_eq!(again.as_ref(), Ok(&filter));
    let json = serde_json::to_string(&filter).expect("it is JSON");
    assert_eq!(
        json,
        r#"{"states":["due","failed"],"kind":"charge","tag":"a","id_prefix":"charge-00","since_ms":5,"until_ms":6}"#
    );
    assert_eq!(serde_json::from_str::<JobFilter>(&json).expect("its own"), filter);
    assert_eq!(parts("charge-00").id_prefix.as_deref(), Some("charge-00"), "a word alone is a beginning");
}

#[test]
fn each_wrong_part_is_named() {
    let long = "x".repeat(256);
    for (pairs, part, words) in [
        (vec![("state", "gone")], Some("state"), "there is no state \"gone\"; use one of due, scheduled"),
        (vec![("kind", "")], Some("kind"), "kind: "),
        (vec![("tag", "a\nb")], Some("tag"), "tag: "),
        (vec![("worker", long.as_str())], Some("worker"), "worker: "),
        (vec![("id_prefix", long.as_str())], Some("id_prefix"), "at most 255 bytes"),
        (vec![("since_ms", "1h")], Some("since_ms"), "milliseconds, not \"1h\""),
        (vec![("kind", "a"), ("kind", "b")], Some("kind"), "kind is given twice"),
        (vec![("shard", "a")], None, "no part \"shard\""),
        (vec![("since_ms", "2"), ("until_ms", "2")], None, "`until` must be later"),
        (vec![("worker", "w"), ("state", "failed")], None, "processing jobs alone"),
    ] {
        let invalid = JobFilter::from_parts(pairs.clone()).expect_err("it is wrong");
        assert_eq!(invalid.part(), part, "{pairs:?}");
        assert!(invalid.to_string().contains(words), "{pairs:?}: {invalid}");
    }
    for json in
        [r#"{"shard":"a"}"#, r#"{"states":["gone"]}"#, r#"{"kind":""}"#, r#"{"since_ms":2,"until_ms":1}"#]
    {
        serde_json::from_str::<JobFilter>(json).expect_err("a part that is not understood is refused");
    }
}
