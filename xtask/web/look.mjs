// Looks at every page of a dashboard with headless Chromium, and says what is wrong with it.
//
// node look.mjs '{"browser", "open", "guarded", "token", "table", "axe", "made", "kept", "bless", "quick"}'
//   open, guarded: addresses of two demonstrations whose time stands still, without and with tokens
//   table: the routes of the dashboard; axe: axe-core; made: where pictures go; kept: those to compare with
//   quick: one colour and one width of each page, and no pictures
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, openTab, pause, until } from "./browser.mjs";
import { Pictures } from "./compare.mjs";
import { sendForms } from "./forms.mjs";
import { masked, pages, steps } from "./pages.mjs";

const wanted = JSON.parse(process.argv[2]);
const WIDTHS = wanted.quick ? [1280] : [1280, 375];
const SCHEMES = wanted.quick ? ["light"] : ["light", "dark"];
const HEIGHT_MAX = { 1280: 1500, 375: 1700 };
const NARROW = 320;
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const screen = (tab, width, scheme) => Promise.all([
  tab.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }] }),
  tab.call("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 }),
]);

// Some actions first, so that their records are there to be seen.
const act = async (tab) => {
  tab.looking = "actions";
  await tab.call("Page.bringToFront"); // A page that is hidden hears nothing, and draws nothing.
  await screen(tab, 1280, "light");
  await tab.go("/jobs?queue=emails&state=failed");
  await tab.click(".bulk details.menu summary");
  await tab.follow("button[formaction='./bulk'][value=redrive]");
  const asked = await tab.text("main h1");
  if (!asked.startsWith("Run again")) tab.problems.push(`the question of a bulk action: ${asked}`);
  await tab.follow("form[action='./bulk-start'] button");
  await until("the operation is over", async () => {
    await tab.go("/operations");
    return (await tab.text("#operations .pill")).includes("completed");
  });
  await tab.go("/jobs?queue=billing&state=failed");
  const job = await tab.evaluate("document.querySelector('table.jobs tbody th a').href");
  await tab.go(job);
  await tab.follow("form[action='./reveal'] button");
  return job;
};

const judge = async (tab, width, axe) => {
  const wide = await tab.evaluate("document.documentElement.scrollWidth");
  if (wide > width) tab.problems.push(`${tab.looking}: it is ${wide} wide`);
  await tab.evaluate(axe);
  const found = await tab.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then((all) => all.violations.map((one) =>
    one.id + " (" + one.impact + "): " + one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" || ")))`);
  for (const one of found) tab.problems.push(`${tab.looking}: axe: ${one}`);
  return found.length;
};

const picture = async (tab, width) => {
  await tab.evaluate(masked);
  const height = Math.min(HEIGHT_MAX[width], await tab.evaluate("Math.ceil(document.body.getBoundingClientRect().bottom)"));
  const clip = { x: 0, y: 0, width, height, scale: 1 };
  const { data } = await tab.call("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip });
  return Buffer.from(data, "base64");
};

// One picture of what is shown, compared with the one that is kept.
const photograph = async (tab, name, width, kept, made) => {
  const shown = { name, width, bytes: await picture(tab, width) };
  writeFileSync(join(wanted.made, `${name}.png`), shown.bytes);
  made.push(shown);
  const words = wanted.bless ? null : await kept.differs(name, width, shown.bytes);
  if (words) tab.problems.push(`${name}: ${words}`);
};

const look = async (tab, job, kept, axe) => {
  const made = [];
  let violations = 0;
  for (const [name, path, isOnce] of pages)
    for (const scheme of SCHEMES)
      for (const width of WIDTHS) {
        tab.looking = `${name} ${scheme} ${width}`;
        await screen(tab, width, scheme);
        const before = tab.problems.length;
        await tab.go(name === "job" ? job : path);
        if (name === "problem") tab.problems.length = before; // A 404 is what it is.
        violations += await judge(tab, width, axe);
        const isOther = scheme !== SCHEMES[0] || width !== WIDTHS[0];
        if (wanted.quick || (isOnce && isOther)) continue;
        await photograph(tab, `${name}-${scheme}-${width}`, width, kept, made);
      }
  return { made, violations };
};

// Questions, a large payload and many queues, which change what other pages show.
const step = async (tab, kept, axe, made) => {
  await screen(tab, 1280, "light");
  const call = async (path, body, method = "POST") => {
    const sent = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(`${wanted.open}${path}`, sent);
    if (!answer.ok) tab.problems.push(`${tab.looking}: ${path} answered ${answer.status}`);
  };
  let violations = 0;
  for (const [name, go] of steps) {
    tab.looking = name;
    await go(tab, call);
    violations += await judge(tab, 1280, axe);
    if (!wanted.quick) await photograph(tab, `${name}-light-1280`, 1280, kept, made);
  }
  return violations;
};

// A narrow phone: nothing is cut off.
const narrow = async (tab, job) => {
  await screen(tab, NARROW, "light");
  for (const [name, path] of pages.filter(([name]) => name !== "problem")) {
    tab.looking = `${name} ${NARROW}`;
    await tab.go(name === "job" ? job : path);
    const wide = await tab.evaluate("document.documentElement.scrollWidth");
    if (wide > NARROW) tab.problems.push(`${tab.looking}: it is ${wide} wide`);
  }
};

// A page keeps itself fresh: a job that somebody enqueues elsewhere is there by itself.
const live = async (tab) => {
  tab.looking = "live";
  await screen(tab, 1280, "light");
  await tab.go("/");
  await until("the overview is live", async () => (await tab.text("#live-words")) === "live");
  await pause(1_500); // The stream has looked once, and what it looks for is a change.
  const job = { method: "POST", headers: { "content-type": "application/json" }, body: '{"jobs":[{"id":"fresh","payload":1}]}' };
  const answer = await fetch(`${wanted.open}/v1/queues/brand-new/jobs`, job);
  if (!answer.ok) tab.problems.push(`live: a job could not be enqueued: ${answer.status}`);
  const isThere = async () => (await tab.text("#overview")).includes("brand-new");
  await until("the overview shows the new queue by itself", isThere);
  await lost(tab);
};

// A page whose server is not reached says since when, and says no more so once it is reached again.
const lost = async (tab) => {
  tab.looking = "lost";
  const noted = tab.problems.length;
  const offline = (is) =>
    tab.call("Network.emulateNetworkConditions", { offline: is, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
  const isStale = () => tab.evaluate("document.body.classList.contains('stale') && !document.getElementById('stale').hidden");
  await offline(true);
  await tab.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }))");
  await until("the page says that it lost its server", isStale);
  const told = await tab.text("#stale");
  if (!/The server has not answered since \d\d:\d\d:\d\d UTC\./.test(told)) tab.problems.push(`lost: it says “${told}”`);
  await offline(false);
  await until("the page is live again", async () => !(await isStale()));
  tab.problems.splice(noted, tab.problems.length, ...tab.problems.slice(noted).filter((one) => !one.includes("ERR_INTERNET_DISCONNECTED")));
};

mkdirSync(wanted.made, { recursive: true });
const browser = launch(wanted.browser, wanted.made);
const tabs = [];
let words = "";
try {
  const easel = await openTab(browser, wanted.open);
  const kept = await Pictures.open(wanted.kept, easel);
  const tab = await openTab(browser, wanted.open);
  const guarded = await openTab(browser, wanted.guarded);
  tabs.push(easel, tab, guarded);
  const job = await act(tab);
  const axe = readFileSync(wanted.axe, "utf8");
  const { made, violations: ofPages } = await look(tab, job, kept, axe);
  await narrow(tab, job);
  await live(tab);
  const violations = ofPages + (await step(tab, kept, axe, made));
  await screen(guarded, 1280, "light");
  await guarded.call("Page.bringToFront");
  const actions = await sendForms(guarded, wanted.guarded, wanted.token, wanted.table);
  if (wanted.bless) await kept.keep(made);
  const compared = wanted.quick || wanted.bless ? "" : kept.isComparable ? ", compared with those of the work tree" : ", NOT COMPARED";
  words = `web: ${pages.length} pages, ${made.length} pictures${compared}; axe-core: ${violations} violations; without script: ${actions} actions answered`;
  if (compared === ", NOT COMPARED")
    words += `\nweb: SKIPPED: comparing pictures, since those of the work tree were made with ${kept.kept}, and here is ${kept.own}`;
} catch (error) {
  tabs[0]?.problems.push(`${tabs.map((tab) => tab.looking).join(" | ")}: ${error.message}`);
}
await browser.close();
const problems = tabs.flatMap((tab) => tab.problems);
console.log(`${words}\nweb: problems: ${problems.length}`);
for (const problem of problems) console.log(`  ${problem}`);
process.exit(problems.length || !words ? 1 : 0);
