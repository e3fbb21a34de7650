// Every action in a browser that runs no script: each form is sent by its own button, and a page
// answers.
import { readFileSync } from "node:fs";
import { pause, until } from "./browser.mjs";

// A worker hears of its duty when it announces itself, every ten seconds.
const HEARD_MS = 15_000;

// What the routes of the dashboard take as forms.
const actionsOf = (table) => [...readFileSync(table, "utf8").matchAll(/route!\(POST "(\/[^"]*)"/g)].map(([, path]) => path);

export const sendForms = async (tab, base, token, table) => {
  const say = (words) => tab.problems.push(`without script, ${tab.looking}: ${words}`);
  await tab.call("Emulation.setScriptExecutionDisabled", { value: true });
  // Sends what a button sends, and reads what the next page says of it.
  const send = async (what, selector, expected) => {
    tab.looking = what;
    tab.status = 0;
    await tab.follow(selector);
    const told = (await tab.text("main .notice")) || (await tab.text("main h1"));
    if (tab.status >= 400) say(`it answered ${tab.status}: ${told}`);
    if (!expected.test(told)) say(`it said “${told}”`);
  };
  const on = async (page, what, selector, expected) => {
    await tab.go(page);
    await send(what, selector, expected);
  };

  await tab.go("/jobs?queue=emails");
  await tab.type("#token", token);
  await send("log in", "form[action='./login'] button", /^Jobs$/);

  // The worker of the service ends, so that an operation is there to be stopped. No page shows it.
  const call = async (path, body, method = "POST") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${base}${path}`, body ? { method, headers, body: JSON.stringify(body) } : { headers });
    return answer.json();
  };
  const own = await until("the service has its own worker", async () => {
    const { workers } = await call("/v1/workers");
    return workers.find(({ queues }) => queues.includes("queue.operations"))?.id;
  });
  await call("/v1/workers:drain", { worker: own });
  const toldToEnd = Date.now();
  await tab.go("/workers");
  if ((await tab.text("main")).includes(own)) say("the worker of the service is listed");
  const duty = (id, word) => `form[action='./duty']:has(input[value="${id}"]) button[value=${word}]`;
  await send("pause a worker", duty("web-1", "pause"), /take no more jobs/);
  await send("let a worker work", duty("web-1", "work"), /work as usual/);

  const failed = "/jobs?queue=emails&state=failed";
  for (const [what, action, expected] of [["redrive one", "redrive", /^✓?\s*1 job queued again/], ["ask before one is deleted", "delete", /^Delete 1 job/]]) {
    await tab.go(failed);
    await tab.click("table.jobs tbody input[type=checkbox]");
    await send(what, `.bulk > button[value=${action}]`, expected);
  }
  await send("delete one", "form[action='./change'] button", /1 job deleted/);

  await tab.go(failed);
  await send("open one", "table.jobs tbody th a", /./);
  await send("reveal", "form[action='./reveal'] button", /./);
  if (!(await tab.text("main")).includes("customer")) say("the payload is not shown");
  tab.looking = "download";
  await tab.click("form[action='./download'] button[name=part]");
  await until("the payload is downloaded", () => tab.requests.some(({ path }) => path === "/download"));
  await send("edit one", "form[action='./edit-job'] button", /^Edit and run again$/);
  if (!(await tab.evaluate("document.querySelector('#n-payload').value")).includes("customer")) say("the payload is not there to be edited");
  await tab.type("#n-id", "edited-by-hand");
  await send("run the edited one", "form[action='./enqueue'] button", /The job is queued/);

  await on("/queue?queue=emails", "pause", "form[action='./pause'] button", /Paused/);
  await on("/queue?queue=emails", "resume", "form[action='./resume'] button", /Resumed/);

  const schedule = (action) => `form[action='./schedule'] button[value=${action}]`;
  await on("/schedules?queue=billing", "run a schedule", schedule("run"), /is queued now/);
  await on("/schedules?queue=billing", "pause a schedule", schedule("pause"), /is paused/);
  await on("/schedules?queue=billing", "resume a schedule", schedule("resume"), /goes on/);
  await on("/schedules?queue=billing", "the form of a schedule", "a[href*='new-schedule']", /^Add a schedule$/);
  await tab.type("#n-name", "by-hand");
  await tab.type("#n-every_ms", "3600");
  await send("add a schedule", "form[action='./put-schedule'] button", /as you gave it/);
  await send("edit a schedule", "tr:has(input[value=by-hand]) button[formaction='./edit-schedule']", /^Edit a schedule$/);
  await tab.type("#n-kind", "by-hand");
  await send("change a schedule", "form[action='./put-schedule'] button", /as you gave it/);
  await call("/v1/queues/billing/batches/by-hand", {}, "PUT");
  await call("/v1/queues/billing/batches/by-hand/jobs", { jobs: [{ kind: "by-hand", payload: 1 }] });
  const stop = (action) => `form[action='./stop-batch'] button[value=${action}]`;
  await on("/batches?queue=billing", "look at a batch", "table a[href*='name=by-hand']", /^by-hand$/);
  await send("seal a batch", "form[action='./seal-batch'] button", /The batch is sealed/);
  await send("ask before a batch is cancelled", stop("cancel"), /^Cancel the batch by-hand/);
  await send("cancel a batch", "form[action='./stop-batch'] button", /asked to stop/);
  await send("ask before a batch is abandoned", stop("abandon"), /^Abandon the batch by-hand/);
  await send("abandon a batch", "form[action='./stop-batch'] button", /The batch is abandoned/);
  await send("ask before a batch is swept", stop("sweep"), /^Sweep the batch by-hand/);
  await on("/errors?queue=billing", "redrive a group", "form[action='./change'] button", /queued again/);

  await on("/workers", "ask before a worker is drained", duty("web-1", "drain"), /^Drain the worker web-1/);
  await send("drain a worker", "form[action='./duty'] button", /asked to drain/);

  await pause(Math.max(0, toldToEnd + HEARD_MS - Date.now()));
  await tab.go("/jobs?queue=webhooks&state=queued");
  await tab.click(".bulk details.menu summary");
  await send("count for an operation", "button[formaction='./bulk'][value=delete]", /^Delete: \d+ jobs/);
  await tab.type("#typed", "webhooks");
  await send("start an operation", "form[action='./bulk-start'] button", /The operation has begun/);
  if (!(await tab.text("main")).includes("No worker runs operations now")) say("an operation that no worker runs is not said so");
  await send("ask before an operation is stopped", "form[action='./bulk-cancel'] button", /^Stop the operation/);
  await send("stop an operation", "form[action='./bulk-cancel'] button", /ends after its present page|Nothing was changed/);

  await tab.go("/jobs?queue=emails");
  await tab.type("#f-kind", "receipt");
  await send("filter", "form.filter button", /^Jobs$/);
  if (!(await tab.evaluate("location.search")).includes("kind=receipt")) say("the filter is not in the address");
  const theme = () => tab.evaluate("document.documentElement.dataset.theme");
  for (const wanted of ["dark", "system"]) {
    await tab.click("details.look summary");
    await tab.evaluate(`document.querySelector("#look-theme").value = "${wanted}"`);
    await send(`look ${wanted}`, "form[action='./look'] button", /^Jobs$/);
    if ((await theme()) !== wanted) say(`the page looks ${await theme()}`);
  }
  await on("/errors?queue=emails", "choose a queue", "form.choose button", /^Errors$/);
  await on("/", "log out", "form[action='./logout'] button", /^Log in$/);

  const sent = new Set(tab.requests.filter(({ method }) => method === "POST").map(({ path }) => path));
  tab.looking = "all actions";
  const missing = actionsOf(table).filter((path) => !sent.has(path));
  if (missing.length) say(`no form was sent to ${missing.join(", ")}`);
  if (tab.requests.some(({ path }) => path === "/changes")) say("a script ran");
  return sent.size;
};
