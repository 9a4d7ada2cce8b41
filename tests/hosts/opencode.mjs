// Calls the plugin that hookman wrote as OpenCode does, and prints what comes of it.
const { Hookman } = await import(process.argv[2]);
const hooks = await Hookman({ directory: process.cwd() });
const call = (tool) => ({ tool, sessionID: "one", callID: "call_1" });

for (const [tool, args] of [
  ["bash", { command: "git clean -fd" }],
  ["bash", { command: "git clean -fd" }],
  ["bash", { command: "true" }],
  ["write", { filePath: ".env", content: "x" }],
  ["write", { filePath: "a.txt", content: "x" }],
  ["edit", { filePath: "a.txt", oldString: "x", newString: "y" }],
  ["read", { filePath: ".env" }],
  ["apply_patch", { patchText: "*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch" }],
  ["multiedit", { filePath: ".env", edits: [] }],
]) {
  const output = { args };
  const before = await hooks["tool.execute.before"](call(tool), output).then(
    () => "goes on",
    (error) => `is held: ${error.message.split("\n")[0]}`,
  );
  console.log(`${tool} ${JSON.stringify(output.args)} ${before}`);
}
const output = { output: "done" };
await hooks["tool.execute.after"]({ ...call("edit"), args: { filePath: "a.txt" } }, output).catch(
  (error) => (output.output = error.message),
);
console.log(output.output);
