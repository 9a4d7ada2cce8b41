#!/usr/bin/env node
"use strict";

// Starts the program of this platform's package. `hookman install` registers that
// program itself, so no hook waits for node.
const { spawnSync } = require("node:child_process");

const name = `@hookman/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/hookman`);
} catch {
  console.error(
    `hookman: the package ${name} is not installed. Install hookman without --omit=optional; ` +
      "on another platform, build it with: cargo install hookman --locked",
  );
  process.exit(2);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`hookman: ${program} cannot be started: ${error.message}`);
  process.exit(2);
}
if (signal) {
  process.kill(process.pid, signal);
}
process.exit(status ?? 2);
