/** What the client makes of batches, over a service that answers what the test wants. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Complete, Queue, QueueError, RetryError, Snooze } from "../src/index.js";
import { parse } from "../src/json.js";
import { handled } from "../src/worker/handled.js";
import { Held } from "../src/worker/job.js";

/** A queue whose calls are answered by `answer(body, nth)`: an error to throw, or the body. */
function place(answer) {
  const sent = [];
  const connection = {
    async call(method, path, text) {
      const body = text === undefined ? undefined : parse(text);
      sent.push({ line: `${method} ${path}`, body });
      const said = answer(body, sent.length);
      if (said instanceof Error) throw said;
      return { body: said };
    },
  };
  return { sent, queue: new Queue("q", { connection }) };
}

const added = (outcome) => ({ jobs }) => ({ jobs: jobs.map(({ id }, seq) => ({ id: `b@1/${id}`, seq, outcome })) });

test("members go in as few calls as fit, and an error has what those before it stored", async () => {
  const refusal = new QueueError({ kind: "invalid", certainty: "not_applied", detail: "it is sealed", reason: "batch_sealed" });
  const { sent, queue } = place((body, nth) => (nth === 3 ? refusal : added("queued")(body)));
  const jobs = Array.from({ length: 2_500 }, (_, at) => ({ id: `j${at}` }));
  const error = await queue.batches.named("b").addAll(jobs).catch((thrown) => thrown);
  assert.deepEqual([error.reason, error.outcomes.length, error.outcomes[1_999].id], ["batch_sealed", 2_000, "b@1/j1999"]);
  assert.deepEqual(sent.map(({ line, body }) => [line, Object.keys(body), body.jobs.length]), [1_000, 1_000, 500].map(
    (count) => ["POST /v1/queues/q/batches/b/jobs", ["jobs"], count]));
});

test("a drawn id that a sending without an answer has stored counts as queued", async () => {
  const lost = new QueueError({ kind: "unavailable", certainty: "unknown", detail: "no answer" });
  const { sent, queue } = place((body, nth) => (nth === 1 ? lost : added("duplicate")(body)));
  const outcomes = await queue.batches.named("b").addAll([{}, { id: "given" }]);
  assert.deepEqual(outcomes.map(({ outcome }) => outcome), ["queued", "duplicate"]);
  assert.deepEqual(sent[1], sent[0]);
});

test("a batch is opened with the fields of the protocol, and with no others", async () => {
  const { sent, queue } = place(() => ({ batch: "b/c", seq: 7 }));
  const options = {
    onEnd: { kind: "report", payload: [2n ** 64n] }, onSuccess: "done", onFailure: { kind: "alarm" }, onFirstFailure: undefined,
    callbacksIn: "p", timeoutMs: 1, onTimeout: "leave", keepMs: 2,
  };
  const { name, seq } = await queue.batch("b/c", options);
  assert.deepEqual([name, seq, sent[0].line], ["b/c", 7, "PUT /v1/queues/q/batches/b%2Fc"]);
  assert.deepEqual(sent[0].body, {
    on_end: { kind: "report", payload: [2n ** 64n] }, on_success: { kind: "done" }, on_failure: { kind: "alarm" },
    callbacks_in: "p", timeout_ms: 1, on_timeout: "leave", keep_ms: 2,
  });
  const bytes = { kind: "a", payload: Buffer.from("a") };
  for (const wrong of [{ onEdn: "a" }, { toString: "a" }, { onEnd: null }, { onEnd: { kind: "a", paylod: 1 } }, { onEnd: bytes }]) {
    await assert.rejects(queue.batch("b", wrong), { kind: "invalid" }, JSON.stringify(wrong));
  }
  assert.equal(sent.length, 1);
});

test("all pages of batches make one list, with what cannot be read", async () => {
  const pages = [
    { batches: [{ batch: "c", state: "open" }], unreadable: [{ batch: "b", state: "queued", error: "newer" }], next: "b&" },
    { batches: [], unreadable: [], next: "z" },
    { batches: [{ batch: "a", state: "ended" }], unreadable: [], next: null },
  ];
  const { sent, queue } = place((_, nth) => pages[nth - 1]);
  const states = (await queue.batches.list()).map(({ batch, state }) => [batch, state]);
  assert.deepEqual(states, [["c", "open"], ["b", "unreadable"], ["a", "ended"]]);
  assert.deepEqual(sent.map(({ line }) => line.split("batches")[1]), ["", "?after=b%26", "?after=z"]);
});

function held(id, tags) {
  return new Held({ queue: "q", id, tags, kind: "a", receipt: "r", lease_ms: 30_000 }, performance.now(), () => {});
}

test("a job has a batch if its tag and its id name the same", () => {
  const name = (id, tags) => held(id, tags).job.batch?.name;
  assert.equal(name("import-7@12/row", ["x", "batch:other@1", "batch:import-7@12"]), "import-7");
  for (const [id, tags] of [
    ["import-7@12/row", []], ["row", ["batch:import-7@12"]], ["import-7@1/row", ["batch:import-7@12"]],
    ["import-7@12", ["batch:import-7@12"]], ["import-7/row", ["batch:import-7"]], ["a@1/row", ["a@1"]],
  ]) {
    assert.equal(name(id, tags), undefined, `${id} ${tags}`);
  }
});

test("what a handler adds to its batch goes with the event that completes the job, and with no other", async () => {
  const settled = async (handler) => {
    const options = { abortGraceMs: () => 1_000, emit: () => {} };
    return handled(held("b@1/x", ["batch:b@1"]), new Map([["a", handler]]), options);
  };
  const adding = (end) => settled(({ batch }) => {
    batch.add({ id: "y", delayMs: 5 });
    batch.add({ kind: "row" });
    return end();
  });
  for (const end of [() => 1, () => new Complete(1, { then: [{ id: "z" }] })]) {
    const { event, fields: { members, then } } = await adding(end);
    assert.deepEqual([event, members[0], members[1].kind, then], [
      "complete", { id: "y", delay_ms: 5 }, "row", end() === 1 ? undefined : [{ id: "z" }]]);
    assert.match(members[1].id, /^[0-9a-f]{32}$/);
  }
  for (const [end, event] of [[() => { throw new RetryError("no"); }, "fail"], [() => new Snooze(1), "snooze"]]) {
    const ended = await adding(end);
    assert.deepEqual([ended.event, "members" in ended.fields], [event, false]);
  }
  const { fields } = await settled(() => 1);
  assert.ok(!("members" in fields));
  assert.equal((await settled(({ batch }) => batch.add({ dealyMs: 5 }))).event, "fail");
});
