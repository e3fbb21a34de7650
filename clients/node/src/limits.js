/** The limits of a queue as the service takes them. */

import { invalid, onlyNames } from "./errors.js";
import { within } from "./ranges.js";

/** Limits to set: `null` takes one away, and what is not named stays. */
export function limitsOut(limits) {
  onlyNames("setLimits", "field", limits, ["each", "unpartitioned", "partitions"]);
  const { each, unpartitioned, partitions } = limits;
  const out = { each: limitOut("each", each), unpartitioned: limitOut("unpartitioned", unpartitioned) };
  if (partitions === undefined) return out;
  const single = Object.entries(partitions).map(([key, limit]) => [key, limitOut(`partitions[${JSON.stringify(key)}]`, limit)]);
  return { ...out, partitions: Object.fromEntries(single) };
}

function limitOut(name, limit) {
  if (limit === undefined || limit === null) return limit;
  if (typeof limit !== "object") throw invalid(`${name}: a limit such as {running: 3}, or null to take it away`);
  onlyNames(`${name}: a limit`, "field", limit, ["running", "weight"]);
  const { running, weight } = limit;
  if (running !== undefined && running !== null) within(`${name}.running`, running, 0, 2 ** 32 - 1);
  // The service knows the range of weights; what is not a number it would refuse under its own names.
  if (weight !== undefined && !Number.isInteger(weight)) within(`${name}.weight`, weight, 1, 1_000);
  return { running, weight };
}
