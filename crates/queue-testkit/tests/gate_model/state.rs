//! One state of the protocol: a coordinator with its gate, its slips, four members.

use queue_core::{EndOutcome as Outcome, Gate, Tally};

/// Who enqueues a child, in the step that ends it.
pub(crate) const PARENT: usize = 0;
/// Whose signal is urgent.
pub(crate) const URGENT: usize = 1;
/// Whose signal counts as completed however it ends.
pub(crate) const TOLERANT: usize = 2;
/// The follower of the parent, or of the coordinator when it suspends.
pub(crate) const CHILD: usize = 3;
pub(crate) const MEMBERS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    Absent,
    /// A caller's transaction that has enqueued it is open.
    Enqueuing,
    Waiting,
    Leased,
    /// A caller's transaction that has settled it is open; with a child that it has enqueued.
    Settling,
    SettlingWithChild,
    Ended,
    /// Only of a broken variant: it is to be raised in a later step than its parent's signal.
    Late,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) phase: Phase,
    /// Of `Signalling`: `Sent`.
    pub(crate) is_sent: bool,
    pub(crate) is_redriven: bool,
    /// What the walk itself notes: its raise was committed, and its first end.
    pub(crate) is_accepted: bool,
    /// As it counts: of a tolerant member always completed.
    pub(crate) first_end: Option<Outcome>,
}

impl Member {
    pub(crate) const ABSENT: Self = Self {
        phase: Phase::Absent,
        is_sent: false,
        is_redriven: false,
        is_accepted: false,
        first_end: None,
    };

    pub(crate) fn is_unfinished(self) -> bool {
        matches!(self.phase, Phase::Waiting | Phase::Leased)
    }

    /// Counts for the gate, and has not ended yet.
    pub(crate) fn is_awaited(self) -> bool {
        (self.is_accepted && self.first_end.is_none()) || self.phase == Phase::Late
    }

    fn has_open_transaction(self) -> bool {
        matches!(self.phase, Phase::Enqueuing | Phase::Settling | Phase::SettlingWithChild)
    }

    fn locks_the_gate(self) -> bool {
        matches!(self.phase, Phase::Enqueuing | Phase::SettlingWithChild)
    }
}

/// The committed slips of the gate, summed by what they say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slips {
    pub(crate) raises: u8,
    pub(crate) plain: [u8; 3],
    pub(crate) urgent: [u8; 3],
    pub(crate) looks: u8,
    /// A bounded fold took an urgent signal of a member that did not complete, and left the rest.
    pub(crate) wakes: bool,
}

impl Slips {
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Run {
    /// Waits; its time has come.
    Due,
    /// Waits for the end of a back-off.
    BackOff,
    /// Waits for its time-out.
    TimeOut,
    Leased,
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) gate: Gate,
    pub(crate) slips: Slips,
    pub(crate) members: [Member; MEMBERS],
    pub(crate) run: Run,
    pub(crate) epoch: u64,
    pub(crate) has_suspended: bool,
    /// What the walk itself notes: it opened by completeness, and its holder raised it not since.
    pub(crate) has_opened: bool,
}

impl State {
    pub(crate) fn start() -> Self {
        let gate = Gate { heeds_urgent: true, closed_at: Some(0), ..Gate::default() };
        Self {
            gate,
            slips: Slips::default(),
            members: [Member::ABSENT; MEMBERS],
            run: Run::TimeOut,
            epoch: 0,
            has_suspended: false,
            has_opened: false,
        }
    }

    /// The gate as a snapshot shows it: its row and its slips.
    pub(crate) fn seen(&self) -> Gate {
        let mut gate = self.gate;
        let Slips { raises, plain, urgent, .. } = self.slips;
        gate.needs += u64::from(raises);
        gate.signals += plain.iter().chain(&urgent).map(|&count| u64::from(count)).sum::<u64>();
        gate.tally = Tally {
            completed: gate.tally.completed + u64::from(plain[0] + urgent[0]),
            failed: gate.tally.failed + u64::from(plain[1] + urgent[1]),
            cancelled: gate.tally.cancelled + u64::from(plain[2] + urgent[2]),
        };
        gate
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.run == Run::Ended
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.members.iter().any(|member| member.locks_the_gate())
    }

    pub(crate) fn open_transactions(&self) -> usize {
        self.members.iter().filter(|member| member.has_open_transaction()).count()
    }

    /// Epochs matter only as *closed at this one*, *at an older one* or *not*; slips and counts of
    /// a life that has ended not at all.
    pub(crate) fn canonical(mut self) -> Self {
        self.epoch = u64::from(self.gate.closed_at.is_some_and(|at| at != self.epoch));
        self.gate.closed_at = self.gate.closed_at.map(|_| 0);
        if self.has_ended() {
            self.gate = Gate::default();
            self.slips = Slips::default();
            (self.epoch, self.has_opened, self.has_suspended) = (0, false, false);
        }
        self
    }

    /// The state in 128 bits, counts of the row among them: a broken variant may have two states
    /// that differ in these alone.
    pub(crate) fn pack(&self) -> u128 {
        let mut bits = 0u128;
        let mut put = |value: u64, width: u32| bits = bits << width | u128::from(value);
        for member in &self.members {
            put(member.phase as u64, 4);
            put(member.first_end.map_or(0, |end| end as u64 + 1), 2);
            put(
                u64::from(member.is_sent) << 2
                    | u64::from(member.is_redriven) << 1
                    | u64::from(member.is_accepted),
                3,
            );
        }
        for count in self.slips.plain.iter().chain(&self.slips.urgent) {
            put(u64::from(*count), 3);
        }
        put(u64::from(self.slips.raises), 4);
        put(u64::from(self.slips.looks) << 1 | u64::from(self.slips.wakes), 2);
        put(self.gate.needs, 4);
        let Tally { completed, failed, cancelled } = self.gate.tally;
        for count in [self.gate.signals, completed, failed, cancelled] {
            put(count, 4);
        }
        put(u64::from(self.gate.is_sealed) << 1 | u64::from(self.gate.heeds_urgent), 2);
        put(self.gate.closed_at.map_or(0, |_| 1) << 1 | self.epoch, 2);
        put(self.run as u64, 3);
        put(u64::from(self.has_suspended) << 1 | u64::from(self.has_opened), 2);
        bits
    }
}
