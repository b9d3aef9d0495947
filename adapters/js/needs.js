/** Installs what the build and the tests need, in this folder, where it is missing. */

import { execSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const missing = Object.keys(devDependencies).some((name) => !existsSync(`node_modules/${name}`));
// The settings of an `npm pack --dry-run` or an `npm install -g` that runs this are not meant for it. And stdout is theirs.
if (missing) execSync("npm install --ignore-scripts --no-save --no-dry-run --no-global", { stdio: ["ignore", 2, 2] });
