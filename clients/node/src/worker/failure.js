/** What is stored and logged of the error of a handler. */

import { RetryError, TerminalError } from "../errors.js";
import { noteOut } from "../wire.js";

/** The most text of a message or a stack, far below the 16 KiB that details may have. */
const TEXT_MAX = 4_096;
/** How many causes a stack goes down. */
const CAUSES_MAX = 4;

/** The error as it is stored; its details are the stack if it has none of its own. */
export function shown(error) {
  const isError = error instanceof Error;
  const stack = stackOf(error);
  let noted = {};
  try {
    noted = noteOut("details", isChosen(error) && error.details !== undefined ? error.details : stack && { stack });
  } catch {
    // The failure itself says more than that its details cannot be written.
  }
  return { name: text(isError ? error.name : "Error"), message: text(isError ? error.message : String(error)), ...noted };
}

/**
 * Where an error comes from, and its causes; `undefined` for one that the handler chose to end with and
 * that has no cause, as it was expected.
 */
export function stackOf(error) {
  if (!(error instanceof Error) || (isChosen(error) && !(error.cause instanceof Error))) return undefined;
  const stacks = [];
  for (let one = error; one instanceof Error && stacks.length <= CAUSES_MAX; one = one.cause) stacks.push(String(one.stack));
  return text(stacks.join("\ncaused by: "));
}

function isChosen(error) {
  return error instanceof RetryError || error instanceof TerminalError;
}

/** JSON on the way refuses half of a surrogate pair, and a cut in the middle of an emoji leaves one. */
function text(value) {
  return Buffer.from(String(value).slice(0, TEXT_MAX), "utf8").toString("utf8");
}
