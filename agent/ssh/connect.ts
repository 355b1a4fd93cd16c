/**
 * `node agent/ssh/connect.ts PROXY HOST PORT` connects its input and output to a server, through an HTTP proxy at the address PROXY. It is
 * the `ProxyCommand` of ssh (ssh_config(5)) in pods that have no network. Exit code 1: there is no connection, and the proxy's reason
 * is on the standard error.
 */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";

/** The proxy tries several addresses of a server, one after the other. */
const answerMs = 150_000;
/** The most bytes of a reason. */
const maxReasonBytes = 2_000;

async function reasonIn(socket: Socket, head: Buffer): Promise<string> {
	let said = head;
	for await (const chunk of socket) {
		said = Buffer.concat([said, chunk as Buffer]);
		if (said.length > maxReasonBytes) break;
	}
	return said.toString("utf8", 0, maxReasonBytes).trim();
}

async function connect(proxy: string, host: string, port: string): Promise<void> {
	const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
	const outgoing = request(`http://${proxy}`, { method: "CONNECT", path, agent: false, timeout: answerMs });
	outgoing.on("timeout", () => outgoing.destroy(new Error("The proxy does not answer")));
	outgoing.end();
	const [answer, socket, head] = (await once(outgoing, "connect")) as [IncomingMessage, Socket, Buffer];
	if (answer.statusCode !== 200)
		throw new Error((await reasonIn(socket, head)) || `The proxy refuses: ${answer.statusCode}`);
	socket.setTimeout(0);
	process.stdout.write(head);
	pipeline(process.stdin, socket).catch(() => socket.destroy());
	await pipeline(socket, process.stdout);
}

const [proxy = "", host = "", port = ""] = process.argv.slice(2);
process.exit(
	await connect(proxy, host, port).then(
		() => 0,
		(error: unknown) => {
			process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
			return 1;
		},
	),
);
