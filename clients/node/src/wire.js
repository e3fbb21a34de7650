/** Names and data of the protocol, from those of JavaScript and back. */

import { randomBytes } from "node:crypto";
import { invalid, onlyNames } from "./errors.js";
import { JsonText } from "./json.js";
import { within } from "./ranges.js";
import { write } from "./write.js";

/** The fields of a job, as they are called here and there. */
const JOB_FIELDS = {
  id: "id",
  kind: "kind",
  headers: "headers",
  tags: "tags",
  partition: "partition",
  priority: "priority",
  delayMs: "delay_ms",
  expiresInMs: "expires_in_ms",
  timeLimitMs: "time_limit_ms",
  maxAttempts: "max_attempts",
  maxStalls: "max_stalls",
  keepCompleted: "keep_completed",
  keepFailed: "keep_failed",
  onFailed: "on_failed",
  onWaiting: "on_waiting",
  maxWaitMs: "max_wait_ms",
  onFailure: "on_failure",
  awaited: "awaited",
};
/** Those that are read here and not sent. */
const OWN_FIELDS = ["payload", "contentType", "parent"];
const NAMES = [...Object.keys(JOB_FIELDS), ...OWN_FIELDS];
const PRIORITY_MAX = 2 ** 15 - 1;
/** Times of a job, none of which is negative. */
const TIMES = ["delayMs", "expiresInMs", "timeLimitMs", "maxWaitMs"];
const BUDGETS = ["maxAttempts", "maxStalls"];
const KEEPS = ["keepCompleted", "keepFailed"];

/**
 * One job as it is sent. A field that is not known throws, since a misspelt `delayMs` must not
 * become a job without delay.
 */
export function jobOut(job, id, headers) {
  onlyNames("a job", "field", job, NAMES);
  checkRanges(job);
  const out = { ...dataOut("payload", job.payload, job.contentType) };
  for (const [name, value] of Object.entries(job)) {
    if (!OWN_FIELDS.includes(name) && value !== undefined) out[JOB_FIELDS[name]] = value;
  }
  if (id !== undefined) out.id = id;
  if (headers !== undefined) out.headers = headers;
  return out;
}

/** Refuses under the names of this client what the service would refuse under its own. */
function checkRanges(job) {
  if (typeof job.tags === "string") throw invalid(`tags: a list such as [${JSON.stringify(job.tags)}], and not a text`);
  if (job.priority !== undefined) within("priority", job.priority, -PRIORITY_MAX - 1, PRIORITY_MAX);
  for (const name of TIMES) if (job[name] !== undefined) within(name, job[name], 0, Number.MAX_SAFE_INTEGER);
  for (const name of BUDGETS) {
    if (job[name] !== undefined && job[name] !== "unlimited") within(name, job[name], 1, 2 ** 32 - 1, ' or "unlimited"');
  }
  for (const name of KEEPS) {
    if (job[name] === undefined || job[name] === "forever" || job[name] === "nothing") continue;
    within(name, job[name], 0, Number.MAX_SAFE_INTEGER, ', "forever" or "nothing"');
  }
}

/** An id for a job that has none. */
export function drawnId() {
  return randomBytes(16).toString("hex");
}

/** A job that is enqueued in the step that ends another, whose trace the service continues. */
export function followerOut(job) {
  return jobOut(job, job.id ?? drawnId(), job.headers);
}

/** The headers of a job with the trace of the job that enqueued it, or of the caller. */
export function tracedHeaders(job, traceparent) {
  const given = job.headers;
  if (given?.traceparent !== undefined) return given;
  const parent = job.parent?.headers;
  const trace = parent?.traceparent ?? traceparent;
  if (trace === undefined) return given;
  const state = parent?.traceparent === undefined ? undefined : parent.tracestate;
  return { ...given, traceparent: trace, ...(state === undefined ? {} : { tracestate: state }) };
}

/**
 * Data in one of its two forms: bytes as base64, anything else as JSON. The JSON is text already, so
 * that values which cannot be written throw here, by their name.
 */
export function dataOut(name, value, contentType) {
  if (value === undefined && contentType === undefined) return {};
  if (value instanceof Uint8Array) {
    const base64 = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
    return { [`${name}_base64`]: base64, ...(contentType === undefined ? {} : { content_type: contentType }) };
  }
  if (contentType !== undefined) throw invalid("a contentType is for bytes; a JSON value has its own");
  return { [name]: new JsonText(write(value, { what: name })) };
}

/** As `dataOut`, of data that have no content type. */
export function noteOut(name, value) {
  return value === undefined ? {} : dataOut(name, value);
}

/** Data of an answer: a JSON value with exact numbers, or bytes. `undefined` if there are none. */
export function dataIn(item, name) {
  const value = item[name];
  if (value !== undefined) return value instanceof JsonText ? value.parse() : value;
  const base64 = item[`${name}_base64`];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}

/** The data with their text and content type, as fields of an outcome; none if there are none. */
export function resultIn(item) {
  const result = dataIn(item, "result");
  if (result === undefined) return {};
  const text = item.result instanceof JsonText ? { resultText: item.result.toString() } : {};
  return { result, ...text, contentType: item.content_type ?? "application/json" };
}

/** What a job holds, decoded: JSON values with exact numbers, text, or a `Buffer`. */
export function bodyIn({ id, seq, state, error, headers, payload, result, progress, error_details: details }) {
  const data = { payload: shownIn(payload), result: shownIn(result), progress: shownIn(progress), errorDetails: shownIn(details) };
  const held = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  return { id, seq, state, ...(error === null || error === undefined ? {} : { error }), headers, ...held };
}

function shownIn(shown) {
  const value = shown instanceof JsonText ? shown.parse() : shown;
  if (value === null || value === undefined) return undefined;
  if (value.base64 !== undefined) return Buffer.from(value.base64, "base64");
  return value.text ?? value.json;
}

/** An error as a job leaves it, with its details read. */
export function errorIn(error) {
  if (error === undefined || error === null) return undefined;
  const details = dataIn(error, "details");
  return { name: error.name, message: error.message, ...(details === undefined ? {} : { details }) };
}
