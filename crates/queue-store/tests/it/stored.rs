//! The stored form: every possible job is read back unchanged, and all other bytes are an error.

use bytes::Bytes;
use proptest::prelude::{ProptestConfig, any, proptest};
use queue_core::{
    Attempt, AttemptOutcome, Budget, ContentType, Duty, EndSignal, ErrorKind, Failure, Gate, Headers, JobId,
    JobMeta, JobTerms, Kind, LeaseInfo, LeaseToken, NewerTerms, Payload, QueueName, Reason, Retention,
    RetentionPolicy, Rng, SeededRng, Seq, Signalling, Span, State, Tag, Tags, Tally, Timestamp, WorkerId,
    WorkerInfo,
    lifecycle::{LastSettle, Settle, TrackedJob},
};
use queue_store::stored::{Form, StoredJob, VERSION, from_bytes, to_bytes};

/// Random values of every kind, from a seed.
struct Any(SeededRng);

impl Any {
    fn number(&self) -> u64 {
        // Each length is equally likely.
        self.0.next_u64() >> (self.0.next_u64() % 64)
    }

    fn small(&self) -> u32 {
        self.number() as u32
    }

    fn coin(&self) -> bool {
        self.0.next_u64() & 1 == 1
    }

    fn maybe<T>(&self, value: T) -> Option<T> {
        self.coin().then_some(value)
    }

    fn text(&self) -> String {
        (0..=self.0.next_u64() % 14)
            .map(|_| ['a', 'é', '/', '7', '😀'][self.0.next_u64() as usize % 5])
            .collect()
    }

    fn bytes(&self) -> Bytes {
        (0..self.0.next_u64() % 300).map(|_| self.0.next_u64() as u8).collect()
    }

    fn time(&self) -> Timestamp {
        let number = self.number().cast_signed();
        Timestamp::from_millis(if self.coin() { number } else { number.wrapping_neg() })
    }

    fn span(&self) -> Span {
        Span::from_millis(self.number().cast_signed())
    }

    fn terms(&self) -> JobTerms {
        if self.coin() {
            return JobTerms::PLAIN;
        }
        JobTerms {
            max_attempts: Budget::from_raw(self.small()),
            max_stalls: Budget::from_raw(self.small()),
            time_limit: self.maybe(self.span()),
            on_failure: self.maybe(self.kind()),
            retention: RetentionPolicy { completed: self.retention(), failed: self.retention() },
            newer: NewerTerms::NONE,
        }
    }

    fn retention(&self) -> Retention {
        [Retention::Remove, Retention::Forever, Retention::Keep(self.span())][self.0.next_u64() as usize % 3]
    }

    fn token(&self) -> LeaseToken {
        LeaseToken::from_bytes(self.0.next_u128().to_le_bytes())
    }

    fn kind(&self) -> Kind {
        Kind::new(self.text()).expect("valid")
    }

    fn worker(&self) -> WorkerId {
        WorkerId::new(self.text()).expect("valid")
    }

    fn code<T>(&self, of: impl Fn(u8) -> Option<T>) -> T {
        let codes: Vec<T> = (0..=u8::MAX).map_while(of).collect();
        let chosen = self.0.next_u64() as usize % codes.len();
        codes.into_iter().nth(chosen).expect("it is one of them")
    }

    fn tags(&self) -> Tags {
        let tags =
            (0..self.0.next_u64() % 4).map(|at| Tag::new(format!("{at}{}", self.text())).expect("valid"));
        Tags::new(tags).expect("few")
    }

    fn job(&self) -> StoredJob {
        let meta = JobMeta {
            queue: QueueName::new(self.text()).expect("valid"),
            id: JobId::new(self.text()).expect("valid"),
            seq: Seq::new(self.number()),
            revision: self.number(),
            kind: self.kind(),
            tags: self.tags(),
            priority: self.0.next_u64() as i16,
            created_at: self.time(),
            run_at: self.time(),
            state: self.code(State::from_code),
            reason: self.maybe(self.code(Reason::from_code)),
            epoch: self.number(),
            failures: self.small(),
            stalls: self.small(),
            expires_in: self.maybe(self.span()),
            expiry_lifted: self.coin(),
            terms: self.terms().into(),
            lease: self.maybe(LeaseInfo { worker: self.worker(), expires_at: self.time() }),
            claimed_at: self.maybe(self.time()),
            cancel_requested: self.coin(),
            awaited: self.coin(),
            progress: self.maybe(Box::new(self.bytes())),
            last_error: self.maybe(Failure::new(self.text(), self.text())),
            failed_at: self.maybe(self.time()),
            finished_at: self.maybe(self.time()),
            purge_at: self.maybe(self.time()),
            gate: self.maybe(self.gate().into()),
            signalling: [Signalling::None, Signalling::Sent, Signalling::Owed(self.number() as u8)]
                [self.0.next_u64() as usize % 3],
            partition: self.maybe(queue_core::Partition::new(self.text()).expect("valid")),
        };
        let last_settle = LastSettle { token: self.token(), settle: self.code(Settle::from_code) };
        let job = TrackedJob { meta, token: self.maybe(self.token()), last_settle: self.maybe(last_settle) };
        StoredJob { job, payload_bytes: self.number() }
    }

    fn gate(&self) -> Gate {
        let tally = Tally { completed: self.number(), failed: self.number(), cancelled: self.number() };
        Gate {
            needs: self.number(),
            signals: tally.completed.saturating_add(tally.not_completed()),
            tally,
            is_sealed: self.coin(),
            heeds_urgent: self.coin(),
            closed_at: self.maybe(self.number()),
        }
    }

    fn end_signals(&self) -> Vec<EndSignal> {
        let signal = |_| EndSignal {
            to: JobId::new(self.text()).expect("valid"),
            life: self.maybe(Seq::new(self.number())),
            raises: self.coin(),
            tolerant: self.coin(),
            urgent: self.coin(),
        };
        (0..self.0.next_u64() % 9).map(signal).collect()
    }

    fn attempts(&self) -> Vec<Attempt> {
        let attempt = |_| Attempt {
            epoch: self.number(),
            worker: self.worker(),
            claimed_at: self.time(),
            ended_at: self.time(),
            outcome: self.code(AttemptOutcome::from_code),
            error_name: self.text(),
            error_message: self.text(),
        };
        (0..self.0.next_u64() % 11).map(attempt).collect()
    }

    fn payload(&self) -> Payload {
        Payload::new(self.bytes(), ContentType::new(self.text()).expect("valid"))
    }

    fn headers(&self) -> Headers {
        let entries = (0..self.0.next_u64() % 4).map(|at| (format!("name-{at}"), self.text()));
        Headers::new(entries).expect("few")
    }

    fn show(&self) -> WorkerInfo {
        WorkerInfo {
            id: self.worker(),
            queues: (0..self.0.next_u64() % 4).map(|_| QueueName::new(self.text()).expect("valid")).collect(),
            concurrency: self.small(),
            held: self.small(),
            host: self.text(),
            about: self.bytes(),
            duty: self.code(Duty::from_code),
        }
    }
}

fn comes_back<T: Form + PartialEq + std::fmt::Debug>(value: &T) {
    let bytes = to_bytes(value);
    assert_eq!(&from_bytes::<T>(bytes.clone()).expect("it was written here"), value);
    for len in 0..bytes.len() {
        let cut = from_bytes::<T>(bytes[..len].to_vec()).expect_err("a part is not the whole");
        assert_eq!(cut.kind(), ErrorKind::Corrupt, "{len} of {} bytes", bytes.len());
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(from_bytes::<T>(longer).expect_err("nothing follows").kind(), ErrorKind::Corrupt);
    let refused =
        from_bytes::<T>([&[VERSION - 1], &bytes[1..]].concat()).expect_err("it is not read any more");
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert!(refused.message().contains("older version"), "{refused}");
    for newer in [VERSION + 1, u8::MAX] {
        let refused = from_bytes::<T>([&[newer], &bytes[1..]].concat()).expect_err("nobody knows it yet");
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(refused.message().contains("upgrade"), "{refused}");
    }
}

fn is_refused_or_reads_the_same_again<T: Form + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
    match from_bytes::<T>(bytes.to_vec()) {
        Ok(value) => assert_eq!(from_bytes::<T>(to_bytes(&value)).expect("it was written here"), value),
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Unsupported), "{error}"),
    }
}

fn all_forms(bytes: &[u8]) {
    is_refused_or_reads_the_same_again::<StoredJob>(bytes);
    is_refused_or_reads_the_same_again::<Payload>(bytes);
    is_refused_or_reads_the_same_again::<Headers>(bytes);
    is_refused_or_reads_the_same_again::<Vec<Attempt>>(bytes);
    is_refused_or_reads_the_same_again::<Vec<EndSignal>>(bytes);
    is_refused_or_reads_the_same_again::<WorkerInfo>(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_field_comes_back_and_no_part_of_the_bytes_passes_for_the_whole(seed in any::<u64>()) {
        let some = Any(SeededRng::new(seed));
        comes_back(&some.job());
        comes_back(&some.payload());
        comes_back(&some.headers());
        comes_back(&some.attempts());
        comes_back(&some.end_signals());
        comes_back(&some.show());
    }

    #[test]
    fn foreign_bytes_are_an_error_and_never_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        all_forms(&bytes);
        // Most random bytes are refused for their version.
        all_forms(&[&[VERSION], &bytes[..]].concat());
    }

    #[test]
    fn a_byte_that_was_flipped_is_an_error_or_another_job(seed in any::<u64>(), at in any::<usize>(), to in any::<u8>()) {
        let mut bytes = to_bytes(&Any(SeededRng::new(seed)).job());
        let len = bytes.len();
        bytes[at % len] = to;
        all_forms(&bytes);
    }
}

/// The bytes themselves, so that a change of the form shows in review; see the rules in `stored`.
#[test]
fn the_present_version_is_this() {
    let payload = Payload::new("abc", ContentType::from_static("t/p"));
    assert_eq!(to_bytes(&payload), b"\x03\x03t/p\x03abc");
    let new = queue_core::NewJob::new(JobId::from_static("a"), Kind::from_static("k"), payload);
    let meta = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(300), Timestamp::from_millis(-1));
    let stored = StoredJob { job: TrackedJob::new(meta), payload_bytes: 3 };
    let bytes = to_bytes(&stored);
    let expected = b"\x03\x00\x01q\x01a\xac\x02\x01\x01k\x00\x01\x01\x00\x00\x00\x00\x03";
    assert_eq!(bytes, expected, "{:?}", bytes.escape_ascii().to_string());
    let mut gated = stored;
    let tally = Tally { completed: 1, failed: 2, cancelled: 300 };
    let gate =
        Gate { needs: 400, signals: 303, tally, is_sealed: true, heeds_urgent: false, closed_at: Some(0) };
    (gated.job.meta.gate, gated.job.meta.signalling) = (Some(gate.into()), Signalling::Owed(64));
    let bytes = to_bytes(&gated);
    let expected =
        b"\x03\x80\x80\x0c\x01q\x01a\xac\x02\x01\x01k\x00\x01\x01\x00\x00\x00\x00\x90\x03\x01\x02\xac\x02\x05\x00\x42\x03";
    assert_eq!(bytes, expected, "{:?}", bytes.escape_ascii().to_string());
    let signal =
        EndSignal { raises: true, life: Some(Seq::new(7)), ..EndSignal::to(JobId::from_static("b")) };
    assert_eq!(to_bytes(&vec![signal]), b"\x03\x01\x01b\x09\x07");
    let partition = Some(queue_core::Partition::from_static("p"));
    let TrackedJob { meta, .. } = gated.job;
    let meta = JobMeta { partition, gate: None, signalling: Signalling::None, ..meta };
    let bytes = to_bytes(&StoredJob { job: TrackedJob::new(meta), payload_bytes: 3 });
    let expected = b"\x03\x80\x80\x10\x01q\x01a\xac\x02\x01\x01k\x00\x01\x01\x00\x00\x00\x00\x01p\x03";
    assert_eq!(bytes, expected, "{:?}", bytes.escape_ascii().to_string());
}

/// A claim of a plain job reads this much, and each heartbeat writes it.
#[test]
fn a_plain_job_takes_few_bytes() {
    let payload = Payload::new("", ContentType::from_static("application/json"));
    let id = JobId::from_static("0193d3c2a0b87c4e9f3b1c2d3e4f5a6b");
    let new = queue_core::NewJob::new(id, Kind::from_static("email"), payload);
    let now = Timestamp::from_millis(1_764_000_000_000);
    let meta = JobMeta::begin(QueueName::from_static("emails"), &new, Seq::new(1_000_000), now);
    let bytes = to_bytes(&StoredJob { job: TrackedJob::new(meta), payload_bytes: 100 });
    assert_eq!(bytes.len(), 70);
}
