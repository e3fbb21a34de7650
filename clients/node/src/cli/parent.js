/** Notices that the process that started this one has ended. */

import process from "node:process";

const LOOK_MS = 1_000;

/**
 * Calls a function once the parent of this process has ended, if npm or npx started it: they start a
 * shell, which does not pass a signal on, so the end of the shell is all that this process learns of
 * the signal. A program that something else started may outlive it, as under `nohup`.
 */
export function onOrphaned(action) {
  if (process.env.npm_command === undefined && process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    action();
  }, LOOK_MS);
  timer.unref();
}
