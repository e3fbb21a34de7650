/**
 * A worker that notes each start of its handler in a file.
 *
 * `cargo xtask soak pages` starts it behind a proxy that answers some of its calls with pages of its own.
 */

import { openSync, writeSync } from "node:fs";
import { Worker } from "../src/index.js";

const { QUEUE_RUNS, QUEUE_URL: url, QUEUE_TOKEN_FILE: tokenFile, QUEUE_CONCURRENCY } = process.env;
const runs = openSync(QUEUE_RUNS, "a", 0o600);

function note(job) {
  writeSync(runs, `${job.id}\n`);
}

function onEvent(event, { error, detail }) {
  console.error(event, error?.message ?? detail ?? "");
}

const options = { concurrency: Number(QUEUE_CONCURRENCY), url, tokenFile, onEvent };
await new Worker("workload", { default: note }, options).run();
