/** SIGTERM and SIGINT, for any number of workers with one listener. */

const NAMES = ["SIGTERM", "SIGINT"];
/** What each worker that runs does. */
const actions = new Set();

function onSignal() {
  for (const action of actions) action();
}

/** Calls a function at each signal until the function that this returns is called. */
export function onSignals(action) {
  if (actions.size === 0) for (const name of NAMES) process.on(name, onSignal);
  actions.add(action);
  return () => {
    actions.delete(action);
    if (actions.size === 0) for (const name of NAMES) process.removeListener(name, onSignal);
  };
}
