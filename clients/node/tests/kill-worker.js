/**
 * A worker and a producer that note every call and its answer in a file, and are killed at random.
 *
 * `cargo xtask soak clients` starts it. A call is in the file before it is sent, so a kill leaves at
 * worst a call with an unknown outcome. `tests/src/bin/soak/clients/tape.rs` says what the lines mean.
 */

import { existsSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection, Queue, QueueError, RetryError, Snooze, TerminalError, Worker } from "../src/index.js";
import { write } from "../src/write.js";

const QUEUE = "workload";
const LEASE_MS = 1_000;
const BATCH = 4;
/** Events that are about one job, and tell what became of it. */
const TOLD = new Set(["lease_lost", "not_settled", "settle_refused"]);

const { QUEUE_TAPE, QUEUE_STOP, QUEUE_NUMBER, QUEUE_URL: url, QUEUE_TOKEN_FILE: tokenFile } = process.env;
const tape = openSync(QUEUE_TAPE, "a", 0o600);
/** Nothing but its settle tells such a worker that its lease is lost. */
const isDeaf = process.env.QUEUE_DEAF !== undefined;
let calls = 0;

/** The times are those of the host's monotonic clock, which all processes share. */
function note(members) {
  writeSync(tape, `{"at":${process.hrtime.bigint()},${members}}\n`);
}

function about(what, job) {
  note(`"${what}":{"seq":${job.seq},"epoch":${job.epoch}}`);
}

/** Puts the tape below all that a client sends. */
const call = Connection.prototype.call;
Connection.prototype.call = async function taped(method, path, body, options) {
  if (isDeaf && path === "/v1/extend") {
    throw new QueueError({ kind: "unavailable", certainty: "not_applied", detail: "no heartbeat gets through" });
  }
  calls += 1;
  const number = calls;
  note(`"call":${number},"sent":{"path":${JSON.stringify(path)},"body":${body ?? null}}`);
  try {
    const answer = await call.call(this, method, path, body, options);
    note(`"call":${number},"answer":${write(answer.body)}`);
    return answer;
  } catch (error) {
    // The reason of a signal says nothing about the request.
    const certainty = error instanceof QueueError ? error.certainty : "unknown";
    note(`"call":${number},"failed":${JSON.stringify(certainty)}`);
    throw error;
  }
};

/** Ignores that it is asked to stop, as a handler may, so that outcomes come too late as well. */
async function work(job) {
  about("started", job);
  await sleep(Math.random() * 300);
  const dice = Math.random();
  about("ended", job);
  if (dice < 0.05) throw new RetryError("dice", { delayMs: 0 });
  if (dice < 0.1) throw new Snooze(50);
  if (dice < 0.12) throw new TerminalError("dice");
  return [job.payload, job.epoch];
}

function onEvent(event, { job, outcome }) {
  if (job === undefined || !TOLD.has(event)) return;
  const what = outcome === undefined ? event : `${event}: ${outcome}`;
  note(`"told":{"what":${JSON.stringify(what)},"seq":${job.seq},"epoch":${job.epoch}}`);
}

function jobOf(number) {
  const id = `${QUEUE_NUMBER}-${number}`;
  return { id, kind: "work", payload: { of: id }, maxAttempts: "unlimited", maxStalls: "unlimited" };
}

async function produce(queue) {
  let batch;
  let number = 0;
  while (!existsSync(QUEUE_STOP)) {
    // Sometimes the same again, which must be duplicates.
    if (batch === undefined || Math.random() > 0.1) {
      batch = Array.from({ length: BATCH }, (_, place) => jobOf(number + place));
      number += BATCH;
    }
    try {
      await queue.enqueueMany(batch, { atomic: Math.random() < 0.5 });
    } catch (error) {
      if (!(error instanceof QueueError)) throw error;
    }
    await sleep(100 + Math.random() * 300);
  }
}

const options = { concurrency: 4, leaseMs: LEASE_MS, waitMs: 1_000, url, tokenFile, onEvent };
void produce(new Queue(QUEUE, { url, tokenFile }));
await new Worker(QUEUE, { work }, options).run();
