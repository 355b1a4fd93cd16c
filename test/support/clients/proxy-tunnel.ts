/** Asks a proxy at a Unix socket for a tunnel, as programs in a container do. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export interface Tunnel {
	readonly status: number;
	/** The text of a refusal. */
	readonly text: string;
	/** The open tunnel. */
	readonly socket: Socket;
}

/** Resolves with the open tunnel, or with the whole refusal. */
export async function tunnelTo(socketPath: string, authority: string): Promise<Tunnel> {
	const outgoing = httpRequest({ socketPath, method: "CONNECT", path: authority, agent: false });
	outgoing.end();
	const [answer, socket, head] = (await once(outgoing, "connect")) as [IncomingMessage, Socket, Buffer];
	let text = head.toString();
	const status = answer.statusCode ?? 0;
	if (status !== 200) for await (const chunk of socket) text += String(chunk);
	return { status, text, socket };
}
