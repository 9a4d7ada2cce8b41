// Reads the scripts that are its arguments without running them, and prints a row for each that Node
// cannot read: its number, and what Node says of it as JSON.
const { spawnSync } = require("child_process");
const { readFileSync } = require("fs");
const { extname } = require("path");
const { compileFunction } = require("vm");

const OF_COMMONJS = ["exports", "require", "module", "__filename", "__dirname"];

for (const [number, file] of process.argv.slice(1).entries()) {
  let text;
  try {
    text = readFileSync(file, "utf8");
    compileFunction(text.replace(/^#!.*/, ""), OF_COMMONJS);
    continue;
  } catch {
    // Modules, and what has a mistake, are for Node itself to judge.
  }
  // Node runs a file with any ending, but checks none with an ending that it does not know.
  const isKnown = ["", ".js", ".cjs", ".mjs"].includes(extname(file));
  const checked = spawnSync(process.execPath, ["--check", isKnown ? file : "-"], { encoding: "utf8", input: text });
  if (checked.status !== 0) {
    console.log(`${number}\t${JSON.stringify(checked.stderr.replaceAll("[stdin]", file))}`);
  }
}
