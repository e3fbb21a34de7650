/** The limits of a queue as the service takes them. */

import { invalid } from "./errors.js";

/** Limits to set: `null` takes one away, and what is not named stays. */
export function limitsOut({ each, unpartitioned, partitions, ...rest }) {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(`limits have no field ${JSON.stringify(unknown)}`);
  const out = { each: limitOut("each", each), unpartitioned: limitOut("unpartitioned", unpartitioned) };
  if (partitions === undefined) return out;
  const limits = Object.entries(partitions).map(([key, limit]) => [key, limitOut(`partitions[${JSON.stringify(key)}]`, limit)]);
  return { ...out, partitions: Object.fromEntries(limits) };
}

function limitOut(name, limit) {
  if (limit === undefined || limit === null) return limit;
  if (typeof limit !== "object") throw invalid(`${name}: a limit such as {running: 3}, or null to take it away`);
  const { running, weight, ...rest } = limit;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(`${name}: a limit has no field ${JSON.stringify(unknown)}`);
  return { running, weight };
}
