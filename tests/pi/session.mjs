// Session files by pi's own hand.
//   session.mjs look RELEASE FILE...         how pi sees session files
//   session.mjs make RELEASE FOLDER COUNT    writes sessions of every kind of entry, by chance but always the
//                                            same, and says where they are and how pi sees them
// RELEASE is the name of a dependency in package.json. The answer is a line of JSON for each session.
const [what, release, ...rest] = process.argv.slice(2);
const { SessionManager } = await import(release);

function seen(manager) {
  const plain = (value) => JSON.parse(JSON.stringify(value ?? null));
  return {
    file: manager.getSessionFile(),
    id: manager.getSessionId(),
    name: plain(manager.getSessionName()),
    entries: manager.getEntries().map((entry) => [entry.id, entry.parentId, entry.type]),
    labels: Object.fromEntries(
      manager.getEntries().flatMap((entry) => {
        const label = manager.getLabel(entry.id);
        return label === undefined ? [] : [[entry.id, label]];
      }),
    ),
    leaf: manager.getLeafId(),
    context: plain(manager.buildSessionContext()),
  };
}

/** Numbers from 0 up to 1 that are the same for the same seed. */
function chances(from) {
  let state = (Number(from) * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function make(folder, seed) {
  const chance = chances(seed);
  const pick = (list) => list[Math.floor(chance() * list.length)];
  const manager = SessionManager.create("/somewhere/else", folder);
  const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 1, totalTokens: 19,
    cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 } };
  const words = () => pick(["fix it", "naïve — 漢字 👩‍👩‍👧", "a\nb\u2028c", "{\"type\":\"session\"}", ""]);
  const entries = () => manager.getEntries().map((entry) => entry.id);
  let calls = 0;
  const steps = [
    () => manager.appendMessage({ role: "user", content: words(), timestamp: 1 }),
    () => manager.appendMessage({ role: "user", timestamp: 2,
      content: [{ type: "text", text: words() }, { type: "image", data: "AAAA", mimeType: "image/png" }] }),
    () => manager.appendMessage({ role: "assistant", timestamp: 3, api: "anthropic-messages",
      provider: pick(["anthropic", "openai"]), model: pick(["one", "two"]), usage, stopReason: "toolUse",
      content: [{ type: "thinking", thinking: "hm", thinkingSignature: "sig" }, { type: "text", text: words() },
        { type: "toolCall", id: `c${++calls}`, name: "bash", arguments: { command: "ls" } }] }),
    () => manager.appendMessage({ role: "toolResult", timestamp: 4, toolCallId: `c${calls}`, toolName: "bash",
      content: [{ type: "text", text: words() }], details: { deep: [1, { er: null }] }, isError: chance() < 0.5 }),
    () => manager.appendMessage({ role: "bashExecution", command: "ls", output: words(), exitCode: 0,
      cancelled: false, truncated: false, timestamp: 5 }),
    () => manager.appendThinkingLevelChange(pick(["off", "low", "high"])),
    () => manager.appendModelChange("anthropic", pick(["one", "two", "three"])),
    () => manager.appendCustomEntry("someone.else", { kept: words() }),
    () => manager.appendCustomMessageEntry("note", words(), chance() < 0.5, { d: 1 }),
    () => manager.appendSessionInfo(`called ${words()}`),
    () => manager.appendLabelChange(pick(entries()), pick(["here", "there", undefined])),
    () => manager.appendCompaction(`summary ${words()}`, pick(manager.getBranch()).id, 1000, { readFiles: ["a"] }),
    () => manager.branch(pick(entries())),
    () => manager.branchWithSummary(pick(entries()), `left ${words()}`, { modifiedFiles: ["b"] }),
    () => manager.resetLeaf?.(),
    () => manager.appendUsage?.("cache_warm", "anthropic", "one", usage, "note"),
    () => {
      const edited = manager.getBranch().filter((entry) => entry.type === "custom_message" ||
        ["user", "assistant", "toolResult"].includes(entry.message?.role));
      if (manager.appendContextEdit && edited.length > 0) {
        manager.appendContextEdit(pick(edited).id, chance() < 0.5 ? null : { content: [{ type: "text", text: "told differently" }] });
      }
    },
  ];
  // The file comes with the first answer.
  steps[0]();
  steps[2]();
  for (let step = 0; step < 40; step++) {
    if (manager.getLeafId() === null) steps[0]();
    pick(steps)();
  }
  steps[0]();
  return manager;
}

const managers = what === "make"
  ? Array.from({ length: Number(rest[1]) }, (_, seed) => make(rest[0], seed))
  : rest.map((file) => SessionManager.open(file));
for (const manager of managers) console.log(JSON.stringify(seen(manager)));
