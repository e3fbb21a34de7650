/** The text of values: what JSON cannot say, or would change, is refused and never sent. */

import { invalid, QueueError } from "./errors.js";
import { isBlurred, isUnicode, JsonNumber, JsonText } from "./json.js";

/** The depth at which a value is refused; the service keeps to 64 levels within a payload. */
const DEPTH_MAX = 512;
/** How many steps of the way to a value an error shows. */
const STEPS_MAX = 8;
/** Objects of the language that `JSON.stringify` turns into an object of something else, mostly `{}`. */
const NO_JSON = [Map, Set, WeakMap, WeakSet, Promise, RegExp, ArrayBuffer];

/**
 * The text of a value: as `JSON.stringify`, but with the digits of `bigint` and `JsonNumber` and the
 * text of `JsonText`. A field that is `undefined` is left out.
 *
 * Throws a `QueueError` of the kind `invalid` for what `JSON.stringify` drops or turns into
 * something else without a word: functions, symbols, `NaN` and the infinities, whole numbers beyond
 * 2^53, halves of surrogate pairs, maps, sets, promises, bytes within a value.
 *
 * @param {unknown} value
 * @param {{what?: string}} [options] `what` names the value in errors
 */
export function write(value, { what = "" } = {}) {
  try {
    return written(value, "", 0) ?? "null";
  } catch (error) {
    if (error instanceof Refused) throw invalid(`${error.path(what)}${error.message}`);
    if (error instanceof QueueError) throw error;
    throw invalid(`${what || "a value"} cannot be written as JSON: ${error.message}`, error);
  }
}

/** Why a value is refused, and the way to it, which is known only on the way back. */
class Refused extends Error {
  steps = [];

  path(what) {
    const steps = this.steps.reverse();
    // The way around a cycle would be hundreds of steps.
    const shown = steps.length > STEPS_MAX ? [...steps.slice(0, STEPS_MAX), " .."] : steps;
    const path = what + shown.join("");
    return path === "" ? "" : `${path.replace(/^\./, "")}: `;
  }
}

function written(value, key, depth) {
  if (depth > DEPTH_MAX) throw new Refused("it is nested too deeply or holds itself");
  if (value instanceof JsonText || value instanceof JsonNumber) return value.toString();
  const inner = depth + 1;
  if (value instanceof Date && Number.isNaN(value.getTime())) throw new Refused("this Date is invalid");
  if (ArrayBuffer.isView(value)) throw new Refused("JSON cannot hold bytes within a value: give base64, or bytes as the whole");
  if (typeof value?.toJSON === "function") return written(value.toJSON(key), key, inner);
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "number":
      return number(value);
    case "string":
      return string(value);
    case "boolean":
      return String(value);
    case "undefined":
      return undefined;
    case "object":
      return value === null ? "null" : object(value, key, inner);
    default:
      throw new Refused(`JSON cannot hold a ${typeof value}`);
  }
}

function object(value, key, inner) {
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return written(value.valueOf(), key, inner);
  }
  const type = NO_JSON.find((one) => value instanceof one);
  if (type === Promise) throw new Refused("JSON cannot hold a promise: await it");
  if (type !== undefined) throw new Refused(`JSON cannot hold a ${type.name}`);
  if (Array.isArray(value)) return array(value, inner);
  const fields = [];
  for (const name of Object.keys(value)) {
    const text = at(`.${name}`, () => {
      const said = written(value[name], name, inner);
      return said === undefined ? undefined : `${string(name)}:${said}`;
    });
    if (text !== undefined) fields.push(text);
  }
  return `{${fields.join()}}`;
}

function array(value, inner) {
  const items = Array.from(value, (item, index) => at(`[${index}]`, () => {
    const said = written(item, String(index), inner);
    if (said === undefined) throw new Refused("JSON cannot hold undefined: give null");
    return said;
  }));
  return `[${items.join()}]`;
}

/** Adds a step to the path of what is refused. */
function at(step, make) {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refused) error.steps.push(step);
    throw error;
  }
}

function string(value) {
  if (!isUnicode(value)) throw new Refused("the text has half of a surrogate pair");
  return JSON.stringify(value);
}

function number(value) {
  if (!Number.isFinite(value)) throw new Refused(`JSON has no ${value}`);
  if (isBlurred(value)) {
    throw new Refused(`${value} is beyond 2^53, where a number may have lost its last digits: give a bigint`);
  }
  return Object.is(value, -0) ? "-0" : String(value);
}
