/** An empty directory with the package in it, as its users get it. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** A directory with nothing but the package: what npm packs, `package.json` and its `files`. */
export function emptyDirectory(t) {
  const directory = mkdtempSync(join(tmpdir(), "queue-readme-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const into = join(directory, "node_modules", "queue-jobs");
  mkdirSync(into, { recursive: true });
  const { files } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  for (const file of ["package.json", ...files]) {
    cpSync(join(PACKAGE, file), join(into, file), { recursive: true, dereference: true });
  }
  return directory;
}

/** The programs of the README. */
export function programs() {
  return [...readFileSync(join(PACKAGE, "README.md"), "utf8").matchAll(/```js\n(.*?)```/gs)].map(([, program]) => program);
}
