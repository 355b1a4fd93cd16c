/**
 * A program with an event stream on bare sockets, with one write per event and client. It sends the requested number of
 * events.
 */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { eventText } from "../event-text.ts";
import { report } from "../program.ts";

const sockets = new Set<Socket>();
const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\nretry: 2000\n\n";

const server = createServer({ noDelay: true }, (socket) => {
	socket.on("error", () => {});
	socket.on("close", () => sockets.delete(socket));
	socket.once("data", () => {
		socket.write(head);
		sockets.add(socket);
	});
});

let seq = 0;
process.on("message", ({ events }: { events: number }) => {
	for (let n = 0; n < events; n++) {
		const frame = Buffer.from(`id: b-${++seq}\nevent: session_updated\ndata: ${eventText()}\n\n`);
		for (const socket of sockets) socket.write(frame);
	}
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 2_000 }, () => {
	report({ port: (server.address() as AddressInfo).port, path: "/" });
});
