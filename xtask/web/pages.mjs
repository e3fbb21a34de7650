// Every page of the dashboard: a name for its pictures, its address, and whether one picture is enough.
export const pages = [
  ["overview", "/"],
  ["queue", "/queue?queue=emails&last=24h"],
  ["queue-90d", "/queue?queue=images&last=90d"],
  ["queue-paused", "/queue?queue=webhooks"],
  ["jobs", "/jobs?queue=emails"],
  ["jobs-failed", "/jobs?queue=billing&state=failed"],
  ["job", "first failed job"],
  ["errors", "/errors?queue=billing"],
  ["errors-all", "/errors"],
  ["jobs-all", "/jobs?state=failed"],
  ["kinds-all", "/kinds?last=24h", true],
  ["kinds", "/kinds?queue=emails&kind=receipt&last=24h"],
  ["workers", "/workers"],
  ["schedules", "/schedules?queue=emails"],
  ["schedules-all", "/schedules", true],
  ["batches-none", "/batches?queue=emails", true],
  ["new-job", "/new-job?queue=emails", true],
  ["new-schedule", "/new-schedule?queue=emails", true],
  ["operations", "/operations"],
  ["doctor", "/doctor"],
  ["empty", "/errors?queue=nobody-knows-it"],
  ["problem", "/queue?queue=nobody-knows-it"],
];

// What needs a step before it is seen.
export const steps = [
  ["ask-delete", async (tab) => {
    await tab.go("/jobs?queue=billing&state=failed");
    await tab.click("table.jobs tbody input[type=checkbox]");
    await tab.follow(".bulk > button[value=delete]");
  }],
  ["ask-drain", async (tab) => {
    await tab.go("/workers");
    await tab.follow(`form[action='./duty']:has(input[value="web-1"]) button[value=drain]`);
  }],
  ["job-large", async (tab, call) => {
    const rows = Array.from({ length: 1_600 }, (_, row) => ({ row, name: `customer-${row}`, note: "as it was agreed by letter" }));
    await call("/v1/queues/reports/jobs", { jobs: [{ id: "large", kind: "digest", payload: rows }] });
    await tab.go("/job?queue=reports&id=large");
    await tab.follow("form[action='./reveal'] button");
  }],
  ["batches", async (tab, call) => {
    const batches = "/v1/queues/reports/batches";
    const rows = Array.from({ length: 40 }, (_, row) => ({ id: `row-${row}`, kind: "row", payload: row }));
    await call(`${batches}/import-7`, { on_end: { kind: "digest" }, on_first_failure: { kind: "alarm" } }, "PUT");
    await call(`${batches}/import-7/jobs`, { jobs: rows });
    await call(`${batches}/import-8`, {}, "PUT");
    await call(`${batches}/import-8/seal`, {});
    await tab.go("/batches?queue=reports");
  }],
  ["batch", async (tab) => tab.go("/batch?queue=reports&name=import-7")],
  ["ask-abandon", async (tab) => {
    await tab.go("/batch?queue=reports&name=import-7");
    await tab.follow("form[action='./stop-batch'] button[value=abandon]");
  }],
  ["overview-300", async (tab, call) => {
    const job = { jobs: [{ id: "a", payload: 1 }] };
    for (let number = 1; number <= 300; number += 1) await call(`/v1/queues/tenant-${number}/jobs`, job);
    await tab.go("/");
  }],
];

// What differs from run to run, although time stands still: ids that are made up.
export const masked = `
  for (const id of document.querySelectorAll("#operations .id, #operations .subject"))
    id.textContent = id.textContent.replace(/[0-9a-f]{8}-?[0-9a-f-]{8,}/g, "an-id");
`;
