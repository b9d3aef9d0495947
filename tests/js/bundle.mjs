/**
 * Bundles a page of tests for a browser: `node bundle.mjs ENTRY OUT`. Vue's components are compiled first.
 *
 * NODE_ENV is that of development, so that React's strict mode does what it is for.
 */

import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { compileScript, parse } from "vue/compiler-sfc";

const vue = {
  name: "vue",
  setup(builder) {
    builder.onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor } = parse(await readFile(path, "utf8"));
      return { contents: compileScript(descriptor, { id: "it", inlineTemplate: true }).content, loader: "js" };
    });
  },
};
const [, , entry, out] = process.argv;
const define = {
  "process.env.NODE_ENV": '"development"',
  __VUE_OPTIONS_API__: "true",
  __VUE_PROD_DEVTOOLS__: "false",
  __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
};
await build({
  entryPoints: [entry],
  outfile: out,
  bundle: true,
  format: "esm",
  jsx: "automatic",
  define,
  plugins: [vue],
  preserveSymlinks: true,
  logLevel: "error",
});
