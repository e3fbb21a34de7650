import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonNumber, JsonText, parse, read, TEXT, write } from "../src/json.js";

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

test("what JSON cannot say is refused and not turned into null", () => {
  const circular = [];
  circular.push(circular);
  for (const value of [NaN, [Infinity], { a: -Infinity }, circular]) assert.throws(() => write(value), TypeError);
  assert.throws(() => new JsonText("1}, {\"id\": \"b\""), SyntaxError);
  assert.throws(() => new JsonNumber("1,2"), TypeError);
});

test("it writes as the language does otherwise", () => {
  const date = new Date(0);
  for (const value of [{ a: undefined, b: [undefined, () => 1], c: date, d: new String("x") }, "\ud800", [], {}, 1.5]) {
    assert.equal(write(value), JSON.stringify(value));
  }
});
