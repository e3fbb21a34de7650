//! The statements, one per file under `sql/`, each with a header that says what it takes, gives and
//! keeps.
//!
//! The name of the schema is part of a statement's text, since it cannot be a parameter; so every
//! handle renders its own statements once. Ids and names of jobs are parameters, always.

mod listings;
mod template;

pub(crate) use template::{Filling, fill};

use crate::{options::Time, schema::SchemaName};
use listings::Listings;
use sqlx::{AssertSqlSafe, Postgres, postgres::PgArguments, query::Query};
use std::sync::Arc;

/// The columns of a body, as row `b`.
const BODY: &str = "b.seq, b.id, b.kind, b.priority, b.created_at, b.max_attempts, b.max_stalls, b.keep_completed, \
    b.keep_failed, b.expires_in, b.time_limit, b.on_failure, b.tags";
/// The columns of a body in row `i`, which is an item of a request with its body.
const ITEM: &str = "i.seq, i.id, i.kind, i.priority, i.created_at, i.max_attempts, i.max_stalls, i.keep_completed, \
    i.keep_failed, i.expires_in, i.time_limit, i.on_failure, i.tags";
/// The columns of a state, as row `s`, wherever it came from.
const STATE: &str = "s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.expires_at, s.worker, \
    s.token, s.settled_token, s.settled_event, s.reason, s.finished_at, s.purge_at, s.error_name, s.error_message, \
    s.progress, s.claimed_at, s.failed_at";
/// The state of a row `s` of `ready`.
const WAITING: &str = "s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, \
    NULL::bigint AS expires_at, NULL::text AS worker, NULL::bytea AS token, s.settled_token, s.settled_event, \
    NULL::smallint AS reason, NULL::bigint AS finished_at, NULL::bigint AS purge_at, s.error_name, s.error_message, \
    s.progress, s.claimed_at, s.failed_at";
/// The state of a row `s` of `lease`.
const LEASED: &str = "1::smallint AS state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, \
    s.expires_at, s.worker, s.token, NULL::bytea AS settled_token, NULL::smallint AS settled_event, \
    NULL::smallint AS reason, NULL::bigint AS finished_at, NULL::bigint AS purge_at, s.error_name, s.error_message, \
    s.progress, s.claimed_at, s.failed_at";
/// The state of a row `s` of `finished`.
const TERMINAL: &str = "s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, \
    NULL::bigint AS expires_at, NULL::text AS worker, NULL::bytea AS token, s.settled_token, s.settled_event, s.reason, \
    s.finished_at, s.purge_at, s.error_name, s.error_message, s.progress, s.claimed_at, s.failed_at";
/// The small columns of a row `j` of the view `job`.
const JOB: &str = "j.seq, j.id, j.kind, j.priority, j.created_at, j.max_attempts, j.max_stalls, j.keep_completed, \
    j.keep_failed, j.expires_in, j.time_limit, j.on_failure, j.tags, j.state, j.revision, j.run_at, j.epoch, j.failures, j.stalls, \
    j.flags, j.expires_at, j.worker, j.token, j.settled_token, j.settled_event, j.reason, j.finished_at, j.purge_at, j.error_name, j.error_message, \
    j.progress, j.claimed_at, j.failed_at";
/// When row `j` of the view `job` came into its state.
const ENTERED_AT: &str = "coalesce(CASE j.state WHEN 0 THEN NULL WHEN 1 THEN j.claimed_at WHEN 2 THEN j.failed_at \
    ELSE j.finished_at END, j.created_at)";
/// What `enqueue_new.sql` does besides for jobs with headers or tags: what it takes, reads and
/// writes of them.
const LABELS_TAKEN: &str = ", $20::text[], $21::text[]";
const LABELS_READ: &str = ", nullif(coalesce(i.headers, ($20::text[])[1]), '') AS headers, \
    nullif(coalesce(i.tags, ($21::text[])[1]), '') AS tags";
const LABELS: &str = ", headers, tags";
const TAGGED: &str = "
tagged AS (
  INSERT INTO {schema}.tag (queue, tag, seq)
  SELECT $2, tag.tag, i.seq FROM i CROSS JOIN unnest(string_to_array(i.tags, E'\\n')) AS tag (tag)
),";
/// Tells subscribers of other processes about removed records: those that somebody awaits, or all
/// if somebody follows the queue.
const TOLD_LOST: &str = "
  SELECT count(pg_notify($5::text, $6::text || E'\\n' || lines)) AS sent
  FROM (
    SELECT string_agg(concat_ws(E'\\t', 'j', $2, seq, revision + 1, -1, id), E'\\n') AS lines
    FROM (
      SELECT row_number() OVER (ORDER BY seq) / 20 AS part, lost.* FROM lost
      WHERE flags & 2 <> 0
        OR EXISTS (SELECT 1 FROM {schema}.feed WHERE queue = $2 AND until > (SELECT now FROM t))
    ) AS l
    GROUP BY part
  ) AS parts
  WHERE $5::text IS NOT NULL
";
/// The sums of a queue's counters, from its total `s` and its changes `d`.
const COUNTED: &str = "coalesce(s.unfinished, 0) + coalesce(d.unfinished, 0), \
    coalesce(s.failing, 0) + coalesce(d.failing, 0), coalesce(s.completed, 0) + coalesce(d.completed, 0), \
    coalesce(s.failed, 0) + coalesce(d.failed, 0), coalesce(s.cancelled, 0) + coalesce(d.cancelled, 0)";
/// How many jobs of queue `q` run, how many are due later, and the earliest due time of those that
/// are due: a look into the order of claims for each priority.
const WAITS: &str = "
  SELECT
    (SELECT count(*) FROM {schema}.lease AS l WHERE l.queue = q.queue) AS running, sum(l.scheduled)::bigint AS scheduled,
    min(l.oldest) AS oldest
  FROM (
    SELECT
      (SELECT count(*) FROM {schema}.ready AS r
       WHERE r.queue = q.queue AND r.priority = l.priority AND r.run_at > (SELECT now FROM t)
         AND r.seq > 0) AS scheduled,
      (SELECT r.run_at FROM {schema}.ready AS r
       WHERE r.queue = q.queue AND r.priority = l.priority AND r.run_at <= (SELECT now FROM t)
         AND r.seq > 0
       ORDER BY r.run_at, r.seq LIMIT 1) AS oldest
    FROM {schema}.lane AS l WHERE l.queue = q.queue
  ) AS l
";
/// Store time and the clock behind it, by the server's clock: never behind the mark of the schema,
/// nor behind the floor of this handle.
const SERVER_TIME: &str = "greatest($1::bigint, (SELECT mark FROM {schema}.clock), c.clock) AS now, c.clock \
    FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock) AS c";
/// Store time by a clock that the caller injected, whose reading is in `$1` already.
const CALLERS_TIME: &str =
    "greatest($1::bigint, (SELECT mark FROM {schema}.clock)) AS now, NULL::bigint AS clock";
/// Store time alone, as an expression.
const NOW: &str = "(SELECT now FROM (SELECT {time}) AS t)";
/// The time that a reply tells, in one column.
const STAMP: &str = "ARRAY[t.now, t.clock]";

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
pub(crate) struct Renderer {
    schema: String,
    /// The sequence and two tables, as literals.
    literals: [String; 3],
    time: &'static str,
    is_kept: bool,
    /// The statement is for jobs with headers or tags.
    has_labels: bool,
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
            walk: "",
            is_reversed: false,
        }
    }

    /// The text of a file with everything filled in.
    pub(crate) fn text(&self, file: &str) -> String {
        let Self { schema, literals: [life, ready, lease], time, walk, is_reversed, .. } = self;
        let label = |text| if self.has_labels { text } else { "" };
        fill(file, &|place| {
            Some(match place {
                "now" => Filling::Template(NOW),
                "time" => Filling::Template(time),
                "stamp" => Filling::Template(STAMP),
                "told_lost" => Filling::Template(TOLD_LOST),
                "moved" => Filling::Template("{item}, {state}"),
                "body" => Filling::Template(BODY),
                "item" => Filling::Template(ITEM),
                "state" => Filling::Template(STATE),
                "waiting" => Filling::Template(WAITING),
                "leased" => Filling::Template(LEASED),
                "terminal" => Filling::Template(TERMINAL),
                "job" => Filling::Template(JOB),
                "counted" => Filling::Template(COUNTED),
                "waits" => Filling::Template(WAITS),
                "entered_at" => Filling::Template(ENTERED_AT),
                "labels" => Filling::Template(label(LABELS)),
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
            pub(crate) enqueue_new_labelled: Statement,
            pub(crate) listings: Listings,
        }

        impl Statements {
            /// Renders every file.
            pub(crate) fn new(mut renderer: Renderer) -> Self {
                Self {
                    $($name: renderer.statement(include_str!(concat!("../../sql/", $file, ".sql"))),)*
                    enqueue_new_labelled: renderer.labelled(include_str!("../../sql/enqueue_new.sql")),
                    listings: Listings::new(&mut renderer),
                }
            }
        }
    };
}

statements! {
    add_lanes = "add_lanes";
    add_queue = "add_queue";
    amend = "amend";
    attempts = "attempts";
    claim = "claim";
    complete = "complete";
    count_records = "count_records";
    counts = "counts";
    dead_rows = "dead_rows";
    delete_series = "delete_series";
    delete_worker = "delete_worker";
    diagnose = "diagnose";
    diagnose_snapshot = "diagnose_snapshot";
    diagnose_tables = "diagnose_tables";
    set_duty = "set_duty";
    enqueue = "enqueue";
    enqueue_new = "enqueue_new";
    extend = "extend";
    find_lanes = "find_lanes";
    find_lives = "find_lives";
    find_queues = "find_queues";
    fold = "fold";
    follow = "follow";
    get_full = "get_full";
    get_meta = "get_jobs";
    import = "import";
    import_attempts = "import_attempts";
    import_holders = "import_holders";
    import_purged = "import_purged";
    import_raise = "import_raise";
    list_series = "list_series";
    list_workers = "list_workers";
    mark = "mark";
    move_jobs = "move";
    notify = "notify";
    now = "now";
    prune_everything = "prune_everything";
    prune_expired = "prune_expired";
    prune_finished = "prune_finished";
    queues = "queues";
    raise_clock = "raise_clock";
    recount = "recount";
    save_series = "save_series";
    save_worker = "save_worker";
    set_paused = "set_paused";
    take_turns = "take_turns";
    verify = "verify";
}
