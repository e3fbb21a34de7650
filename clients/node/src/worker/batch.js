/** The batch of a job that runs, to which its handler adds members. */

import { followerOut } from "../wire.js";

/** The tag of a member has the name of its batch and the number of this life of the name. */
const TAG = /^batch:((.+)@[0-9]+)$/s;

/**
 * The batch of a claimed job; `undefined` unless the job is a member. The tag alone does not say so,
 * since any producer can give it, but the id of each member begins with the batch too.
 *
 * @param {{id: string, tags: string[]}} item
 * @param {object[]} members takes what the handler adds, as it is sent
 */
export function batchOf({ id, tags }, members) {
  for (const tag of tags) {
    const [, life, name] = TAG.exec(tag) ?? [];
    if (life !== undefined && id.startsWith(`${life}/`)) return new BatchOfJob(name, members);
  }
  return undefined;
}

class BatchOfJob {
  #members;

  constructor(name, members) {
    this.name = name;
    this.#members = members;
  }

  /** A job that cannot be written throws here, in the handler, and not when the handler has ended. */
  add(job) {
    this.#members.push(followerOut(job));
  }
}
