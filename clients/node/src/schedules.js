/** The schedules of a queue: jobs that are enqueued at times of a calendar. */

import { segment } from "./connection.js";
import { onlyNames } from "./errors.js";
import { jobOut } from "./wire.js";
import { write } from "./write.js";

const FIELDS = {
  cron: "cron",
  zone: "zone",
  everyMs: "every_ms",
  at: "at",
  missed: "missed",
  graceMs: "grace_ms",
  catchUp: "catch_up",
  overlap: "overlap",
  jitterMs: "jitter_ms",
  spreadMs: "spread_ms",
};
const TIMING = ["cron", "zone", "everyMs", "at"];

export class Schedules {
  #sender;
  #path;

  /** Made by a queue. */
  constructor(sender, path) {
    this.#sender = sender;
    this.#path = `${path}/schedules`;
  }

  async put(name, schedule, options) {
    onlyNames("a schedule", "field", schedule, [...Object.keys(FIELDS), "job"]);
    const { job = {}, ...rest } = schedule;
    const body = write({ ...fieldsOut(rest), job: jobOut(job, job.id, job.headers) });
    return (await this.#sender.call("PUT", `${this.#path}/${segment(name)}`, body, "outcome", options)).outcome;
  }

  async get(name, options) {
    return this.#sender.call("GET", `${this.#path}/${segment(name)}`, undefined, "schedule", options);
  }

  async list(options) {
    const { schedules, unreadable = [] } = await this.#sender.call("GET", this.#path, undefined, "schedules", options);
    return [...schedules, ...unreadable.map((one) => ({ ...one, state: "unreadable" }))];
  }

  async pause(name, options) {
    return this.#change(name, "pause", options);
  }

  async resume(name, options) {
    return this.#change(name, "resume", options);
  }

  async remove(name, options) {
    return this.#change(name, "remove", options);
  }

  async run(name, options) {
    return (await this.#sender.call("POST", `${this.#path}/${segment(name)}/run`, "{}", "id", options)).id;
  }

  async next(name, options = {}) {
    onlyNames("next", "option", options, ["count", "from", "signal"]);
    const { count = 10, from, signal } = options;
    const asked = new URLSearchParams({ count: String(count), ...(from === undefined ? {} : { from: moment(from) }) });
    return (await this.#sender.call("GET", `${this.#path}/${segment(name)}/next?${asked}`, undefined, "next", { signal })).next;
  }

  async preview(timing, options = {}) {
    onlyNames("a timing", "field", timing, TIMING);
    onlyNames("preview", "option", options, ["count", "from", "signal"]);
    const { count = 10, from, signal } = options;
    const body = { ...fieldsOut(timing), count, ...(from === undefined ? {} : { from: moment(from) }) };
    return (await this.#sender.call("POST", "/v1/schedules:preview", write(body), "next", { signal })).next;
  }

  async #change(name, change, options) {
    return (await this.#sender.call("POST", `${this.#path}/${segment(name)}/${change}`, "{}", "outcome", options)).outcome;
  }
}

function fieldsOut(fields) {
  const out = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) out[FIELDS[name]] = name === "at" ? value.map(moment) : value;
  }
  return out;
}

/** A moment as the service reads it: in UTC. */
function moment(value) {
  return value instanceof Date ? value.toISOString() : value;
}
