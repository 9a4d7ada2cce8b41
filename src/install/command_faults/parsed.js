// Reads the scripts that are its arguments, or follow there behind a `=`, without running them. Prints a row for
// each finding: its kind, the number of the script, the line or 0, and a text as JSON.
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

// The keys of each answer that is written out.
function keys(text) {
  const code = text.replace(/(["'`])(?:\\.|(?!\1)[^\\])*\1(?!\s*:)/g, "0").replace(/^\s*\/\/.*$/gm, "");
  const objects = [...code.matchAll(/hookSpecificOutput["']?\s*:\s*\{([^{}]*)\}/g)].filter((it) => !it[1].includes("..."));
  const flat = (inner) => [0, 0].reduce((text) => text.replace(/[([][^()[\]]*[)\]]/g, ""), inner);
  return objects.map(([, inner]) => [...flat(inner).matchAll(/(?:^|,)\s*["']?(\w+)["']?\s*(?=[:,]|$)/g)].map((it) => it[1]));
}

// The fields that are read of the call, each with its line: those that are read alone, and all.
function fields(text) {
  const parsed = "=\\s*(?:await\\s+)?JSON\\.parse\\(";
  const isOne = text.split("JSON.parse(").length === 2 && /stdin|readFileSync\(0/.test(text);
  const name = text.match(new RegExp(`\\b(?:const|let|var)\\s+(\\w+)\\s*${parsed}`))?.[1];
  const inner = text.match(new RegExp(`\\b(?:const|let|var)\\s*\\{([^{}=]*)\\}\\s*${name ? `=\\s*${name}\\b` : parsed}`));
  const at = (key, index) => `${key}@${text.slice(0, index).split("\n").length}`;
  const read = [...(inner?.[1] ?? "").matchAll(/(?:^|,)\s*(\w+)/g)].map((it) => [at(it[1], inner.index), true]);
  const members = name ? text.matchAll(new RegExp(`(\\|\\||\\?\\?)?\\s*\\b${name}(?:\\?\\.|\\.)(\\w+)(?=(\\s*(?:\\|\\||\\?\\?))?)`, "g")) : [];
  read.push(...[...members].map((it) => [at(it[2], it.index + it[0].length), !it[1] && !it[3]]));
  const listed = (of) => of.map(([key]) => key).join(",");
  return isOne && read.length > 0 && `;${listed(read.filter(([, isAlone]) => isAlone))};${listed(read)}`;
}

// The fields that are read of the call's input, and the line of the first.
function ofInput(text) {
  const assigned = text.match(/\b(?:const|let|var)\s+(\w+)\s*=[^\n]*\btool_input\b(?![\w?.[])|\{[^{}]*\btool_input\s*:\s*(\w+)[^{}]*\}\s*=/);
  const name = assigned?.[1] ?? assigned?.[2];
  const given = `(?:[^\\n]*\\btool_input\\b${name ? `|\\s*${name}\\b` : ""})(?![\\w?.[])`;
  const bound = text.match(new RegExp(`\\b(?:const|let|var)\\s*\\{([^{}=]*)\\}\\s*=${given}`));
  const found = [...(bound?.[1] ?? "").matchAll(/(?:^|,)\s*(\w+)/g)].map((it) => [it[1], bound.index]);
  const members = new RegExp(`\\b(?:tool_input${name ? `|(?<!\\.)${name}` : ""})\\)?(?:\\?\\.|\\.)(\\w+)`, "g");
  found.push(...[...text.matchAll(members)].map((it) => [it[1], it.index]));
  return found.length > 0 && [[...new Set(found.map(([key]) => key))].join(", "), text.slice(0, found[0][1]).split("\n").length];
}

for (const [number, file] of process.argv.slice(1).entries()) {
  const say = (kind, said, line = 0) => console.log(`${kind}\t${number}\t${line}\t${JSON.stringify(said)}`);
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
  for (const of of keys(text)) {
    for (const key of of) say("key", key);
    if (of.length > 0 && !of.includes("hookEventName")) say("unnamed", "");
  }
  const read = fields(text);
  if (read) say("field", read);
  const input = ofInput(text);
  if (input) say("input", ...input);
  const lacks = isKnown && missing(file, text, say);
  if (isKnown && extname(file) === ".mjs" && /\brequire\(/.test(text) && !text.includes("createRequire")) say("require", "");
  else if (lacks) say("lacks", lacks);
}
