#!/usr/bin/env node
/** `queue-jobs work module:name`: finds the workers of a module and runs them. */

import process from "node:process";
import { parseArgs } from "node:util";
import { onOrphaned } from "./cli/parent.js";
import { CUT, Processes } from "./cli/processes.js";
import { workersOf, Wrong } from "./cli/targets.js";
import { QueueError } from "./errors.js";
import { onSignals } from "./worker/signals.js";

/** What no restart helps against: a service that refuses the token, or a wrong command line. */
const FAILED = 1;
const USAGE = 2;
/** How long the jobs of handlers that run have to be given back, after a second signal. */
const CUT_MS = 1_000;
const HELP = `usage: queue-jobs work TARGET.. [--processes N] [--concurrency N]

Works until SIGTERM. A second signal waits for no handler.

  TARGET           a module such as ./tasks.mjs, or ./tasks.mjs:name; several for several queues
  --processes N    processes, for work that computes; each has all slots
  --concurrency N  jobs of a queue at the same time in one process

A name is an export: a Worker or a Queue. Without a name it is every Worker that the module exports,
or every queue with tasks. Each queue has its own slots.`;

async function main(words) {
  const { targets, options } = asked(words);
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const concurrency = number("concurrency", options.concurrency);
  const count = number("processes", options.processes) ?? 1;
  if (count > 1) {
    const slots = concurrency === undefined ? [] : ["--concurrency", String(concurrency)];
    return new Processes(process.argv[1], ["work", ...slots, ...targets], count, [FAILED, USAGE]).run();
  }
  const workers = await workersOf(targets, concurrency);
  const stop = (options) => workers.forEach((worker) => void worker.stop(options).catch(() => {}));
  // One of several processes ends with the one that started it, also if that has ended already.
  process.once("disconnect", () => stop());
  process.channel?.unref();
  if (process.connected === false) return FAILED;
  onOrphaned(() => {
    console.error("queue: the process that started this one has ended, so it stops");
    stop();
  });
  const ended = run(workers);
  // Behind the listeners of the workers, whose first signal this must not make a second one.
  let signals = 0;
  onSignals(() => {
    signals += 1;
    if (signals === 1) console.error("queue: stopping: handlers may end; another signal gives their jobs back at once");
    stop(signals > 1 ? { graceMs: 0 } : {});
    if (signals > 1) setTimeout(() => process.exit(CUT), CUT_MS);
  });
  await ended;
  return signals > 1 ? CUT : 0;
}

/** Runs all; if one ends with an error, the others are asked to end. */
async function run(workers) {
  let hasFailed = false;
  const one = async (worker) => {
    try {
      await worker.run();
    } catch (error) {
      if (!hasFailed) for (const other of workers) void other.stop().catch(() => {});
      hasFailed = true;
      throw error;
    }
  };
  const ends = await Promise.allSettled(workers.map(one));
  for (const { reason } of ends) if (reason !== undefined) throw reason;
}

function asked(words) {
  const options = { processes: { type: "string" }, concurrency: { type: "string" }, help: { type: "boolean", short: "h" } };
  let read;
  try {
    read = parseArgs({ args: words, options, allowPositionals: true });
  } catch (error) {
    throw new Wrong(error.message);
  }
  const [command, ...targets] = read.positionals;
  if (!read.values.help && (command !== "work" || targets.length === 0)) throw new Wrong(`it is \`work\` and a target\n\n${HELP}`);
  return { targets, options: read.values };
}

function number(name, text) {
  if (text !== undefined && !/^[1-9][0-9]{0,4}$/.test(text)) throw new Wrong(`--${name}: a number from 1 on, and not ${text}`);
  return text === undefined ? undefined : Number(text);
}

try {
  // A handler that was given up may have timers, which would keep the process for ever.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof Wrong) && !(error instanceof QueueError)) throw error;
  console.error(`queue-jobs: ${error.message}`);
  process.exit(error instanceof Wrong ? USAGE : FAILED);
}
