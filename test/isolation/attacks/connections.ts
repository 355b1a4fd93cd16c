/** Connections that stay open and are not read. */
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { runningSession } from "../../support/platform/session-steps.ts";
import { type Attack, type AttackTestbed, atOnce } from "../attack.ts";

/** A connection with a request whose answer is not read. */
async function unread({ prefix, authorization }: AttackTestbed, lines: readonly string[]): Promise<Socket> {
	const { hostname, port, host } = new URL(prefix);
	const socket = connect({ host: hostname, port: Number(port) });
	socket.on("error", () => {});
	await once(socket, "connect");
	const [first = "", ...more] = lines;
	socket.write([first, `Host: ${host}`, `Authorization: ${authorization}`, ...more, "", ""].join("\r\n"));
	socket.pause();
	return socket;
}

export const connectionAttacks: readonly Attack[] = [
	{
		name: "idle-streams",
		does: "1,000 streams that nobody reads, while a session changes",
		async begin(testbed) {
			const { id } = await runningSession(testbed.api);
			const path = new URL(`${testbed.prefix}/sessions/stream`).pathname;
			const lines = [`GET ${path} HTTP/1.1`, "Accept: text/event-stream"];
			let left = 1_000;
			return async () => {
				if (left > 0) await atOnce(100, () => unread(testbed, lines));
				left -= 100;
				await testbed.api.post(`/sessions/${id}/activity`, {
					state: "thinking",
					metadata: { text: "x".repeat(3_000) },
				});
			};
		},
	},
	{
		name: "chats",
		does: "chats of one session that say 100 KB a wave each and read nothing, as many as there may be",
		async begin(testbed) {
			const { id } = await runningSession(testbed.api);
			const upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
			const lines = [`GET /s/${id}/session HTTP/1.1`, ...upgrade, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="];
			const sockets = await Promise.all(Array.from({ length: 40 }, () => unread(testbed, lines)));
			return () => atOnce(sockets.length, async (i) => void sockets[i]?.write(Buffer.alloc(100_000, 0x81)));
		},
	},
];
