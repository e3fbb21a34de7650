/** The way to one service: base URL, token, kept connections. One call is one request here. */

import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { judged } from "./answers.js";
import { invalid, onlyNames, QueueError, unavailable } from "./errors.js";

/** The largest answer that is read; a claim brings at most 16 MiB of payloads. */
const ANSWER_BYTES_MAX = 64 << 20;
/** How long an answer may take beyond the wait that the call asked for. */
const ANSWER_MS = 30_000;
const TOKEN = /^[\x21-\x7e]+$/;
const LOOPBACK = /^(localhost|127(\.[0-9]+){3}|\[::1\])$/;

/** Only connecting fails with these, before a byte of the request has left. */
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENOENT"]);

/** What makes a connection. */
const OPTIONS = ["url", "token", "tokenFile", "plaintext", "tls", "answerMs"];

/**
 * The connection that options give or describe; they may have others of their owner's beside.
 *
 * @param {string} what has the options @param {object} options @param {readonly string[]} others
 */
export function connectionOf(what, options, others) {
  const { connection } = options;
  onlyNames(what, "option", options, connection === undefined ? [...OPTIONS, "connection", ...others] : ["connection", ...others]);
  if (connection === undefined) return new Connection(Object.fromEntries(OPTIONS.map((name) => [name, options[name]])));
  if (typeof connection?.call === "function") return connection;
  throw invalid('connection: a Connection of queue-jobs. For a new one give the url itself: { url: "http://127.0.0.1:8080" }');
}

export class Connection {
  #base;
  #agent;
  #module;
  #socketPath;
  #tls;
  #token;
  #tokenFile;
  #answerMs;

  /** @param {import("./index.d.ts").ConnectionOptions} options */
  constructor(options) {
    if (typeof options?.url !== "string") {
      throw invalid('the address of the service is missing: give its url, such as { url: "http://127.0.0.1:8080" }');
    }
    onlyNames("a connection", "option", options, OPTIONS);
    const { url, token, tokenFile, plaintext = false, tls = {}, answerMs = ANSWER_MS } = options;
    if (token !== undefined && tokenFile !== undefined) throw invalid("give token or tokenFile, not both");
    this.#socketPath = url.startsWith("unix:") ? url.slice("unix:".length) : undefined;
    this.#base = base(this.#socketPath === undefined ? url : "http://localhost");
    const isSecure = this.#base.protocol === "https:";
    const hasToken = token !== undefined || tokenFile !== undefined;
    if (hasToken && !isSecure && !plaintext && !LOOPBACK.test(this.#base.hostname)) {
      throw invalid("a token goes to another machine only over https, or with plaintext: true");
    }
    this.#module = isSecure ? https : http;
    this.#tls = isSecure ? tls : {};
    this.#agent = new this.#module.Agent({ keepAlive: true });
    this.#token = token === undefined ? undefined : checked(token);
    this.#tokenFile = tokenFile;
    this.#answerMs = answerMs;
  }

  /** Closes the connections that no call uses; those in use close with their calls. */
  close() {
    this.#agent.destroy();
  }

  /**
   * Sends one request. Throws `QueueError`, or the reason of the signal if that ended it; what
   * became of the request is unknown then.
   *
   * @param {string} method
   * @param {string} path with its names percent-encoded, see `segment`
   * @param {string | undefined} body JSON
   * @param {{signal?: AbortSignal | undefined, waitMs?: number, answerMs?: number, member?: string, length?: number}} [options]
   *   `waitMs`: how long the server may wait; `answerMs`: how long it may take beside that; `member`: what a good
   *   answer has; `length`: how many items it has, if it is a list
   * @returns {Promise<{status: number, body: any}>}
   */
  async call(method, path, body, options = {}) {
    const { signal, waitMs = 0, answerMs = this.#answerMs, member, length } = options;
    const asked = { member, length, endMs: waitMs + answerMs };
    const token = await this.#currentToken();
    signal?.throwIfAborted();
    // One signal may end any number of calls; each takes its listener away when it ends.
    if (signal !== undefined) setMaxListeners(0, signal);
    try {
      return await this.#exchange(method, path, body, token, signal, asked);
    } catch (error) {
      if (error.kind !== "unauthorized" || this.#tokenFile === undefined) throw error;
      // The token may have been rotated in its file since it was read. A file that is just being
      // written says nothing: the call was refused, and it is not wrong in itself.
      const fresh = await this.#readToken().catch(() => token);
      this.#token = fresh;
      if (fresh === token) throw error;
      return this.#exchange(method, path, body, fresh, signal, asked);
    }
  }

  async #currentToken() {
    if (this.#token === undefined && this.#tokenFile !== undefined) this.#token = await this.#readToken();
    return this.#token;
  }

  async #readToken() {
    let text;
    try {
      text = await readFile(this.#tokenFile, "utf8");
    } catch (error) {
      throw invalid(`the token file cannot be read: ${error.code}`);
    }
    return checked(text.trim());
  }

  #exchange(method, path, body, token, signal, asked) {
    return new Promise((resolve, reject) => {
      const headers = { accept: "application/json" };
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      if (body !== undefined) {
        headers["content-type"] = "application/json";
        headers["content-length"] = Buffer.byteLength(body);
      }
      const target = this.#socketPath === undefined
        ? { protocol: this.#base.protocol, hostname: bare(this.#base.hostname), port: this.#base.port }
        : { socketPath: this.#socketPath };
      const prefix = this.#base.pathname.replace(/\/$/, "");
      const request = this.#module.request({
        ...this.#tls, ...target, method, path: prefix + path, headers, agent: this.#agent,
      });
      const end = (error) => request.destroy(error);
      const timer = setTimeout(() => end(unavailable("the service did not answer in time")), asked.endMs);
      const abort = () => end(signal.reason ?? new Error("aborted"));
      signal?.addEventListener("abort", abort, { once: true });
      const done = (settle, value) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        settle(value);
      };
      request.on("error", (error) => done(reject, this.#failure(error, signal)));
      request.on("response", (response) => {
        collect(response).then(
          (text) => {
            try {
              const status = response.statusCode;
              done(resolve, { status, body: judged(status, response.headers["content-type"], text, asked) });
            } catch (error) {
              done(reject, error);
            }
          },
          (error) => {
            request.destroy();
            done(reject, this.#failure(error, signal));
          },
        );
      });
      request.end(body);
    });
  }

  #failure(error, signal) {
    if (signal?.aborted && error === signal.reason) return error;
    if (error instanceof QueueError) return error;
    const what = error.code ?? error.message;
    const { origin, pathname } = this.#base;
    const url = this.#socketPath === undefined ? `${origin}${pathname.replace(/\/$/, "")}` : `unix:${this.#socketPath}`;
    if (UNSENT.has(error.code)) return unavailable(`no server can be reached at ${url} (${what}); is it running?`, "not_applied", error);
    return unavailable(`no answer from ${url}: ${what}`, "unknown", error);
  }
}

/** One segment of a path. Throws for names that no path can hold. */
export function segment(name) {
  if (typeof name !== "string" || name === "" || name === "." || name === "..") {
    throw invalid(`no path can hold the name ${JSON.stringify(name)}`);
  }
  try {
    return encodeURIComponent(name);
  } catch (error) {
    throw invalid("a name has half of a surrogate pair", error);
  }
}

function base(url) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    throw invalid("the url of the service cannot be read");
  }
  if (!["http:", "https:"].includes(parsed.protocol)) throw invalid("the url begins with http:, https: or unix:");
  // Whoever put a token there finds it in logs; the message must not be another such place.
  if (parsed.username !== "" || parsed.password !== "") throw invalid("the url must not have a user or a password");
  return parsed;
}

/** Node wants the address of IPv6 without its brackets. */
function bare(hostname) {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function checked(token) {
  if (typeof token !== "string" || !TOKEN.test(token)) throw invalid("the token is empty or has strange characters");
  return token;
}

async function collect(response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw unavailable("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
