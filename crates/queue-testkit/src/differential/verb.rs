//! The random verbs of a run, and how they are generated.

use super::{
    op::{Doomed, Filter, How, IDS, KINDS, New, PARTITIONS, TAGS, What},
    strategy,
};
use proptest::{
    collection::vec,
    option::weighted,
    prelude::{BoxedStrategy, Just, Strategy},
    sample::select,
    strategy::Union,
};
use queue_core::{ClaimRequest, Direction, Kind, ListFilter, State, Tag, Walk};

/// Queues of one store, whose jobs must not mix.
pub(super) const QUEUES: [&str; 3] = ["one", "two", "two:three"];
/// The most verbs of a run.
const VERBS_MAX: usize = 60;

/// One call of a verb, or a step of the clock. A verb about a job names one of the remembered
/// sights, since only the store knows the numbers of its lives.
#[derive(Clone, Debug)]
pub(super) enum Verb {
    Enqueue {
        queue: usize,
        groups: Vec<Vec<New>>,
    },
    /// A claim with room for this many bytes; a late one has passed its `not_after`.
    Claim {
        queue: usize,
        limit: usize,
        lease_ms: i64,
        bytes_max: usize,
        is_late: bool,
    },
    Apply(Vec<Pick>),
    Rescue {
        queue: usize,
    },
    Get {
        queue: usize,
    },
    List {
        queue: usize,
        filter: Filter,
        page: usize,
    },
    /// A listing along an index.
    Walk {
        queue: usize,
        walk: Walk,
        filter: ListFilter,
        /// Jobs that entered their state between so many milliseconds ago (`.0`) and so many
        /// (`.1`); replaces the filter's own condition.
        entered_ago: Option<(i64, i64)>,
        page: usize,
    },
    /// The attempts that were charged to each job.
    Attempts {
        queue: usize,
    },
    /// The jobs that the latest claim still holds.
    Held {
        queue: usize,
    },
    Counts {
        queue: usize,
    },
    Queues,
    Prune {
        queue: usize,
        doomed: Doomed,
    },
    /// A pause of a queue, or of a kind, for so long or until it is resumed.
    Pause {
        queue: usize,
        kind: Option<usize>,
        ms: Option<i64>,
    },
    Resume {
        queue: usize,
        kind: Option<usize>,
    },
    /// A limit of each partition, or of one, is set or taken away.
    Limit {
        queue: usize,
        of: Option<usize>,
        running: Option<u32>,
    },
    Partitions {
        queue: usize,
    },
    Pass {
        ms: i64,
    },
    Back {
        ms: i64,
    },
    /// The handle is closed and another one opened.
    Reopen,
}

/// A transition, to be decided on a sight.
#[derive(Clone, Debug)]
pub(super) struct Pick {
    pub(super) sight: usize,
    pub(super) deed: Deed,
}

/// The change that is decided on the sight.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    /// An event of the holder; a sight that does not come from a claim is tried under the latest
    /// token.
    Hold(How),
    /// An event of a caller without a lease, with followers.
    Change(What, Vec<New>),
}

/// The size of a workload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) queues: usize,
    /// The most transitions in one call.
    pub(super) batch: usize,
    /// Jobs have partitions, and queues limits.
    pub(super) has_partitions: bool,
}

pub(super) fn verbs(width: Width) -> BoxedStrategy<Vec<Verb>> {
    vec(verb(width), 1..VERBS_MAX).boxed()
}

/// What shows where all jobs came to.
pub(super) fn last_look() -> impl Iterator<Item = Verb> {
    (0..QUEUES.len()).map(|queue| Verb::Get { queue })
}

fn verb(width: Width) -> BoxedStrategy<Verb> {
    let Width { queues, batch, has_partitions } = width;
    let queue = move || 0..queues;
    let picks = move || vec(pick(), 1..=batch);
    let group = Union::new_weighted(vec![(2, vec(strategy::new(), 1..4).boxed()), (1, strategy::family())]);
    let enqueue = (queue(), vec(group, 1..4));
    let list = (queue(), strategy::listing());
    let list = list.prop_map(|(queue, (filter, page))| Verb::List { queue, filter, page });
    let mut kinds = vec![
        (5, enqueue.prop_map(|(queue, groups)| Verb::Enqueue { queue, groups }).boxed()),
        (8, claim(queues)),
        (9, picks().prop_map(Verb::Apply).boxed()),
        (2, queue().prop_map(|queue| Verb::Rescue { queue }).boxed()),
        (2, queue().prop_map(|queue| Verb::Get { queue }).boxed()),
        (2, list.boxed()),
        (4, walk(queues)),
        (2, queue().prop_map(|queue| Verb::Attempts { queue }).boxed()),
        (2, queue().prop_map(|queue| Verb::Held { queue }).boxed()),
        (2, queue().prop_map(|queue| Verb::Counts { queue }).boxed()),
        (2, Just(Verb::Queues).boxed()),
        (1, (queue(), strategy::doomed()).prop_map(|(queue, doomed)| Verb::Prune { queue, doomed }).boxed()),
        (1, pause(queues, Just(None).boxed())),
        (2, queue().prop_map(|queue| Verb::Resume { queue, kind: None }).boxed()),
        (2, pause(queues, (0..KINDS.len()).prop_map(Some).boxed())),
        (1, resume_kind(queues)),
        (5, strategy::millis().prop_map(|ms| Verb::Pass { ms }).boxed()),
        (1, strategy::millis().prop_map(|ms| Verb::Back { ms }).boxed()),
        (1, Just(Verb::Reopen).boxed()),
    ];
    if has_partitions {
        kinds.push((5, limit(queues)));
        kinds.push((4, queue().prop_map(|queue| Verb::Partitions { queue }).boxed()));
    }
    Union::new_weighted(kinds).boxed()
}

fn limit(queues: usize) -> BoxedStrategy<Verb> {
    let running = select(&[Some(1), Some(2), Some(1), Some(0), None][..]);
    (0..queues, weighted(0.5, 0..PARTITIONS.len()), running)
        .prop_map(|(queue, of, running)| Verb::Limit { queue, of, running })
        .boxed()
}

/// A pause of a kind, or of a queue.
fn pause(queues: usize, kind: BoxedStrategy<Option<usize>>) -> BoxedStrategy<Verb> {
    (0..queues, kind, weighted(0.5, strategy::millis()))
        .prop_map(|(queue, kind, ms)| Verb::Pause { queue, kind, ms })
        .boxed()
}

fn resume_kind(queues: usize) -> BoxedStrategy<Verb> {
    (0..queues, 0..KINDS.len()).prop_map(|(queue, kind)| Verb::Resume { queue, kind: Some(kind) }).boxed()
}

fn walk(queues: usize) -> BoxedStrategy<Verb> {
    let directions = [Direction::NewestFirst, Direction::OldestFirst];
    let mut walks = vec![Walk::Due, Walk::Scheduled, Walk::Gated, Walk::Gated, Walk::Lapsed];
    for direction in directions {
        walks.push(Walk::All(direction));
        walks.extend(State::ALL.map(|state| Walk::State(state, direction)));
        walks.extend(TAGS.map(|tag| Walk::Tagged(Tag::new(tag).expect("a valid tag"), direction)));
    }
    let named = (weighted(0.2, 0..KINDS.len()), weighted(0.2, 0..TAGS.len()), weighted(0.2, 0..IDS.len()));
    let filter =
        (weighted(0.2, vec(select(&State::ALL[..]), 1..3)), named).prop_map(|(states, (kind, tag, id))| {
            ListFilter {
                states: states.unwrap_or_default(),
                kind: kind.map(|nth| Kind::from_static(KINDS[nth])),
                worker: None,
                partition: None,
                tag: tag.map(|nth| Tag::new(TAGS[nth]).expect("a valid tag")),
                id_prefix: id.map(|nth| IDS[nth].to_owned()),
                entered: None,
            }
        });
    let entered_ago = weighted(0.3, (strategy::millis(), strategy::millis()));
    (0..queues, select(walks), filter, entered_ago, 1..4_usize)
        .prop_map(|(queue, walk, filter, entered_ago, page)| Verb::Walk {
            queue,
            walk,
            filter,
            entered_ago,
            page,
        })
        .boxed()
}

fn claim(queues: usize) -> BoxedStrategy<Verb> {
    let lease_ms = Union::new([Just(30_000), Just(1_000), Just(1)]);
    let bytes_max = Union::new([Just(ClaimRequest::BYTES_MAX), Just(6), Just(0)]);
    let is_late = Union::new_weighted(vec![(9, Just(false)), (1, Just(true))]);
    (0..queues, 0..8_usize, lease_ms, bytes_max, is_late)
        .prop_map(|(queue, limit, lease_ms, bytes_max, is_late)| Verb::Claim {
            queue,
            limit,
            lease_ms,
            bytes_max,
            is_late,
        })
        .boxed()
}

fn pick() -> BoxedStrategy<Pick> {
    let hold = strategy::how().prop_map(Deed::Hold);
    let change = (strategy::what(), strategy::then()).prop_map(|(what, then)| Deed::Change(what, then));
    let deed = Union::new_weighted(vec![(2, hold.boxed()), (1, change.boxed())]);
    (0..super::player::SIGHTS_MAX, deed).prop_map(|(sight, deed)| Pick { sight, deed }).boxed()
}
