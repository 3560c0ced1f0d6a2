// Stands where pi's own program would: carries its streams to the socket BOWLINE_SOCKET, where a host serves.
import { connect } from "node:net";

const socket = connect(process.env.BOWLINE_SOCKET);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on("close", () => process.exit(0));
