import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { JsonNumber, JsonText, parse, read, TEXT } from "../src/json.js";
import { jobOut } from "../src/wire.js";
import { write } from "../src/write.js";

test("a number that a double holds is a number, any other keeps its digits", () => {
  for (const text of ["0", "-0", "1", "1.1", "1e5", "0.1", "1e308", "5e-324", "9007199254740991", "1.7976931348623157e308"]) {
    assert.equal(typeof parse(`[${text}]`)[0], "number", text);
    assert.ok(Object.is(parse(`[${text}]`)[0], Number(text)), text);
  }
  assert.equal(parse("[9007199254740993]")[0], 9007199254740993n);
  assert.equal(parse(`-${"7".repeat(5000)}`), -BigInt("7".repeat(5000)));
  for (const text of ["1e400", "-1E-400", "0.1000000000000000055511151231257827", "1e999999999999"]) {
    assert.ok(parse(text) instanceof JsonNumber, text);
  }
});

test("what was read is written with the same value", () => {
  const texts = ["[0,-0,1.5,9007199254740993,1e400,-1E-400,null,true,\"a\\n\"]", "{\"a\":{},\"b\":[],\"12345678901234567\":1}"];
  for (const text of texts) assert.equal(write(parse(text)), text);
});

test("the reader agrees with that of the language wherever doubles are exact", () => {
  const long = "[\"0123456789012345678\",";
  for (const text of ["{\"a\":[1,{\"b\":null}],\"c\":\"\\\\\\\"\\u00e9\"}", " [ true , false ] ", "\"\\ud83e\\udd80\"", "{\"\":{}}"]) {
    const padded = `${long}${text}]`;
    assert.deepEqual(parse(padded), JSON.parse(padded));
  }
  for (const text of ["", "[1,]", "{\"a\"}", "01", "[1 2]", "nul", "\"a", "1.", "+1", "[1]]", "{,}", "\"\t\""]) {
    assert.throws(() => read(text, {}), SyntaxError, text);
  }
});

test("a key of a payload that means something to the language is only a key", () => {
  const value = parse("{\"__proto__\":{\"isAdmin\":true},\"n\":9007199254740993}");
  assert.equal(value.isAdmin, undefined);
  assert.deepEqual(Object.keys(value), ["__proto__", "n"]);
  assert.equal(write(value), "{\"__proto__\":{\"isAdmin\":true},\"n\":9007199254740993}");
});

test("the text of marked places is kept, and of those alone", () => {
  const told = read("{\"jobs\":[{\"payload\": { \"payload\" : 1.10 } ,\"headers\":{\"payload\":\"x\"}}]}", { jobs: [{ payload: TEXT }] });
  assert.equal(told.jobs[0].payload.toString(), "{ \"payload\" : 1.10 }");
  assert.deepEqual(told.jobs[0].headers, { payload: "x" });
});

const REFUSED = { name: "QueueError", kind: "invalid", certainty: "not_applied" };

test("what JSON cannot say is refused and not turned into null", () => {
  const circular = [];
  circular.push(circular);
  for (const value of [NaN, [Infinity], { a: -Infinity }, circular]) assert.throws(() => write(value), REFUSED);
  for (const text of ["1}, {\"id\": \"b\"", "", "NaN", "\"\\ud800\"", "{\"\\uDc00\": 1, \"a\": 2}", "\"\ud800\""]) {
    assert.throws(() => new JsonText(text), REFUSED, text);
  }
  assert.equal(new JsonText("[\"\\ud83e\\udd80 \\\\ud800\"]").toString(), "[\"\\ud83e\\udd80 \\\\ud800\"]");
  assert.throws(() => new JsonNumber("1,2"), TypeError);
});

test("what the language would drop or change in JSON is refused, with the way to it", () => {
  for (const [value, why] of [
    [{ a: [1, () => 1] }, "payload.a[1]: JSON cannot hold a function"],
    [Symbol("x"), "payload: JSON cannot hold a symbol"],
    [[undefined], "payload[0]: JSON cannot hold undefined: give null"],
    [{ ids: new Set([1]) }, "payload.ids: JSON cannot hold a Set"],
    [{ a: new Map() }, "payload.a: JSON cannot hold a Map"],
    [{ body: Promise.resolve(1) }, "payload.body: JSON cannot hold a promise: await it"],
    [{ at: new Date(NaN) }, "payload.at: this Date is invalid"],
    [{ image: Buffer.from("x") }, "payload.image: JSON cannot hold bytes within a value: give base64, or bytes as the whole"],
    [{ "\ud800": 1 }, "payload.\ud800: the text has half of a surrogate pair"],
    ["a\udc00", "payload: the text has half of a surrogate pair"],
    [{ n: 2 ** 53 }, "payload.n: 9007199254740992 is beyond 2^53, where a number may have lost its last digits: give a bigint"],
  ]) assert.throws(() => write(value, { what: "payload" }), { ...REFUSED, message: why });
  assert.throws(() => write({ tags: ["a", "\ud800"] }), { message: "tags[1]: the text has half of a surrogate pair" });
});

test("a field that is undefined is left out of a payload, and an item of a list is refused", () => {
  const job = (payload) => String(jobOut({ payload }, "a").payload);
  assert.equal(job({ to: "ada", cc: undefined, more: [{ bcc: undefined }] }), '{"to":"ada","more":[{}]}');
  assert.throws(() => job({ to: ["ada", undefined] }), { message: "payload.to[1]: JSON cannot hold undefined: give null" });
});

test("the error of a value that holds itself shows a short way to it", () => {
  const a = {};
  a.self = a;
  assert.throws(() => write(a, { what: "payload" }), { message: `payload${".self".repeat(8)} ..: it is nested too deeply or holds itself` });
});

test("numbers that only look like whole ones with all of their digits stay what they were", () => {
  assert.deepEqual(parse("[9007199254740991, 9007199254740992, -100000000000000000]"), [9007199254740991, 9007199254740992n, -(10n ** 17n)]);
  for (const text of ["1e17", "1.5e+16", "123456789012345.5e2"]) assert.equal(write(parse(`[${text}]`)), `[${text}]`);
  assert.equal(inspect(parse("[1e17]")), "[ JsonNumber(1e17) ]");
  for (const number of [6.02214076e23, 1e21, -1e300, 2 ** 53 - 1, 0.1]) assert.equal(parse(write([number]))[0], number);
});

test("it writes as the language does otherwise", () => {
  const date = new Date(0);
  for (const value of [{ a: undefined, b: [null], c: date, d: new String("x") }, "🦀", [], {}, 1.5]) {
    assert.equal(write(value), JSON.stringify(value));
  }
});
