/** A real `queue serve` over the memory store, for tests. */

import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const BUILT = fileURLToPath(new URL("../../../target/debug/queue", import.meta.url));
const ALL = ["produce", "work", "view", "payload", "operate"];
const STARTS_MAX = 50;
/** No system gives these ports to those who connect, so one stays free between a kill and the start after it. */
const PORTS = { from: 12_000, to: 30_000 };

/** The program under test: `QUEUE_PROGRAM`, or what this workspace built. */
export function program() {
  const path = process.env.QUEUE_PROGRAM ?? BUILT;
  if (!existsSync(path)) throw new Error(`there is no ${path}: build queue-cli, or name the program in QUEUE_PROGRAM`);
  return path;
}

export class Server {
  #child;
  #port = 0;

  static async start() {
    const server = new Server();
    await server.start();
    return server;
  }

  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "queue-node-"));
    this.#queue("token", "rotate-key", "--key-file", this.#file("keys"));
    this.tokens = { all: this.token(ALL), produce: this.token(["produce"]), work: this.token(["work"]) };
    const last = this.tokens.all.at(-1) === "A" ? "B" : "A";
    this.tokens.bad = this.tokens.all.replace(/_[^_]*$/, `_${last.repeat(43)}`);
  }

  #file(name) {
    return join(this.directory, name);
  }

  #queue(...args) {
    // Standard error has advice for people.
    return execFileSync(program(), args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  }

  /** A new token; a running server knows it after its next start or SIGHUP. */
  token(scopes) {
    const flags = scopes.flatMap((scope) => ["--scope", scope]);
    return this.#queue("token", "new", "--tokens", this.#file("tokens"), ...flags, "--queues", "*");
  }

  /** A file that holds a token, readable by this user alone. */
  tokenFile(token = this.tokens.all) {
    const path = this.#file("token");
    writeFileSync(path, `${token}\n`, { mode: 0o600 });
    return path;
  }

  get port() {
    return this.#port;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts at the port of the start before, if there was one. */
  async start() {
    for (let start = 1; ; start += 1) {
      try {
        await this.#start(this.#port === 0 ? randomInt(PORTS.from, PORTS.to) : this.#port);
        return;
      } catch (error) {
        if (start === STARTS_MAX) throw error;
      }
      await sleep(20);
    }
  }

  #start(port) {
    const args = ["serve", "--store", "memory:", "--listen", `127.0.0.1:${port}`,
      "--tokens", this.#file("tokens"), "--key-file", this.#file("keys")];
    this.#child = spawn(program(), args, { stdio: ["ignore", "pipe", "pipe"] });
    const child = this.#child;
    return new Promise((resolve, reject) => {
      let told = "";
      let trouble = "";
      child.stderr.on("data", (text) => { trouble += text; });
      child.stdout.on("data", (text) => {
        told += text;
        if (!/listening at http:\/\/127\.0\.0\.1:/.test(told)) return;
        this.#port = port;
        resolve();
      });
      child.on("error", reject);
      child.on("exit", () => reject(new Error(`the server ended: ${trouble}`)));
    });
  }

  signal(name) {
    this.#child.kill(name);
  }

  async kill() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async remove() {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
