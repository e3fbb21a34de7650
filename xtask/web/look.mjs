// Looks at every page of a dashboard with headless Chromium: pictures, what axe-core finds, errors of
// the console, violations of the policy, and requests to other hosts. It speaks to the browser by
// its pipe, so that it needs no package.
//
// node look.mjs BROWSER URL AXE_JS FOLDER
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [browser, base, axePath, folder] = process.argv.slice(2);
const WIDTHS = [1280, 375];
const SCHEMES = ["light", "dark"];
const HEIGHT_MAX = { 1280: 1500, 375: 1700 };
const PATIENCE_MS = 20_000;

const chromium = spawn(
  browser,
  ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
    "--no-first-run", "--disable-background-networking", `--user-data-dir=${join(folder, "profile")}`,
    "--remote-debugging-pipe", "about:blank"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
);
const waiting = new Map();
const listeners = [];
let number = 0;
let text = "";
chromium.stdio[4].setEncoding("utf8");
chromium.stdio[4].on("data", (part) => {
  text += part;
  const messages = text.split("\0");
  text = messages.pop();
  for (const message of messages.map((one) => JSON.parse(one))) {
    if (message.id) {
      const { done, failed } = waiting.get(message.id);
      waiting.delete(message.id);
      message.error ? failed(new Error(message.error.message)) : done(message.result);
    } else for (const listener of [...listeners]) listener(message);
  }
});
const send = (method, params = {}, sessionId) =>
  new Promise((done, failed) => {
    number += 1;
    waiting.set(number, { done, failed });
    chromium.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
  });

const problems = [];
let looking = "";
const { targetId } = await send("Target.createTarget", { url: "about:blank" });
const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
const tab = (method, params) => send(method, params, sessionId);
listeners.push(({ method, params }) => {
  if (method === "Runtime.exceptionThrown") problems.push(`${looking}: ${params.exceptionDetails.text}`);
  if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type))
    problems.push(`${looking}: console: ${params.args.map((arg) => arg.value).join(" ")}`);
  if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level))
    problems.push(`${looking}: ${params.entry.source}: ${params.entry.text}`);
  if (method === "Network.requestWillBeSent" && !/^(data|about):/.test(params.request.url)
    && new URL(params.request.url).origin !== new URL(base).origin)
    problems.push(`${looking}: a request to ${params.request.url}`);
});
for (const domain of ["Page", "Runtime", "Log", "Network"]) await tab(`${domain}.enable`);

const evaluate = async (expression) => {
  const { result, exceptionDetails } = await tab("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
};
const go = async (url) => {
  const loaded = new Promise((done, failed) => {
    const patience = setTimeout(() => failed(new Error(`${url} did not load`)), PATIENCE_MS);
    const listener = ({ method }) => {
      if (method !== "Page.loadEventFired") return;
      clearTimeout(patience);
      listeners.splice(listeners.indexOf(listener), 1);
      done();
    };
    listeners.push(listener);
  });
  await tab("Page.navigate", { url });
  await loaded;
};
const submit = async (selector) => {
  await evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  await new Promise((done) => setTimeout(done, 900));
};

// Some actions first, so that their records are there to be seen, and one of each kind of page.
const first = (selector) => evaluate(`document.querySelector(${JSON.stringify(selector)})?.href`);
await go(`${base}/jobs?queue=emails&state=failed`);
const failed = await first("table.jobs tbody th a");
await submit("button[formaction='./bulk'][value=redrive]");
const confirmed = await evaluate("document.querySelector('main h1').textContent");
if (!confirmed.startsWith("Run again")) problems.push(`the question of a bulk action: ${confirmed}`);
await submit("form[action='./bulk-start'] button");
await go(`${base}/jobs?queue=billing&state=failed`);
const other = await first("table.jobs tbody th a");
if (other) {
  await go(other);
  await submit("form[action='./reveal'] button");
}

const pages = [
  ["overview", "/"],
  ["queue", "/queue?queue=emails&last=24h"],
  ["queue-90d", "/queue?queue=images&last=90d"],
  ["jobs", "/jobs?queue=emails"],
  ["jobs-failed", "/jobs?queue=billing&state=failed"],
  ["job", other ?? failed],
  ["errors", "/errors?queue=billing"],
  ["kinds", "/kinds?queue=emails&kind=receipt&last=24h"],
  ["workers", "/workers"],
  ["schedules", "/schedules?queue=emails"],
  ["operations", "/operations"],
  ["doctor", "/doctor"],
  ["empty", "/errors?queue=nobody-knows-it"],
  ["problem", "/queue?queue=nobody-knows-it"],
];
mkdirSync(folder, { recursive: true });
const axe = readFileSync(axePath, "utf8");
const sizes = [];
let violations = 0;
for (const [name, path] of pages) {
  if (!path) continue;
  for (const scheme of SCHEMES) {
    for (const width of WIDTHS) {
      looking = `${name} ${scheme} ${width}`;
      await tab("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }] });
      await tab("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
      const before = problems.length;
      await go(path.startsWith("http") ? path : base + path);
      if (name === "problem") problems.length = before; // A 404 is what it is.
      const wide = await evaluate("document.documentElement.scrollWidth");
      if (wide > width) problems.push(`${looking}: it is ${wide} wide`);
      await evaluate(axe);
      const found = await evaluate("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((all) => all.violations.map((one) => `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' | ' + (node.failureSummary || '').replace(/\\s+/g, ' ').slice(0, 220)).join(' || ')}`))");
      for (const one of found) problems.push(`${looking}: axe: ${one}`);
      violations += found.length;
      const height = Math.min(HEIGHT_MAX[width], await evaluate("Math.ceil(document.body.getBoundingClientRect().bottom)"));
      const { data } = await tab("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 } });
      const bytes = Buffer.from(data, "base64");
      writeFileSync(join(folder, `${name}-${scheme}-${width}.png`), bytes);
      sizes.push(bytes.length);
    }
  }
}
// A narrow phone: nothing is cut off.
looking = "320";
await tab("Emulation.setDeviceMetricsOverride", { width: 320, height: 700, deviceScaleFactor: 1, mobile: true });
for (const [name, path] of pages.filter(([name, path]) => path && name !== "problem")) {
  await go(path.startsWith("http") ? path : base + path);
  const wide = await evaluate("document.documentElement.scrollWidth");
  if (wide > 320) problems.push(`${name}: it is ${wide} wide on a screen of 320`);
}
// A page keeps itself fresh, and does not while it is hidden.
looking = "live";
await tab("Emulation.setDeviceMetricsOverride", { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
await go(`${base}/`);
const was = await evaluate("document.getElementById('overview').textContent");
await new Promise((done) => setTimeout(done, 4_000));
if (was === (await evaluate("document.getElementById('overview').textContent"))) problems.push("the overview did not refresh itself");
const words = await evaluate("document.getElementById('live-words').textContent");
if (words !== "live") problems.push(`the overview says it is ${words}`);

console.log(`${sizes.length} pictures (${Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024)} KiB) of ${pages.length} pages; axe-core: ${violations} violations; problems: ${problems.length}`);
for (const problem of problems) console.log(`  ${problem}`);
await send("Browser.close").catch(() => {});
chromium.kill();
process.exit(problems.length ? 1 : 0);
