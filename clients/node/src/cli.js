#!/usr/bin/env node
/** `queue-jobs work module:name`: finds the workers of a module and runs them. */

import process from "node:process";
import { parseArgs } from "node:util";
import { Processes } from "./cli/processes.js";
import { workersOf, Wrong } from "./cli/targets.js";
import { QueueError } from "./errors.js";

/** What no restart helps against: a service that refuses the token, or a wrong command line. */
const FAILED = 1;
const USAGE = 2;
const HELP = `usage: queue-jobs work TARGET.. [--processes N] [--concurrency N]

Works until SIGTERM.

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
  // One of several processes ends with the one that started it, also if that has ended already.
  process.once("disconnect", () => workers.forEach((worker) => void worker.stop()));
  process.channel?.unref();
  if (process.connected === false) return FAILED;
  await run(workers);
  return 0;
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
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Wrong) && !(error instanceof QueueError)) throw error;
  console.error(`queue-jobs: ${error.message}`);
  process.exitCode = error instanceof Wrong ? USAGE : FAILED;
}
