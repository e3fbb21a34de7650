/** Numbers that options may have. */

import { invalid } from "./errors.js";

/** Refuses what is not a whole number between two bounds, under the name of its option. */
export function within(name, value, least, most, or = "") {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  const given = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw invalid(`${name}: a whole number ${range}${or}, and not ${given.slice(0, 40)}`);
}
