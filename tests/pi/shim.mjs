// Stands where pi's own program would: starts BOWLINE_PROGRAM with the same arguments and the same streams, passes
// signals on, and ends as it ends. Writes the number of its process into BOWLINE_PID.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const child = spawn(process.env.BOWLINE_PROGRAM, process.argv.slice(2), { stdio: "inherit" });
if (process.env.BOWLINE_PID) writeFileSync(process.env.BOWLINE_PID, `${child.pid}\n`);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 1)));
