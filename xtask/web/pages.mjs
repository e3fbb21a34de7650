// Every page of the dashboard: a name for its pictures, and its address.
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
  ["kinds", "/kinds?queue=emails&kind=receipt&last=24h"],
  ["workers", "/workers"],
  ["schedules", "/schedules?queue=emails"],
  ["operations", "/operations"],
  ["doctor", "/doctor"],
  ["empty", "/errors?queue=nobody-knows-it"],
  ["problem", "/queue?queue=nobody-knows-it"],
];

// What differs from run to run, although time stands still: ids that are made up.
export const masked = `
  for (const id of document.querySelectorAll("#operations .id, #operations .subject"))
    id.textContent = id.textContent.replace(/[0-9a-f]{8}-?[0-9a-f-]{8,}/g, "an-id");
`;
