// pi's own RPC client drives the program through every method that it has.
//   rpc.mjs RELEASE FOLDER    FOLDER is the workspace; the program is started by shim.mjs
// Lines on standard output: {"gate":true} when the server is to go on, at last {"told":…} with what each method gave.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [release, folder] = process.argv.slice(2);
const { RpcClient } = await import(release);
const client = new RpcClient({
  cliPath: join(dirname(fileURLToPath(import.meta.url)), "shim.mjs"),
  cwd: folder,
  provider: "anthropic",
  model: "claude-opus-5-5",
  args: ["--approval", "full"],
});

const told = {};
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const called = new Set();
/** Calls a method that this release has; notes what came of it under a name. */
async function call(name, method, ...args) {
  if (typeof client[method] !== "function") return undefined;
  called.add(method);
  try {
    const value = await client[method](...args);
    told[name] = value === undefined ? null : value;
    return value;
  } catch (error) {
    told[name] = { refused: error.message };
    return undefined;
  }
}

let events = [];
called.add("onEvent");
const unsubscribe = client.onEvent((event) => events.push(event));
/** Waits for an event that comes from now on. */
function heard(holds) {
  return new Promise((resolve) => {
    const off = client.onEvent((event) => {
      if (!holds(event)) return;
      off();
      resolve(event);
    });
  });
}
const delta = (event) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta";
/** Says something and gives the answer's beginning time to come. */
async function begin(name, message) {
  const begun = heard(delta);
  await call(name, "prompt", message);
  await begun;
}

await call("start", "start");

// Where it stands, and what can be set.
told.first = await call("getState", "getState");
const models = await call("getAvailableModels", "getAvailableModels");
told.getAvailableModels = models.slice(0, 2);
await call("setModel", "setModel", "anthropic", models.find((one) => one.reasoning && one.provider === "anthropic").id);
await call("setModel refused", "setModel", "nobody", "nothing");
await call("cycleModel", "cycleModel");
await call("setModel back", "setModel", "anthropic", told.first.model.id);
await call("setThinkingLevel", "setThinkingLevel", "low");
await call("getAvailableThinkingLevels", "getAvailableThinkingLevels");
await call("cycleThinkingLevel", "cycleThinkingLevel");
await call("setSteeringMode", "setSteeringMode", "all");
await call("setFollowUpMode", "setFollowUpMode", "all");
await call("setAutoCompaction", "setAutoCompaction", false);
await call("setSessionName", "setSessionName", "a name");
await call("state after", "getState");
await call("setAutoRetry", "setAutoRetry", false);
await call("setAutoRetry again", "setAutoRetry", true);

// A run with a tool.
events = [];
const all = await call("promptAndWait", "promptAndWait", "make it");
told.promptAndWait = all.map((event) => event.type);
await call("getLastAssistantText", "getLastAssistantText");
await call("getMessages", "getMessages");
const forks = await call("getForkMessages", "getForkMessages");
const entries = await call("getEntries", "getEntries");
if (entries) {
  await call("getEntries since", "getEntries", entries.entries[entries.entries.length - 2].id);
  await call("getEntries refused", "getEntries", "nobody");
}
await call("getTree", "getTree");
await call("getSessionStats", "getSessionStats");
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const seen = client.waitForIdle();
called.add("waitForIdle");
await call("prompt with a picture", "prompt", "look", [{ type: "image", data: picture, mimeType: "image/png" }]);
await seen;

// Words while the agent works.
let rest = client.collectEvents();
called.add("collectEvents");
await begin("prompt", "work");
await call("prompt unheard", "prompt", "no behaviour");
if (client.clearQueue) {
  await call("steer", "steer", "dropped 1");
  await call("followUp", "followUp", "dropped 2");
  await call("clearQueue", "clearQueue");
}
await call("steer", "steer", "left");
await call("followUp", "followUp", "then right");
await call("state at work", "getState");
say({ gate: true });
told.collectEvents = (await rest).map((event) => event.type);

// Interrupted.
rest = client.collectEvents();
await begin("prompt to abort", "for ever");
await call("abort", "abort");
told["abort events"] = (await rest).map((event) => event.type);
await call("state idle", "getState");

// A call that would be tried again is not.
rest = client.collectEvents();
const retry = heard((event) => event.type === "auto_retry_start");
await call("prompt to retry", "prompt", "fails");
told.retry = await retry;
await call("abortRetry", "abortRetry");
told["abortRetry events"] = (await rest).map((event) => event.type);

// Commands of the person.
await call("bash", "bash", "echo out; echo err >&2; exit 3");
const runs = heard((event) => event.type === "bash_execution_update");
const slow = call("bash stopped", "bash", "echo begun; sleep 600");
told.update = await runs;
await call("abortBash", "abortBash");
await slow;

// Summed up, exported, and other sessions.
await call("compact", "compact", "the point");
await call("exportHtml", "exportHtml", join(folder, "page.html"));
await call("exportHtml unnamed", "exportHtml");
const here = (await client.getState()).sessionFile;
await call("clone", "clone");
await call("state of the clone", "getState");
await call("newSession", "newSession", here);
await call("state of the new one", "getState");
await call("switchSession", "switchSession", here);
await call("switchSession refused", "switchSession", join(folder, "none.jsonl"));
await call("state back", "getState");
await call("fork", "fork", forks[0].entryId);
await call("fork refused", "fork", "nobody");
await call("getCommands", "getCommands");
await call("getStderr", "getStderr");
unsubscribe();
await call("stop", "stop");
await call("stopped", "getState");

const own = ["constructor", "handleLine", "send", "getData", "createProcessExitError", "rejectPendingRequests"];
told.missed = Object.getOwnPropertyNames(RpcClient.prototype).filter((name) => !own.includes(name) && !called.has(name));
told.here = here;
told.forks = forks;
say({ told });
