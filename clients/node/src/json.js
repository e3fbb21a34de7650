/**
 * JSON without loss of digits. `JSON.parse` rounds each number to a double, and this runtime has no
 * way to see the text behind it, so answers are read here and requests written in `write.js`.
 */

import { invalid } from "./errors.js";

/** The depth at which text is refused; the service keeps to 64 levels within a payload. */
const DEPTH_MAX = 512;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
/** Text without this has no number beyond 2^53, of more than 15 digits, or close to zero. */
const PERHAPS_INEXACT = /[0-9.]{16}|[0-9][eE]\+?[0-9]|[eE]-[0-9]{3}/;
/** Whole numbers below this are written with all of their digits and without an exponent. */
const WHOLE_MAX = 1e21;
/** Text without this has no half of a surrogate pair in it. */
const PERHAPS_HALF = /\\u[dD][89a-fA-F]|\p{Surrogate}/u;
const STRING = /"(?:[^"\\]|\\.)*"/g;
/** Says that a text comes from the service, which has looked at it. */
const READ = Symbol("read");

/** Whether a text is valid Unicode, which one with half of a surrogate pair is not. */
export function isUnicode(text) {
  return !/\p{Surrogate}/u.test(text);
}

/** Whether a number may stand for another one, whose last digits a double does not hold. */
export function isBlurred(number) {
  return Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) < WHOLE_MAX;
}

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

  /** What `console.log` shows. */
  [Symbol.for("nodejs.util.inspect.custom")]() {
    return `JsonNumber(${this.#text})`;
  }

  /** `JSON.stringify` knows doubles only. */
  toJSON() {
    return this.valueOf();
  }
}

/** A JSON value as text, which is sent exactly as it is, white space included. */
export class JsonText {
  #text;

  /** @param {string} text one JSON value of valid Unicode; a `QueueError` otherwise */
  constructor(text, from) {
    if (from !== READ) checkText(text);
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

function checkText(text) {
  if (typeof text !== "string") throw invalid("a JsonText is made of text");
  try {
    JSON.parse(text);
  } catch (error) {
    throw invalid(`this text is not JSON: ${error.message}`, error);
  }
  const strings = PERHAPS_HALF.test(text) ? text.match(STRING) : null;
  if (strings?.some((one) => !isUnicode(JSON.parse(one)))) throw invalid("the text has half of a surrogate pair");
}

/** Marks the places of an answer that stay text, see `read`. */
export const TEXT = Symbol("text");

/**
 * A value whose numbers are exact: whole numbers beyond 2^53 are a `bigint`, others that a double
 * does not hold, or holds only as one of several whole numbers, a `JsonNumber`.
 */
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
    throw new SyntaxError(`this is not JSON, from character ${this.at} on`);
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
    return new JsonText(this.text.slice(start, this.at), READ);
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
  const isExact = Number.isFinite(number) && !isBlurred(number) && digits(text) === digits(String(number));
  if (isExact) return number;
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
