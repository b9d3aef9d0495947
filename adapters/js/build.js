/**
 * Builds what the package has beside `src`: types, and CommonJS modules with types of their own.
 *
 * npm runs it before it packs this folder or installs it. Without a compiler it installs that first, here.
 */

import { execSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";

/** @param {string} command */
const run = (command) => execSync(command, { stdio: ["ignore", 2, 2] }); // stdout is npm's: `npm pack --json` prints there

if (!existsSync("node_modules/typescript")) run("npm install --ignore-scripts --no-save --no-dry-run --no-global");
for (const made of ["types", "cjs"]) rmSync(made, { recursive: true, force: true });
for (const settings of ["tsconfig.json", "tsconfig.cjs.json"]) run(`node node_modules/typescript/bin/tsc -p ${settings}`);
writeFileSync("cjs/package.json", '{ "type": "commonjs" }\n'); // the folder's own: above it stands "module"
