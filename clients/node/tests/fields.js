/** Jobs and outcomes under the names of the protocol, in which scenarios speak. */

import { JsonText } from "../src/index.js";

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** A job for `enqueue`. Fields that the client does not know are left to it. */
export function jobOut(fields) {
  const job = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === "payload_text") job.payload = new JsonText(value);
    else if (name === "payload_base64") job.payload = Buffer.from(value, "base64");
    else job[camel(name)] = value;
  }
  return job;
}

/** A job as a handler saw it. */
export function jobIn(job) {
  return {
    queue: job.queue, id: job.id, seq: job.seq, epoch: job.epoch, attempt: job.attempt, kind: job.kind,
    priority: job.priority, headers: job.headers, tags: job.tags, created_at_ms: job.createdAtMs,
    run_at_ms: job.runAtMs, progress: job.progress, last_error: job.lastError,
    ...data("payload", job.payload, job.payloadText, job.contentType),
  };
}

/** An outcome of `enqueue` or `wait`. */
export function outcomeIn({ result, resultText, contentType, ...outcome }) {
  return { ...outcome, ...data("result", result, resultText, contentType) };
}

export function pauseIn({ paused, untilMs }) {
  return { paused, until_ms: untilMs };
}

const TIMING = {
  cron: "cron", zone: "zone", every_ms: "everyMs", at: "at", missed: "missed", grace_ms: "graceMs", catch_up: "catchUp",
  overlap: "overlap", jitter_ms: "jitterMs", spread_ms: "spreadMs",
};

/** A call about schedules; its answer in the words of scenarios. */
export async function scheduleCall(schedules, { schedule = {}, count, from, ...call }) {
  const [[action, name]] = Object.entries(call);
  const { job, ...rest } = schedule;
  const timing = Object.fromEntries(Object.entries(rest).map(([field, value]) => [TIMING[field] ?? field, value]));
  switch (action) {
    case "put":
      return { outcome: await schedules.put(name, { ...timing, ...(job === undefined ? {} : { job: jobOut(job) }) }) };
    case "get":
    case "list":
      return schedules[action](name === true ? undefined : name);
    case "run":
      return { id: await schedules.run(name) };
    case "next":
      return schedules.next(name, { count, from });
    case "preview":
      return schedules.preview(timing, { count, from });
    default:
      return { outcome: await schedules[action](name) };
  }
}

/** A call about batches; its answer in the words of scenarios. */
export async function batchCall(batches, { batch = {}, jobs, ...call }) {
  const [[action, name]] = Object.entries(call);
  const fields = Object.fromEntries(Object.entries(batch).map(([field, value]) => [camel(field), value]));
  switch (action) {
    case "open": {
      const opened = await batches.open(name, fields);
      return { batch: opened.name, seq: opened.seq };
    }
    case "add":
      return (await batches.named(name).addAll(jobs.map(jobOut))).map(outcomeIn);
    case "get":
    case "list":
      return batches[action](name === true ? undefined : name);
    default:
      return { outcome: await batches.named(name)[action]() };
  }
}

function data(name, value, text, contentType) {
  if (value === undefined) return {};
  if (Buffer.isBuffer(value)) return { [`${name}_base64`]: value.toString("base64"), content_type: contentType };
  return { [name]: value, [`${name}_text`]: text };
}
