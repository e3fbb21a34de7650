/**
 * What an answer is: the word of the service, or that of something that stands before it, such as an
 * ingress, a login page or a firewall. A page of those says nothing about what became of the request.
 */

import { QueueError, unavailable } from "./errors.js";
import { read, TEXT } from "./json.js";

/** The kinds that the protocol has. */
const KINDS = new Set([
  "invalid", "unauthorized", "forbidden", "not_found", "conflict", "too_many", "unsupported", "unavailable", "closed",
  "corrupt", "internal",
]);
/** Members that are lists of what was asked for. */
const LISTS = new Set(["jobs", "items", "groups", "schedules", "batches", "next"]);

/** Where answers hold data of others, whose text is kept. */
const DATA = {
  payload: TEXT,
  result: TEXT,
  progress: TEXT,
  error: { details: TEXT },
};
const SHAPE = { ...DATA, jobs: [DATA] };

/**
 * The only place that judges an answer: its body if it is JSON of the shape that the call asks for.
 * Throws what a problem document of a known kind says, and for everything else `unavailable` with
 * certainty `unknown`, since the request may have been carried out.
 *
 * @param {number} status
 * @param {string | undefined} contentType
 * @param {string} text
 * @param {{member?: string | undefined, length?: number | undefined}} asked `member`: what a good answer has;
 *   `length`: how many items it has, if it is a list
 */
export function judged(status, contentType, text, { member, length } = {}) {
  const media = (contentType ?? "").split(";")[0].trim().toLowerCase();
  if (status >= 400 && media === "application/problem+json") {
    const problem = problemOf(parsed(() => JSON.parse(text)), status);
    if (problem !== undefined) throw problem;
  }
  if (status >= 200 && status < 300 && media === "application/json") {
    const body = parsed(() => read(text, SHAPE));
    if (hasShape(body, member, length)) return body;
  }
  const detail = `what answered with status ${status} and ${media || "no content type"} is not the service`;
  throw unavailable(detail, "unknown", undefined, status);
}

/** The error that a problem document says; `undefined` if it is none of the protocol. */
export function problemOf(told, status) {
  if (typeof told !== "object" || told === null || !KINDS.has(told.kind)) return undefined;
  const certainty = told.certainty === "not_applied" ? "not_applied" : "unknown";
  const detail = `${told.title ?? told.kind}: ${told.detail ?? ""}`;
  const ms = told.retry_after_ms;
  const retryAfterMs = typeof ms === "number" && ms >= 0 ? ms : undefined;
  const reason = typeof told.reason === "string" ? told.reason : undefined;
  return new QueueError({ kind: told.kind, certainty, detail, status, retryAfterMs, reason });
}

function hasShape(body, member, length) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  if (member === undefined) return true;
  const value = Object.hasOwn(body, member) ? body[member] : undefined;
  if (!LISTS.has(member)) return value !== undefined;
  return Array.isArray(value) && value.length === (length ?? value.length);
}

function parsed(parse) {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
