/** Stands between client and server, notes the requests and makes faults. */

import http from "node:http";

export class Proxy {
  #server;
  #target;
  #agent = new http.Agent({ keepAlive: true });
  #faults = [];
  /** `{path, body}` of every request so far, the path decoded of nothing. */
  requests = [];

  /** @param {() => number} target the port of the server */
  constructor(target) {
    this.#target = target;
    this.#server = http.createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 60_000;
  }

  async listen() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  close() {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The next `times` requests whose path ends with `on` meet this; `none` ends all faults there. */
  fault({ times = 1, ...fault }) {
    if (fault.do === "none") this.#faults = this.#faults.filter(({ on }) => on !== fault.on);
    else this.#faults.push({ ...fault, left: times });
  }

  /** Asked for each request that meets no other fault; answers one, or nothing. */
  chance = (_path) => undefined;

  #faultOf(path) {
    const fault = this.#faults.find(({ on, left }) => left > 0 && path.endsWith(on));
    if (fault === undefined) return this.chance(path);
    fault.left -= 1;
    return fault;
  }

  async #serve(request, response) {
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const path = request.url.split("?")[0];
    this.requests.push({ path, body: body.toString("utf8") });
    const fault = this.#faultOf(path);
    if (fault?.do === "refuse") request.socket.destroy();
    else if (fault?.do === "answer") answer(response, fault);
    else this.#forward(request, body, response, fault);
  }

  #forward(request, body, response, fault) {
    const { method, url, headers } = request;
    const upstream = http.request({ host: "127.0.0.1", port: this.#target(), method, path: url, headers, agent: this.#agent });
    // A client that goes away must be seen by the server as having gone.
    response.on("close", () => {
      if (!response.writableFinished) upstream.destroy();
    });
    upstream.on("error", () => request.socket.destroy());
    upstream.on("response", async (told) => {
      const chunks = [];
      try {
        for await (const chunk of told) chunks.push(chunk);
      } catch {
        request.socket.destroy();
        return;
      }
      if (fault?.do === "drop_answer") {
        request.socket.destroy();
      } else if (fault?.do === "replace_answer") {
        answer(response, fault);
      } else if (fault?.do === "hold") {
        told.socket.on("close", () => request.socket.destroy());
      } else {
        response.writeHead(told.statusCode, told.headers);
        response.end(Buffer.concat(chunks));
      }
    });
    upstream.end(body);
  }
}

/** The answer of a fault: a problem, or whatever the scenario says. */
function answer(response, { status, body, answer: told }) {
  response.writeHead(told?.status ?? status, { "content-type": told?.content_type ?? "application/problem+json" });
  response.end(told?.body_text ?? JSON.stringify(body ?? {}));
}
