/**
 * JSON without loss of digits. `JSON.parse` rounds each number to a double, and this runtime has no
 * way to see the text behind it, so answers are read and requests written here.
 */

/** The depth at which text is refused; the service keeps to 64 levels within a payload. */
const DEPTH_MAX = 512;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** Text without this has no number of more than 15 digits or an exponent of three. */
const PERHAPS_INEXACT = /[0-9.]{16}|[eE][+-]?[0-9]{3}/;

/**
 * A number whose digits no double holds, such as `0.1000000000000000000001` or `1e999`. It is
 * written as it was read. `Number(it)` is the nearest double.
 */
export class JsonNumber {
  #text;

  /** @param {string} text a number as JSON writes it; `TypeError` otherwise */
  constructor(text) {
    NUMBER.lastIndex = 0;
    if (typeof text !== "string" || NUMBER.exec(text)?.[0] !== text) {
      throw new TypeError("a JsonNumber is made of the text of a JSON number");
    }
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  valueOf() {
    return Number(this.#text);
  }

  /** `JSON.stringify` knows doubles only. */
  toJSON() {
    return this.valueOf();
  }
}

/** A JSON value as text, which is sent exactly as it is, white space included. */
export class JsonText {
  #text;

  /** @param {string} text one JSON value; `SyntaxError` otherwise */
  constructor(text) {
    JSON.parse(text);
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  /** The value, its numbers exact. */
  parse() {
    return parse(this.#text);
  }

  toJSON() {
    return this.parse();
  }
}

/** Marks the places of an answer that stay text, see `read`. */
export const TEXT = Symbol("text");

/** A value whose numbers are exact: doubles where they are, `bigint` for other whole numbers,
 * `JsonNumber` for the rest. */
export function parse(text) {
  if (!PERHAPS_INEXACT.test(text)) return JSON.parse(text);
  return read(text, undefined);
}

/**
 * As `parse`, but the values at the places that `shape` marks with `TEXT` become `JsonText`.
 * A shape is an object of shapes by key, or an array with the one shape of all its items.
 */
export function read(text, shape) {
  const reader = new Reader(text);
  const value = reader.value(shape, 0);
  reader.space();
  if (reader.at !== text.length) reader.fail();
  return value;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail() {
    throw new SyntaxError(`this is no JSON, from character ${this.at} on`);
  }

  space() {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  value(shape, depth) {
    if (depth > DEPTH_MAX) this.fail();
    this.space();
    if (shape === TEXT) return this.asText(depth);
    switch (this.text[this.at]) {
      case "{":
        return this.object(shape, depth);
      case "[":
        return this.array(shape?.[0], depth);
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return exact(this.number());
    }
  }

  asText(depth) {
    const start = this.at;
    this.value(undefined, depth);
    return new JsonText(this.text.slice(start, this.at));
  }

  word(word, value) {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  number() {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    if (found === null) this.fail();
    this.at = NUMBER.lastIndex;
    return found[0];
  }

  string() {
    const start = this.at;
    if (this.text[start] !== '"') this.fail();
    let end = start;
    do {
      end = this.text.indexOf('"', end + 1);
      if (end < 0) this.fail();
    } while (this.isEscaped(end));
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, this.at));
  }

  /** Whether an odd number of backslashes stands before a place. */
  isEscaped(at) {
    let before = at - 1;
    while (this.text[before] === "\\") before -= 1;
    return (at - before) % 2 === 0;
  }

  array(shape, depth) {
    const items = [];
    this.items("]", () => items.push(this.value(shape, depth + 1)));
    return items;
  }

  object(shape, depth) {
    const object = {};
    this.items("}", () => {
      this.space();
      const key = this.string();
      this.space();
      if (this.text[this.at] !== ":") this.fail();
      this.at += 1;
      const value = this.value(own(shape, key), depth + 1);
      // An assignment to `__proto__` would set the prototype and no property.
      if (key === "__proto__") {
        const always = { enumerable: true, configurable: true, writable: true };
        Object.defineProperty(object, key, { value, ...always });
      } else {
        object[key] = value;
      }
    });
    return object;
  }

  items(end, item) {
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) {
      this.at += 1;
      return;
    }
    for (;;) {
      item();
      this.space();
      const next = this.text[this.at];
      this.at += 1;
      if (next === end) return;
      if (next !== ",") this.fail();
    }
  }
}

function own(shape, key) {
  return shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : undefined;
}

function exact(text) {
  const number = Number(text);
  if (Number.isFinite(number) && digits(text) === digits(String(number))) return number;
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : new JsonNumber(text);
}

/** The one way of writing a number: its digits without outer zeros, and the power of ten. */
function digits(text) {
  const [, whole, fraction = "", power = "0"] = /^-?([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  const significant = (whole + fraction).replace(/^0+/, "");
  if (significant === "") return "0";
  const bare = significant.replace(/0+$/, "");
  return `${bare}e${Number(power) - fraction.length + significant.length - bare.length}`;
}

/**
 * The text of a value: as `JSON.stringify`, but with the digits of `bigint` and `JsonNumber` and
 * the text of `JsonText`. `NaN` and infinities throw, which `JSON.stringify` turns into `null`.
 */
export function write(value) {
  const text = written(value, "", 0);
  return text === undefined ? "null" : text;
}

function written(value, key, depth) {
  if (depth > DEPTH_MAX) throw new TypeError("a value is nested too deeply or holds itself");
  if (value instanceof JsonText || value instanceof JsonNumber) return value.toString();
  if (typeof value?.toJSON === "function") return written(value.toJSON(key), key, depth + 1);
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "number":
      return number(value);
    case "object":
      break;
    default:
      return JSON.stringify(value);
  }
  if (value === null) return "null";
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return written(value.valueOf(), key, depth);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item, at) => written(item, String(at), depth + 1) ?? "null").join()}]`;
  }
  const fields = [];
  for (const name of Object.keys(value)) {
    const text = written(value[name], name, depth + 1);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join()}}`;
}

function number(value) {
  if (!Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
  return Object.is(value, -0) ? "-0" : String(value);
}
