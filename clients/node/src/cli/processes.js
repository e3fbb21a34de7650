/** Several processes of one worker program: starts them, hands on signals, replaces those that crash. */

import { fork } from "node:child_process";
import { withResolvers } from "../worker/settles.js";
import { onOrphaned } from "./parent.js";

const SIGNALS = ["SIGTERM", "SIGINT"];
/** The status of a process that did not wait for its handlers, after a second signal. */
export const CUT = 130;
/** How long before a process that crashed is replaced, so that one that cannot start does not spin. */
const RESTART_MS = 1_000;

export class Processes {
  #program;
  #words;
  #count;
  #final;
  #running = new Set();
  #isStopping = false;
  #status = 0;
  #restarts = new Set();
  #ended = withResolvers();

  /** @param {number[]} final statuses after which all of them end, as no restart helps */
  constructor(program, words, count, final) {
    this.#program = program;
    this.#words = words;
    this.#count = count;
    this.#final = final;
  }

  /** Resolves to the status when all have ended: 0, the first final one, or that of a second signal. */
  async run() {
    const onSignal = (name) => this.#handOn(name);
    for (const name of SIGNALS) process.on(name, onSignal);
    onOrphaned(() => this.#handOn("SIGTERM"));
    for (let n = 0; n < this.#count; n += 1) this.#start();
    await this.#ended.promise;
    for (const name of SIGNALS) process.removeListener(name, onSignal);
    return this.#status;
  }

  #start() {
    // In a group of its own, so that a Ctrl-C reaches it through here and once.
    const child = fork(this.#program, this.#words, { detached: true });
    this.#running.add(child);
    child.once("exit", (code, signal) => {
      this.#running.delete(child);
      if (code === CUT && this.#isStopping) this.#status = CUT;
      if (code !== 0 && !this.#isStopping) this.#crashed(code ?? signal);
      this.#look();
    });
  }

  #crashed(how) {
    if (this.#final.includes(how)) {
      this.#status = how;
      this.#handOn("SIGTERM");
      return;
    }
    console.error(`queue: a worker process ended with ${how} and is replaced`);
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start();
    }, RESTART_MS);
    this.#restarts.add(timer);
  }

  /** Whether all have ended, and none is to be replaced. */
  #look() {
    if (this.#running.size + this.#restarts.size === 0) this.#ended.resolve();
  }

  #handOn(name) {
    this.#isStopping = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#restarts.clear();
    for (const child of this.#running) child.kill(name);
    this.#look();
  }
}
