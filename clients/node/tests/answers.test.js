/** What the client makes of answers that do not come from the service. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { judged } from "../src/answers.js";

const PAGE = "<!DOCTYPE html><title>We will be back soon</title>";
const [JSON_TYPE, PROBLEM, HTML] = ["application/json", "application/problem+json", "text/html; charset=utf-8"];

const CALLS = [
  { member: "jobs", length: 1 }, { member: "jobs" }, { member: "items", length: 1 }, { member: "outcome" }, { member: "drain" },
];

/** Status, content type, body. */
const FOREIGN = [
  ...[200, 302, 400, 401, 403, 404, 405, 413, 421, 429, 500, 501, 502].map((status) => [status, HTML, PAGE]),
  ...["", PAGE, "null", "[]", "{}", '{"jobs": 1', '{"error": "denied"}', "[".repeat(100_000), '{"jobs": 7, "items": 7}',
    '{"jobs": null, "items": null}', '{"jobs": [{}, {}], "items": []}'.repeat(2)].map((body) => [200, JSON_TYPE, body]),
  ...["", PAGE, "[]", "null", "{}", '{"kind": "outage"}', '{"kind": 1}'].map((body) => [400, PROBLEM, body]),
  [404, JSON_TYPE, '{"kind": "not_found"}'],
  [200, PROBLEM, '{"kind": "invalid"}'],
  [204, undefined, ""],
  [200, HTML, '{"jobs": [{}], "items": [{}], "outcome": "completed", "drain": false}'],
];

test("whatever is not from the service tells nothing of the request", () => {
  for (const call of CALLS) {
    for (const [status, type, body] of FOREIGN) {
      assert.throws(() => judged(status, type, body, call), { kind: "unavailable", certainty: "unknown", status }, `${status} ${type} ${body.slice(0, 20)}`);
    }
  }
});

test("a problem of the service is taken at its word", () => {
  for (const [kind, status] of [["invalid", 404], ["unauthorized", 401], ["not_found", 404], ["closed", 503], ["internal", 500]]) {
    for (const certainty of ["not_applied", "unknown"]) {
      const body = JSON.stringify({ kind, certainty, retry_after_ms: 1500 });
      const type = "Application/Problem+JSON; charset=utf-8";
      assert.throws(() => judged(status, type, body, CALLS[0]), { kind, certainty, status, retryAfterMs: 1500 });
    }
  }
  const body = '{"kind": "closed", "retry_after_ms": "soon"}';
  assert.throws(() => judged(503, PROBLEM, body), { kind: "closed", certainty: "unknown", retryAfterMs: null, reason: null });
  const refusal = '{"kind": "invalid", "reason": "batch_sealed"}';
  assert.throws(() => judged(409, PROBLEM, refusal), { kind: "invalid", reason: "batch_sealed" });
});

test("a good answer has what the call asked for", () => {
  assert.deepEqual(judged(200, "application/json;charset=UTF-8", '{"jobs": [{"id": "a"}]}', CALLS[0]), { jobs: [{ id: "a" }] });
  assert.throws(() => judged(200, JSON_TYPE, '{"jobs": [{}, {}]}', CALLS[0]), { kind: "unavailable" });
});
