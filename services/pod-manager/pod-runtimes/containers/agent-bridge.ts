/**
 * Makes the Unix socket of an agent in a container reachable at a port of this host, where the platform finds the agents of all
 * local sessions. The agent's requests still need the pod's key.
 */
// oxlint-disable-next-line no-restricted-imports -- opened without following links, and never read
import { constants } from "node:fs";
// oxlint-disable-next-line no-restricted-imports -- opened without following links, and never read
import { open } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { bound } from "#shared/base/bounds.ts";
import { listen } from "#shared/net/sockets/listen.ts";
import { agentSocket } from "#shared/wire/pod/door/door-sockets.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";

/** Opens a name without opening what it stands for (open(2)); Node has no constant for it. */
const O_PATH = 0o10000000;

/** Owns one port and its connections. */
export class AgentBridge {
	readonly #server: Server;

	private constructor(server: Server) {
		this.#server = server;
	}

	/**
	 * @param folder The folder with the agent's socket. @param host The address at which it listens.
	 * @param former The port that was used before, which is taken again if it is free; 0: any.
	 */
	static async open(folder: string, host: string, former: number): Promise<AgentBridge> {
		const listening = async (port: number): Promise<Server> => {
			const server = createServer(
				{ pauseOnConnect: true, allowHalfOpen: true },
				(client) => void bridge(client, folder),
			);
			server.maxConnections = bound.podConnections;
			await listen(server, { port, host });
			return server;
		};
		return new AgentBridge(await listening(former).catch(() => listening(0)));
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	/** Accepts no more connections; those that there are end with their agent. */
	close(): void {
		this.#server.close();
	}
}

async function bridge(client: Socket, folder: string): Promise<void> {
	client.on("error", () => client.destroy());
	try {
		const agent = await connectedTo(folder);
		await Promise.all([pipeline(client, agent), pipeline(agent, client)]);
	} catch {
		client.destroy();
	}
}

/**
 * Connects to the agent's socket. A session can put anything in its place, such as a link to the engine's socket, so the name is
 * opened without following it, and the connection goes to what was opened.
 * @throws {Error} when it is no socket, or nobody listens.
 */
async function connectedTo(folder: string): Promise<Socket> {
	await using opened = await UntrustedFolder.open(folder);
	if (!opened) throw new Error("The session has no folder for its socket");
	const handle = await open(opened.path(agentSocket), O_PATH | constants.O_NOFOLLOW);
	try {
		if (!(await handle.stat()).isSocket()) throw new Error("The session has something else in the place of its socket");
		const agent = connect(`/proc/self/fd/${handle.fd}`);
		await once(agent, "connect");
		return agent;
	} finally {
		await handle.close();
	}
}
