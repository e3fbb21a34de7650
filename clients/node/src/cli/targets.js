/** The workers that the targets of a command line name. */

import { fileURLToPath, pathToFileURL } from "node:url";
import { Queue, Worker } from "../index.js";

/** What is wrong with the command line. */
export class Wrong extends Error {}

/** @param {string[]} targets @param {number | undefined} concurrency of the workers of queues */
export async function workersOf(targets, concurrency) {
  const found = (await Promise.all(targets.map(named))).flat();
  const workers = found.map((one) => workerOf(one, concurrency));
  const queues = workers.map((worker) => worker.queue);
  const twice = queues.find((queue, at) => queues.indexOf(queue) !== at);
  if (twice !== undefined) throw new Wrong(`the queue ${JSON.stringify(twice)} has several workers: name one of them, as module:name`);
  return workers;
}

async function named(target) {
  const [, path, name] = /^(.*?)(?::([\p{ID_Start}$_][\p{ID_Continue}$]*))?$/su.exec(target);
  const exported = await imported(path);
  if (name !== undefined) {
    const one = Object.hasOwn(exported, name) ? exported[name] : undefined;
    if (!(one instanceof Worker || one instanceof Queue)) throw new Wrong(`${target} is neither a Worker nor a Queue`);
    return [one];
  }
  const all = [...new Set(Object.values(exported))];
  const workers = all.filter((one) => one instanceof Worker);
  const queues = all.filter((one) => one instanceof Queue && one.tasks.size > 0);
  if (workers.length + queues.length === 0) throw new Wrong(`${path} exports no Worker, and no queue with tasks`);
  return workers.length > 0 ? workers : queues;
}

async function imported(path) {
  const url = pathToFileURL(path);
  try {
    return await import(url.href);
  } catch (error) {
    // Of a module that this one needs, the error has the name of that one there.
    const isMissing = error.code === "ERR_MODULE_NOT_FOUND" && error.message.startsWith(`Cannot find module '${fileURLToPath(url)}'`);
    if (isMissing || error.code === "ERR_UNSUPPORTED_DIR_IMPORT") throw new Wrong(`there is no module ${path}`);
    throw error;
  }
}

function workerOf(found, concurrency) {
  if (found instanceof Queue) return new Worker(found, {}, { concurrency });
  if (concurrency !== undefined) throw new Wrong("--concurrency is for queues: a Worker has a concurrency of its own");
  return found;
}
