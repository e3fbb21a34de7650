//! Texts that several statements have in common, by which their places are filled.

/// The columns of a body, as row `b`.
pub(super) const BODY: &str = "b.seq, b.id, b.kind, b.priority, b.created_at, b.terms, b.expires_in, b.tags";
/// The columns of a body in row `i`, which is an item of a request with its body.
pub(super) const ITEM: &str = "i.seq, i.id, i.kind, i.priority, i.created_at, i.terms, i.expires_in, i.tags";
/// The columns of a state, as row `s`, wherever it came from.
pub(super) const STATE: &str = "s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, s.expires_at, s.worker, \
    s.token, s.settled_token, s.settled_event, s.reason, s.finished_at, s.purge_at, s.error_name, s.error_message, \
    s.progress, s.claimed_at, s.failed_at";
/// The state of a row `s` of `ready`.
pub(super) const WAITING: &str = "s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, \
    NULL::bigint AS expires_at, NULL::text AS worker, NULL::bytea AS token, s.settled_token, s.settled_event, \
    NULL::smallint AS reason, NULL::bigint AS finished_at, NULL::bigint AS purge_at, s.error_name, s.error_message, \
    s.progress, s.claimed_at, s.failed_at";
/// The state of a row `s` of `lease`.
pub(super) const LEASED: &str = "1::smallint AS state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, \
    s.expires_at, s.worker, s.token, NULL::bytea AS settled_token, NULL::smallint AS settled_event, \
    NULL::smallint AS reason, NULL::bigint AS finished_at, NULL::bigint AS purge_at, s.error_name, s.error_message, \
    s.progress, s.claimed_at, s.failed_at";
/// The state of a row `s` of `finished`.
pub(super) const TERMINAL: &str = "s.state, s.revision, s.run_at, s.epoch, s.failures, s.stalls, s.flags, \
    NULL::bigint AS expires_at, NULL::text AS worker, NULL::bytea AS token, s.settled_token, s.settled_event, s.reason, \
    s.finished_at, s.purge_at, s.error_name, s.error_message, s.progress, s.claimed_at, s.failed_at";
/// The small columns of a row `j` of the view `job`.
pub(super) const JOB: &str = "j.seq, j.id, j.kind, j.priority, j.created_at, j.terms, j.expires_in, j.tags, j.state, j.revision, j.run_at, j.epoch, j.failures, j.stalls, \
    j.flags, j.expires_at, j.worker, j.token, j.settled_token, j.settled_event, j.reason, j.finished_at, j.purge_at, j.error_name, j.error_message, \
    j.progress, j.claimed_at, j.failed_at, j.gate, j.partition";
/// The gate of a job that has one, with what is not folded, as the view `job` has it.
macro_rules! gate_of {
    ($flags:literal, $queue:literal, $seq:literal) => {
        concat!(
            "CASE WHEN ", $flags, " & 16 <> 0 THEN (SELECT ARRAY[g.needs, g.signals, g.completed, g.failed, \
            g.cancelled, g.is_sealed::integer, g.heeds_urgent::integer, g.closed_at, p.raises, p.completed, p.failed, \
            p.cancelled] FROM {schema}.gate AS g CROSS JOIN LATERAL (SELECT coalesce(sum(raises), 0)::bigint AS raises, \
            coalesce(sum(completed), 0)::bigint AS completed, coalesce(sum(failed), 0)::bigint AS failed, \
            coalesce(sum(cancelled), 0)::bigint AS cancelled FROM {schema}.slip WHERE queue = ", $queue,
            " AND target = ", $seq, ") AS p WHERE g.queue = ", $queue, " AND g.seq = ", $seq, " LIMIT 1) END"
        )
    };
}
/// That of an item `i` with its state `s`, and of a completed job `i`, each with the partition, and
/// of a claimed job `s`.
pub(super) const GATE_OF_MOVED: &str = concat!(gate_of!("s.flags", "i.queue", "i.seq"), ", i.partition");
pub(super) const GATE_OF_HELD: &str = concat!(gate_of!("i.flags", "i.queue", "i.seq"), ", i.partition");
pub(super) const GATE_OF_CLAIMED: &str = gate_of!("s.flags", "$2", "s.seq");
/// Sends the end signals of the jobs in `ended`.
pub(super) const SENDS: &str = include_str!("../../sql/parts/sends.sql");
/// What sends the end signals of jobs that a statement ends, and what its answer has of that.
pub(super) const SENDS_HELD: &str = include_str!("../../sql/parts/sends_held.sql");
pub(super) const SENDS_NEXT: &str = include_str!("../../sql/parts/sends_next.sql");
pub(super) const WOKEN: &str = " + (SELECT sent FROM woken)";
/// Deletes the gates and end signals of removed jobs.
pub(super) const UNGATED: &str = include_str!("../../sql/parts/ungated.sql");
/// When row `j` of the view `job` came into its state.
pub(super) const ENTERED_AT: &str = "coalesce(CASE j.state WHEN 0 THEN NULL WHEN 1 THEN j.claimed_at WHEN 2 THEN j.failed_at \
    ELSE j.finished_at END, j.created_at)";
/// Whether a queue has limits of how many jobs run: then the end of a lease may be what a claim
/// waits for, in a partition of job `s`.
pub(super) const IS_LIMITED: &str = " AND EXISTS (SELECT 1 FROM {schema}.queue_limit AS l \
    WHERE l.queue = s.queue AND l.running IS NOT NULL)";
/// What `enqueue_new.sql` does besides for jobs with headers, tags or partitions: what it takes,
/// reads and writes of them.
pub(super) const LABELS_TAKEN: &str = ", $15::text[], $16::text[], $17::text[]";
pub(super) const LABELS_READ: &str = ", nullif(coalesce(i.headers, ($15::text[])[1]), '') AS headers, \
    nullif(coalesce(i.tags, ($16::text[])[1]), '') AS tags, \
    nullif(coalesce(i.partition, ($17::text[])[1]), '') AS partition";
pub(super) const LABELS: &str = ", headers, tags, partition";
/// The partition of a job that may have one, and where it stands in `ready`.
pub(super) const PARTITION: &str = ", partition";
pub(super) const PLACE: &str = "{schema}.place(priority, partition)";
pub(super) const TAGGED: &str = "
tagged AS (
  INSERT INTO {schema}.tag (queue, tag, seq)
  SELECT $2, tag.tag, i.seq FROM i CROSS JOIN unnest(string_to_array(i.tags, E'\\n')) AS tag (tag)
),";
/// Notifies subscribers of other processes of removed records: of awaited ones, or of all if the
/// queue has a follower.
pub(super) const TOLD_LOST: &str = "
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
pub(super) const COUNTED: &str = "coalesce(s.unfinished, 0) + coalesce(d.unfinished, 0), \
    coalesce(s.failing, 0) + coalesce(d.failing, 0), coalesce(s.completed, 0) + coalesce(d.completed, 0), \
    coalesce(s.failed, 0) + coalesce(d.failed, 0), coalesce(s.cancelled, 0) + coalesce(d.cancelled, 0)";
/// How many jobs of queue `q` run, how many are due later, and the earliest due time of those that
/// are due: a look into the order of claims for each priority, and for each line and the partitions
/// besides.
pub(super) const WAITS: &str = "
  SELECT
    (SELECT count(*) FROM {schema}.lease AS l WHERE l.queue = q.queue) AS running, sum(l.scheduled)::bigint AS scheduled,
    least(min(l.oldest), (SELECT r.run_at FROM {schema}.ready AS r WHERE r.queue = q.queue AND r.priority = 2162688 AND r.seq > 0 AND r.run_at <= (SELECT now FROM t) ORDER BY r.run_at, r.seq LIMIT 1)) AS oldest,
    (SELECT count(*) FROM {schema}.ready AS r
     WHERE r.queue = q.queue AND r.priority = 2162688 AND r.run_at > (SELECT now FROM t) AND r.seq > 0) AS gated
  FROM (
    SELECT
      (SELECT count(*) FROM {schema}.ready AS r
       WHERE r.queue = q.queue AND r.priority = l.priority AND r.run_at > (SELECT now FROM t)
         AND r.seq > 0) AS scheduled,
      (SELECT r.run_at FROM {schema}.ready AS r
       WHERE r.queue = q.queue AND r.priority = l.priority AND r.run_at <= (SELECT now FROM t)
         AND r.seq > 0
       ORDER BY r.run_at, r.seq LIMIT 1) AS oldest
    FROM (
      SELECT l.priority FROM {schema}.lane AS l WHERE l.queue = q.queue
      UNION ALL
      SELECT l.priority + k.line * 65536 FROM {schema}.line AS k JOIN {schema}.lane AS l ON l.queue = k.queue
      WHERE k.queue = q.queue
      UNION ALL
      SELECT l.priority + 2228224 FROM {schema}.queue AS k JOIN {schema}.lane AS l ON l.queue = k.queue
      WHERE k.queue = q.queue AND k.has_partitions
    ) AS l
  ) AS l
";
/// The kinds of queue `q` that are or were paused, and the numbers of their pauses.
pub(super) const PAUSED_KINDS: &str = "ARRAY(SELECT kind FROM {schema}.line WHERE queue = q.queue ORDER BY kind), \
    ARRAY(SELECT paused FROM {schema}.line WHERE queue = q.queue ORDER BY kind)";
/// What claims with and without lines have in common: the lease of what was picked, and what else a
/// claimer wants to know.
pub(super) const LEASING: &str = include_str!("../../sql/parts/leasing.sql");
/// What of the picked jobs one claim takes, for how long and for whom.
pub(super) const ROOM: &str = include_str!("../../sql/parts/room.sql");
pub(super) const LEASE_LENGTH: &str = "$4";
pub(super) const HOLDER: &str = "$5, $6";
/// The same for each of several claims, and which of them a job goes to.
pub(super) const SHARES: &str = include_str!("../../sql/parts/shares.sql");
pub(super) const LEASE_LENGTHS: &str = "s.lease";
pub(super) const HOLDERS: &str = "s.token, s.worker";
pub(super) const ASKER: &str = ", p.n, p.token, p.worker, p.lease";
pub(super) const DEALT: &str = ", s.n AS asker, (SELECT min(n) FROM shares WHERE is_over) AS cut";
pub(super) const CLAIM_HINTS: &str = include_str!("../../sql/parts/claim_hints.sql");
/// Store time and the clock behind it, by the server's clock: never behind the mark of the schema,
/// nor behind the floor of this handle.
pub(super) const SERVER_TIME: &str = "greatest($1::bigint, (SELECT mark FROM {schema}.clock), c.clock) AS now, c.clock \
    FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock) AS c";
/// Store time by a clock that the caller injected, whose reading is in `$1` already.
pub(super) const CALLERS_TIME: &str =
    "greatest($1::bigint, (SELECT mark FROM {schema}.clock)) AS now, NULL::bigint AS clock";
/// Store time alone, as an expression.
pub(super) const NOW: &str = "(SELECT now FROM (SELECT {time}) AS t)";
/// The time of a reply, in one column.
pub(super) const STAMP: &str = "ARRAY[t.now, t.clock]";
