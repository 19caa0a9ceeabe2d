#!/usr/bin/env node
// Starts the trimtab of this system, which npm has put beside this package.
"use strict";
const { spawn } = require("node:child_process");
const os = require("node:os");
const path = require("node:path");

const name = `trimtab-${process.platform}-${process.arch}`;
let dir;
try {
  dir = path.dirname(require.resolve(`${name}/package.json`));
} catch {
  console.error(`trimtab: npm has no package ${name}, or it was left out (--omit=optional).`);
  console.error("With Go: go install github.com/trimtab/trimtab/cmd/trimtab@latest");
  process.exit(1);
}
const program = path.join(dir, process.platform === "win32" ? "trimtab.exe" : "trimtab");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal tells both of Ctrl+C; what else comes is handed on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`trimtab: ${program}: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
