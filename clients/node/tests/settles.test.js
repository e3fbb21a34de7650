import assert from "node:assert/strict";
import { test } from "node:test";
import { QueueError } from "../src/errors.js";
import { parse } from "../src/json.js";
import { Settles } from "../src/worker/settles.js";

const DONE = { outcome: "done", state: "completed" };
const LIMIT = { timeout: 60_000 };

function problem(kind, certainty = "not_applied") {
  return new QueueError({ kind, certainty, detail: "the service says no" });
}

/**
 * Outcomes over a service that answers each call by `answer(receipts, nth)`: an error to throw, or its
 * items. The leases were over an hour ago.
 */
function place(answer) {
  const sent = [];
  const connection = {
    async call(_method, _path, body) {
      const receipts = parse(body).items.map(({ receipt }) => receipt);
      sent.push(receipts);
      const said = answer(receipts, sent.length);
      if (said instanceof Error) throw said;
      return { body: { items: said } };
    },
  };
  const settles = new Settles(connection, () => {}, () => false);
  const lapsesAt = performance.now() - 3_600_000;
  const settle = (receipt) => settles.settle({ receipt, lapsesAt, job: {} }, "complete", {});
  return { sent, settles, settle };
}

test("an outcome is sent again though its lease was over an hour ago", LIMIT, async () => {
  const refusals = [problem("unavailable"), problem("closed", "unknown"), [{ outcome: "conflict" }], problem("internal")];
  const { sent, settle } = place((_, nth) => refusals[nth - 1] ?? [DONE]);
  assert.equal(await settle("a"), "done");
  assert.equal(sent.length, refusals.length + 1);
});

test("a problem that no waiting mends ends it", LIMIT, async () => {
  for (const kind of ["unauthorized", "forbidden", "not_found", "unsupported"]) {
    const { sent, settle } = place(() => problem(kind));
    assert.equal(await settle("a"), "abandoned", kind);
    assert.equal(sent.length, 1, kind);
  }
});

test("a fault of the service that one outcome meets holds up no other", LIMIT, async () => {
  const { settles, settle } = place((receipts) => (receipts.includes("bad") ? problem("internal") : receipts.map(() => DONE)));
  const bad = settle("bad");
  const others = ["a", "b", "c"].map(settle);
  assert.deepEqual(await Promise.all(others), ["done", "done", "done"]);
  settles.end();
  assert.equal(await bad, "abandoned");
});

test("an outcome that was sent before without an answer is done when the job is missing", LIMIT, async () => {
  const answers = [problem("internal", "unknown"), [{ outcome: "refused", problem: { kind: "unavailable", status: 503 } }]];
  const { settle } = place((_, nth) => answers[nth - 1] ?? [{ outcome: "missing" }]);
  assert.equal(await settle("a"), "done");
});

test("a worker that ends gives up what has no answer", LIMIT, async () => {
  const { sent, settles, settle } = place(() => problem("unavailable"));
  const settled = settle("a");
  while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  settles.end();
  assert.equal(await settled, "abandoned");
});
