// pi's own RPC client and a host with a command and a tool that send every message to the person there is.
//   host.mjs RELEASE    the host listens at BOWLINE_SOCKET
// A line on standard output: what was sent, and what the client's methods gave.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { RpcClient } = await import(process.argv[2]);
const client = new RpcClient({ cliPath: join(dirname(fileURLToPath(import.meta.url)), "socket.mjs") });

const answers = {
  select: (asked) => ({ value: asked.options[1] }),
  confirm: (asked) => (asked.title === "Refused?" ? { cancelled: true } : { confirmed: true }),
  input: () => ({ value: "a line" }),
  editor: (asked) => ({ value: `${asked.prefill}\nmore` }),
};
let heard = [];
client.onEvent((event) => {
  if (!event.type.startsWith("extension_")) return;
  heard.push(event);
  const answer = answers[event.method]?.(event);
  if (!answer) return;
  const line = { type: "extension_ui_response", id: event.id, ...answer };
  client.process.stdin.write(`${JSON.stringify(line)}\n`);
});
const since = () => heard.splice(0);

await client.start();
const told = { commands: await client.getCommands() };
await client.prompt("/all of it");
told.command = since();
await client.prompt("/fail");
told.failed = since();
told.events = (await client.promptAndWait("use the tool")).map((event) => event.type);
told.tool = since();
process.stdout.write(`${JSON.stringify(told)}\n`);
await client.stop();
