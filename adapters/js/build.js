/**
 * Builds what the package has beside `src`: types, and CommonJS modules with types of their own.
 *
 * npm runs it before it packs this folder or installs it.
 */

import "./needs.js";

import { execSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

for (const made of ["types", "cjs"]) rmSync(made, { recursive: true, force: true });
for (const settings of ["tsconfig.json", "tsconfig.cjs.json"])
  execSync(`node node_modules/typescript/bin/tsc -p ${settings}`, { stdio: ["ignore", 2, 2] }); // `npm pack --json` prints on stdout
writeFileSync("cjs/package.json", '{ "type": "commonjs" }\n'); // for this folder: the package says "module"
