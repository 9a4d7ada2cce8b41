// Written by `hookman install --host opencode`, which writes it again: hands OpenCode's calls to hookman.
import { spawnSync } from "node:child_process";

const LINES = @LINES@;

export const Hookman = async ({ directory }) => {
  const asked = (event, session, call) => {
    const payload = { session_id: session, cwd: directory, hook_event_name: event, ...call };
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", LINES[event]], {
      cwd: directory,
      encoding: "utf8",
      input: JSON.stringify(payload),
    });
    // A gate must hold where hookman is missing, too.
    if (status !== 0) throw new Error(stderr.trim() || "hookman gave no answer");
    return stdout.trim() ? JSON.parse(stdout) : {};
  };
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const call = { tool_name: tool, tool_use_id: callID, tool_input: output.args };
      const { permissionDecision, permissionDecisionReason, updatedInput } =
        asked("PreToolUse", sessionID, call).hookSpecificOutput ?? {};
      if (permissionDecision === "deny") throw new Error(permissionDecisionReason);
      Object.assign(output.args, updatedInput);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const call = { tool_name: tool, tool_use_id: callID, tool_input: args, tool_response: output.output };
      const advice = asked("PostToolUse", sessionID, call).hookSpecificOutput?.additionalContext;
      if (advice) output.output += `\n\n${advice}`;
    },
  };
};
