//! The statements, one per file under `sql/`, each with a header that says what it takes, gives and
//! keeps.
//!
//! The name of the schema is part of a statement's text, since it cannot be a parameter; so every
//! handle renders its own statements once. Ids and names of jobs are parameters, always.

mod listings;
mod parts;
mod template;

pub(crate) use template::{Filling, fill};

use crate::{options::Time, schema::SchemaName};
use listings::Listings;
use parts::{
    ASKER, BODY, CALLERS_TIME, CLAIM_HINTS, COUNTED, DEALT, ENTERED_AT, GATE_OF_CLAIMED, GATE_OF_HELD,
    GATE_OF_MOVED, HOLDER, HOLDERS, IS_LIMITED, ITEM, JOB, LABELS, LABELS_READ, LABELS_TAKEN, LEASE_LENGTH,
    LEASE_LENGTHS, LEASED, LEASING, NOW, PARTITION, PAUSED_KINDS, PLACE, ROOM, SENDS, SENDS_HELD, SENDS_NEXT,
    SERVER_TIME, SHARES, STAMP, STATE, TAGGED, TERMINAL, TOLD_LOST, UNGATED, WAITING, WAITS, WOKEN,
};
use sqlx::{AssertSqlSafe, Postgres, postgres::PgArguments, query::Query};
use std::sync::Arc;

/// A statement whose text is ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    text: Arc<str>,
    is_kept: bool,
}

impl Statement {
    /// A query to bind arguments to.
    pub(crate) fn query(&self) -> Query<'static, Postgres, PgArguments> {
        sqlx::query(AssertSqlSafe(self.text.clone())).persistent(self.is_kept)
    }
}

/// Renders statements: fills in the places in braces.
#[expect(clippy::struct_excessive_bools, reason = "each says what one place is filled with")]
pub(crate) struct Renderer {
    schema: String,
    /// The sequence and two tables, as literals.
    literals: [String; 3],
    time: &'static str,
    is_kept: bool,
    /// The statement is for jobs with headers, tags or partitions.
    has_labels: bool,
    /// The statement ends jobs with end signals.
    sends: bool,
    /// The statement answers several claims.
    shares: bool,
    /// How a listing goes along its index: what it steps through, and from which end.
    walk: &'static str,
    is_reversed: bool,
}

impl Renderer {
    /// For one schema and clock. `is_kept` says whether connections remember how a statement was
    /// prepared.
    pub(crate) fn new(schema: &SchemaName, time: &Time, is_kept: bool) -> Self {
        let time = match time {
            Time::Server => SERVER_TIME,
            Time::Injected(_) => CALLERS_TIME,
        };
        let literals = ["life", "ready", "lease"].map(|object| schema.literal_of(object));
        Self {
            schema: schema.quoted(),
            literals,
            time,
            is_kept,
            has_labels: false,
            sends: false,
            shares: false,
            walk: "",
            is_reversed: false,
        }
    }

    /// The text of a file with everything filled in.
    pub(crate) fn text(&self, file: &str) -> String {
        let Self { schema, literals: [life, ready, lease], time, walk, is_reversed, .. } = self;
        let label = |text| if self.has_labels { text } else { "" };
        let sent = |text| if self.sends { text } else { "" };
        let shared = |text| if self.shares { text } else { "" };
        fill(file, &|place| {
            Some(match place {
                "now" => Filling::Template(NOW),
                "time" => Filling::Template(time),
                "stamp" => Filling::Template(STAMP),
                "told_lost" => Filling::Template(TOLD_LOST),
                "moved" => Filling::Template("{item}, {state}, {gate_of_moved}"),
                "gate_of_moved" => Filling::Template(GATE_OF_MOVED),
                "gate_of_held" => Filling::Template(GATE_OF_HELD),
                "gate_of_claimed" => Filling::Template(GATE_OF_CLAIMED),
                "sends" => Filling::Template(SENDS),
                "sends_held" => Filling::Template(sent(SENDS_HELD)),
                "sends_next" => Filling::Template(sent(SENDS_NEXT)),
                "woken" => Filling::Template(sent(WOKEN)),
                "ungated" => Filling::Template(UNGATED.trim_end()),
                "body" => Filling::Template(BODY),
                "item" => Filling::Template(ITEM),
                "state" => Filling::Template(STATE),
                "waiting" => Filling::Template(WAITING),
                "leased" => Filling::Template(LEASED),
                "terminal" => Filling::Template(TERMINAL),
                "job" => Filling::Template(JOB),
                "counted" => Filling::Template(COUNTED),
                "waits" => Filling::Template(WAITS),
                "paused_kinds" => Filling::Template(PAUSED_KINDS),
                "leasing" => Filling::Template(LEASING.trim_end()),
                "room" => Filling::Text(if self.shares { SHARES } else { ROOM }.trim_end()),
                "lease_length" => Filling::Text(if self.shares { LEASE_LENGTHS } else { LEASE_LENGTH }),
                "holder" => Filling::Text(if self.shares { HOLDERS } else { HOLDER }),
                "asker" => Filling::Text(shared(ASKER)),
                "dealt" => Filling::Text(shared(DEALT)),
                "claim_hints" => Filling::Template(CLAIM_HINTS.trim_end()),
                "entered_at" => Filling::Template(ENTERED_AT),
                "labels" => Filling::Template(label(LABELS)),
                "partition" => Filling::Text(label(PARTITION)),
                "place" => Filling::Template(if self.has_labels { PLACE } else { "priority" }),
                "by_server" => Filling::Text(if *time == SERVER_TIME { "true" } else { "false" }),
                "is_limited" => Filling::Template(IS_LIMITED),
                "labels_taken" => Filling::Template(label(LABELS_TAKEN)),
                "labels_read" => Filling::Template(label(LABELS_READ)),
                "tagged" => Filling::Template(label(TAGGED)),
                "walk" => Filling::Template(walk.trim_end()),
                "ahead" => Filling::Text(if *is_reversed { "<" } else { ">" }),
                "turn" => Filling::Text(if *is_reversed { "DESC" } else { "ASC" }),
                "life" => Filling::Text(life),
                "ready" => Filling::Text(ready),
                "lease" => Filling::Text(lease),
                "schema" => Filling::Text(schema),
                _ => return None,
            })
        })
    }

    /// The listing along an index; `is_reversed` begins at its end.
    pub(crate) fn listing(&mut self, walk: &'static str, is_reversed: bool) -> Statement {
        (self.walk, self.is_reversed) = (walk, is_reversed);
        self.statement(include_str!("../../sql/list.sql"))
    }

    fn labelled(&mut self, file: &str) -> Statement {
        self.has_labels = true;
        let statement = self.statement(file);
        self.has_labels = false;
        statement
    }

    fn sending(&mut self, file: &str) -> Statement {
        self.sends = true;
        let statement = self.statement(file);
        self.sends = false;
        statement
    }

    fn sharing(&mut self, file: &str) -> Statement {
        self.shares = true;
        let statement = self.statement(file);
        self.shares = false;
        statement
    }

    fn statement(&self, file: &str) -> Statement {
        Statement { text: self.text(file).into(), is_kept: self.is_kept }
    }
}

/// Declares one field per statement, and how it is made of its file.
macro_rules! statements {
    ($($name:ident = $file:literal;)*) => {
        /// The statements of one handle.
        #[derive(Debug)]
        pub(crate) struct Statements {
            $(pub(crate) $name: Statement,)*
            pub(crate) claim_shared: Statement,
            pub(crate) claim_lines_shared: Statement,
            pub(crate) enqueue_new_labelled: Statement,
            pub(crate) complete_sending: Statement,
            pub(crate) move_sending: Statement,
            pub(crate) listings: Listings,
        }

        impl Statements {
            /// Renders every file.
            pub(crate) fn new(mut renderer: Renderer) -> Self {
                Self {
                    $($name: renderer.statement(include_str!(concat!("../../sql/", $file, ".sql"))),)*
                    claim_shared: renderer.sharing(include_str!("../../sql/claim.sql")),
                    claim_lines_shared: renderer.sharing(include_str!("../../sql/claim_lines.sql")),
                    enqueue_new_labelled: renderer.labelled(include_str!("../../sql/enqueue_new.sql")),
                    complete_sending: renderer.sending(include_str!("../../sql/complete.sql")),
                    move_sending: renderer.sending(include_str!("../../sql/move.sql")),
                    listings: Listings::new(&mut renderer),
                }
            }
        }
    };
}

statements! {
    add_gates = "add_gates";
    add_lanes = "add_lanes";
    add_queue = "add_queue";
    add_signals = "add_signals";
    add_partition_slips = "add_partition_slips";
    add_slips = "add_slips";
    amend = "amend";
    attempts = "attempts";
    claim = "claim";
    claim_in_turn = "claim_in_turn";
    claim_lines = "claim_lines";
    claimed = "claimed";
    close_gate = "close_gate";
    close_queue = "close_queue";
    complete = "complete";
    count_records = "count_records";
    counts = "counts";
    dead_rows = "dead_rows";
    delete_limits = "delete_limits";
    delete_lines = "delete_lines";
    delete_series = "delete_series";
    delete_worker = "delete_worker";
    diagnose = "diagnose";
    diagnose_snapshot = "diagnose_snapshot";
    diagnose_tables = "diagnose_tables";
    set_duty = "set_duty";
    end_timeouts = "end_timeouts";
    enqueue = "enqueue";
    enqueue_new = "enqueue_new";
    extend = "extend";
    find_gates = "find_gates";
    find_lanes = "find_lanes";
    find_lives = "find_lives";
    find_queues = "find_queues";
    find_ripe = "find_ripe";
    find_signals = "find_signals";
    fold = "fold";
    fold_gates = "fold_gates";
    follow = "follow";
    free_ids = "free_ids";
    get_full = "get_full";
    get_meta = "get_jobs";
    give_gate = "give_gate";
    import = "import";
    import_attempts = "import_attempts";
    import_gates = "import_gates";
    import_holders = "import_holders";
    import_purged = "import_purged";
    import_raise = "import_raise";
    import_signals = "import_signals";
    limits = "limits";
    lines = "lines";
    list_series = "list_series";
    list_workers = "list_workers";
    lock_ended_lines = "lock_ended_lines";
    lock_gates = "lock_gates";
    lock_queue = "lock_queue";
    lock_targets = "lock_targets";
    lock_turns = "lock_turns";
    look_at_gates = "look_at_gates";
    mark = "mark";
    mark_gates = "mark_gates";
    mark_partitions = "mark_partitions";
    move_jobs = "move";
    notify = "notify";
    now = "now";
    partitions = "partitions";
    prune_everything = "prune_everything";
    prune_expired = "prune_expired";
    prune_finished = "prune_finished";
    queues = "queues";
    raise_clock = "raise_clock";
    read_slips = "read_slips";
    recount = "recount";
    reserve_ids = "reserve_ids";
    save_limits = "save_limits";
    save_line = "save_line";
    save_series = "save_series";
    save_worker = "save_worker";
    seal_gate = "seal_gate";
    send = "send";
    set_paused = "set_paused";
    take_turns = "take_turns";
    try_lock_queue = "try_lock_queue";
    verify = "verify";
}
