// A headless Chromium, spoken to by its pipe, so that it needs no package, and one tab of it as
// somebody in front of it has it. What it notes on the way, no page may do.
import { spawn } from "node:child_process";
import { join } from "node:path";

const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
const DOMAINS = ["Page", "Runtime", "Log", "Network", "Audits"];

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Asks until the answer is one, and not for ever.
export const until = async (what, look) => {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`it never happened: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
};

export const launch = (program, folder) => {
  const chromium = spawn(
    program,
    ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
      "--no-first-run", "--disable-background-networking", "--font-render-hinting=none",
      `--user-data-dir=${join(folder, "profile")}`, "--remote-debugging-pipe", "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const waiting = new Map();
  const listeners = new Set();
  let number = 0;
  let text = "";
  chromium.stdio[4].setEncoding("utf8");
  chromium.stdio[4].on("data", (part) => {
    text += part;
    const messages = text.split("\0");
    text = messages.pop();
    for (const message of messages.map((one) => JSON.parse(one))) {
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (!call) for (const listener of listeners) listener(message);
      else if (message.error) call.failed(new Error(message.error.message));
      else call.done(message.result);
    }
  });
  chromium.on("exit", () => {
    for (const { failed } of waiting.values()) failed(new Error("the browser ended"));
  });
  const send = (method, params = {}, sessionId) =>
    new Promise((done, failed) => {
      number += 1;
      waiting.set(number, { done, failed });
      chromium.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
    });
  const close = async () => {
    await send("Browser.close").catch(() => {});
    chromium.kill();
  };
  return { send, listeners, close };
};

// A tab that may speak to one server alone.
export const openTab = async ({ send, listeners }, base) => {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const tab = { problems: [], requests: [], looking: "", documents: 0, call };
  const note = (words) => tab.problems.push(`${tab.looking}: ${words}`);
  const noted = {
    "Runtime.exceptionThrown": ({ exceptionDetails }) => note(`exception: ${exceptionDetails.text}`),
    "Runtime.consoleAPICalled": ({ type, args }) => {
      if (["error", "warning"].includes(type)) note(`console: ${args.map((arg) => arg.value).join(" ")}`);
    },
    "Log.entryAdded": ({ entry }) => {
      if (["error", "warning"].includes(entry.level)) note(`${entry.source}: ${entry.text}`);
    },
    "Audits.issueAdded": ({ issue }) => {
      if (issue.code === "ContentSecurityPolicyIssue") note(`policy: ${JSON.stringify(issue.details)}`);
    },
    "Network.requestWillBeSent": ({ request, type }) => {
      if (/^(data|about):/.test(request.url)) return;
      const url = new URL(request.url);
      if (url.origin !== new URL(base).origin) note(`a request to ${request.url}`);
      tab.requests.push({ method: request.method, path: url.pathname, type });
    },
    "Network.responseReceived": ({ response, type }) => {
      if (type === "Document") tab.status = response.status;
    },
    "Page.loadEventFired": () => {
      tab.documents += 1;
    },
  };
  listeners.add(({ method, params, sessionId: of }) => of === sessionId && noted[method]?.(params));
  for (const domain of DOMAINS) await call(`${domain}.enable`);

  // In a world of its own, so that it also runs where scripts of pages do not.
  tab.evaluate = async (expression) => {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await call("Runtime.evaluate", asked);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const arrived = (before, what) => until(`${tab.looking}: ${what}`, () => tab.documents > before);
  tab.go = async (path) => {
    const before = tab.documents;
    await call("Page.navigate", { url: new URL(path, base).href });
    await arrived(before, `${path} loads`);
  };
  const place = (selector) =>
    tab.evaluate(`(() => { const found = document.querySelector(${JSON.stringify(selector)}); if (!found) return null;
      found.scrollIntoView({ block: "center" }); const box = found.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`);
  // A click as a hand makes it.
  tab.click = async (selector) => {
    const at = await until(`${tab.looking}: there is ${selector}`, () => place(selector));
    for (const type of ["mousePressed", "mouseReleased"])
      await call("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount: 1 });
  };
  // A click that leads to another page.
  tab.follow = async (selector) => {
    const before = tab.documents;
    await tab.click(selector);
    await arrived(before, `${selector} leads on`);
  };
  tab.type = async (selector, words) => {
    await tab.click(selector);
    await call("Input.insertText", { text: words });
  };
  tab.text = (selector) =>
    tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent.trim() ?? ""`);
  return tab;
};
