/** The patterns of the shared scenarios; `clients/spec/README.md` lists them. */

/** Replaces `$ref`, `$repeat` and `$no_json` by what they stand for. */
export function filled(value, names) {
  if (Array.isArray(value)) return value.map((item) => filled(item, names));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return names[value.$ref];
  if ("$repeat" in value) return value.$repeat[0].repeat(value.$repeat[1]);
  if ("$no_json" in value) return value.$no_json === "half" ? "a\ud800" : Number(value.$no_json);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, names)]));
}

const isAbsent = (value) => value === undefined || value === null;

const PATTERNS = {
  $set: (name, value, names) => {
    if (isAbsent(value)) return false;
    names[name] = value;
    return true;
  },
  $ref: (name, value, names) => mismatch(names[name], value, names) === undefined,
  $not: (pattern, value, names) => !isAbsent(value) && mismatch(pattern, value, names) !== undefined,
  $any: (_, value) => !isAbsent(value),
  $absent: (_, value) => isAbsent(value),
  $one_of: (all, value, names) => all.some((one) => mismatch(one, value, names) === undefined),
  $like: (regex, value) => typeof value === "string" && new RegExp(`^(?:${regex})$`, "su").test(value),
  $repeat: ([text, times], value) => value === text.repeat(times),
};

/** Where a value does not match, in words; `undefined` if it matches. */
export function mismatch(pattern, value, names, at = "it") {
  if (Array.isArray(pattern)) return listMismatch(pattern, value, names, at);
  if (typeof pattern !== "object" || pattern === null) {
    const isEqual = pattern === value || (typeof value === "bigint" && String(pattern) === String(value));
    return isEqual ? undefined : `${at}: ${shown(value)} in place of ${shown(pattern)}`;
  }
  const [name] = Object.keys(pattern);
  if (name?.startsWith("$")) {
    const matches = PATTERNS[name];
    if (matches === undefined) return `${at}: there is no pattern ${name}`;
    return matches(pattern[name], value, names) ? undefined : `${at}: ${shown(value)} does not match ${shown(pattern)}`;
  }
  if (typeof value !== "object" || value === null) return `${at}: ${shown(value)} is no object`;
  for (const [key, expected] of Object.entries(pattern)) {
    const wrong = mismatch(expected, Object.hasOwn(value, key) ? value[key] : undefined, names, `${at}.${key}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function listMismatch(pattern, value, names, at) {
  if (!Array.isArray(value)) return `${at}: ${shown(value)} is no list`;
  if (value.length !== pattern.length) return `${at}: ${value.length} items in place of ${pattern.length}: ${shown(value)}`;
  for (const [index, item] of pattern.entries()) {
    const wrong = mismatch(item, value[index], names, `${at}[${index}]`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function shown(value) {
  const text = JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? `${inner}n` : inner));
  return (text ?? "nothing").slice(0, 300);
}
