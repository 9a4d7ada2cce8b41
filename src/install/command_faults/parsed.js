// Reads the scripts that are its arguments, or follow there behind a `=`, without running them. Prints a row for
// each finding: its kind, the number of the script, no line and a text as JSON.
const { spawnSync } = require("child_process");
const { readFileSync } = require("fs");
const { builtinModules, createRequire } = require("module");
const { extname, resolve } = require("path");
const { compileFunction, Script, SourceTextModule } = require("vm");

const OF_COMMONJS = ["exports", "require", "module", "__filename", "__dirname"];

const IMPORTS = /\brequire\(\s*["']([^"']+)["']\s*\)|^\s*import\s(?:[^"']*\sfrom\s+)?["']([^"']+)["']/gm;

// The first module that a script asks for, and that is not there.
function missing(file, text, say) {
  const find = createRequire(resolve(file)).resolve;
  const code = text.replace(/^\s*(\/\/|\*).*$/gm, "");
  if (/\btry\b|\bcatch\b/.test(code)) return undefined;
  const isOwn = (name) => name.startsWith("node:") || builtinModules.includes(name);
  const names = [...code.matchAll(IMPORTS)].map((it) => it[1] ?? it[2]).filter((name) => !isOwn(name));
  return names.find((name) => {
    say("around", name);
    try {
      find(name);
      return false;
    } catch (error) {
      return error.code === "MODULE_NOT_FOUND";
    }
  });
}

// The keys that an answer has which is written out.
function keys(text) {
  const code = text.replace(/(["'`])(?:\\.|(?!\1)[^\\])*\1(?!\s*:)/g, "0");
  const objects = [...code.matchAll(/hookSpecificOutput["']?\s*:\s*\{([^{}]*)\}/g)];
  return objects.flatMap(([, inner]) => [...inner.matchAll(/(?:^|,)\s*["']?(\w+)["']?\s*:/g)].map((it) => it[1]));
}

for (const [number, file] of process.argv.slice(1).entries()) {
  const say = (kind, said) => console.log(`${kind}\t${number}\t0\t${JSON.stringify(said)}`);
  // Node runs a file with any ending, but checks none with an ending that it does not know.
  const isInline = file.startsWith("=");
  const isKnown = !isInline && ["", ".js", ".cjs", ".mjs"].includes(extname(file));
  let text;
  try {
    text = isInline ? file.slice(1) : readFileSync(file, "utf8");
    const code = text.replace(/^#!.*/, "");
    if (isInline) new Script(code);
    else extname(file) === ".mjs" ? new SourceTextModule(code) : compileFunction(code, OF_COMMONJS);
  } catch (error) {
    if (isInline && !/\b(import|export|await)\b/.test(text)) {
      say("syntax", String(error));
      continue;
    }
    // What may be a module, and what has a mistake, is for Node itself to judge.
    say("around", "");
    const checked = spawnSync(process.execPath, ["--check", isKnown ? file : "-"], { encoding: "utf8", input: text });
    if (checked.status !== 0) {
      say("syntax", checked.stderr.replaceAll("[stdin]", file));
      continue;
    }
  }
  for (const key of keys(text)) say("key", key);
  const lacks = isKnown && missing(file, text, say);
  if (isKnown && extname(file) === ".mjs" && /\brequire\(/.test(text) && !text.includes("createRequire")) say("require", "");
  else if (lacks) say("lacks", lacks);
}
