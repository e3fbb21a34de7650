/** What a worker tells on standard error unless `onEvent` takes it. Never payloads, receipts or tokens. */

import { stackOf } from "./failure.js";

const QUIET = new Set(["settled", "drain"]);

export function log(event, { job, error, ...rest }) {
  if (QUIET.has(event)) return;
  const words = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  if (job !== undefined) words.unshift(`job=${JSON.stringify(String(job))}`);
  if (error !== undefined) words.push(`error=${JSON.stringify(String(error))}`);
  const stack = event === "job_failed" ? stackOf(error) : undefined;
  console.error(`queue: ${event} ${words.join(" ")}${stack === undefined ? "" : `\n${stack}`}`);
}
