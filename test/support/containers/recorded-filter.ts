/** A filter before an engine that records what reaches it, and the requests that it lets through. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineFilter } from "../../../cli/engine-filter/filter-server.ts";

const id = "3f0c2a11-0000-4000-8000-000000000001";
const user = 231_001;

/** Names of containers. */
export const named = {
	session: `session-${id}-g1`,
	warm: "atelier-warm-0123456789abcdef",
	helper: "atelier-helper-0123456789abcdef",
	probe: "atelier-probe-0123456789abcdef",
	/** A session of another installation at the same engine. */
	others: "session-3f0c2a11-0000-4000-8000-000000000009-g1",
	absent: "session-3f0c2a11-0000-4000-8000-000000000008-g1",
} as const;

/** The id of every container of the engine. */
export const containerId = "1a".repeat(32);

/** A call that has reached the engine. */
export interface Reached {
	readonly call: string;
	readonly body: string;
}

/** The path of a creation. */
export function create(name: string): string {
	return `/v1.41/containers/create?name=${name}`;
}

export class RecordedFilter {
	readonly reached: Reached[] = [];
	readonly refused: string[] = [];
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "atelier-filter-")));
	readonly folder = join(this.root, "sessions");
	readonly workspace = join(this.folder, id);
	readonly run = join(this.root, "run", `${id}-g1`);
	/** The folders of a container that waits. */
	readonly warm = {
		files: join(this.folder, ".warm", "0123456789abcdef"),
		run: join(this.root, "run", ".warm", "0123456789abcdef"),
	};
	/** The folder of a socket to which a reader writes. */
	readonly reading = join(this.root, "cache", "reading", "0123456789abcdef".repeat(2));
	readonly link = join(this.folder, "3f0c2a11-0000-4000-8000-000000000002");
	readonly file = join(this.folder, "3f0c2a11-0000-4000-8000-000000000003");
	readonly #socket = join(this.root, "filter.sock");
	readonly #servers: Server[] = [];

	async start(): Promise<void> {
		mkdirSync(this.workspace, { recursive: true });
		for (const name of ["in", "out"]) mkdirSync(join(this.run, name), { recursive: true });
		for (const name of ["in", "out"]) mkdirSync(join(this.warm.run, name), { recursive: true });
		mkdirSync(this.warm.files, { recursive: true });
		mkdirSync(this.reading, { recursive: true });
		symlinkSync("/etc", this.link);
		writeFileSync(this.file, "");
		const engine = createServer((request, response) => {
			const [, name] = /^\/v1\.41\/containers\/([a-z][\w-]+)\/json$/.exec(request.url ?? "") ?? [];
			if (request.method === "GET" && name !== undefined && name !== "json") {
				const Labels = { "atelier.installation": name === named.others ? "j" : "i" };
				response.writeHead(name === named.absent ? 404 : 200, { "content-type": "application/json" });
				response.end(JSON.stringify({ Id: containerId, Name: `/${name}`, Config: { Labels } }));
				return;
			}
			const chunks: Buffer[] = [];
			request.on("data", (chunk: Buffer) => chunks.push(chunk));
			request.on("end", () => {
				this.reached.push({ call: `${request.method} ${request.url}`, body: Buffer.concat(chunks).toString() });
				response.writeHead(201, { "content-type": "application/json" }).end(`{"Id":"1"}`);
			});
		});
		await this.#listen(engine, join(this.root, "engine.sock"));
		const platform = {
			installation: "i",
			images: ["atelier/session", "other"],
			owner: user,
			dataDir: this.root,
			maxMemory: 2 ** 32,
		};
		const onRefused = (sentence: string): void => void this.refused.push(sentence);
		await this.#listen(
			new EngineFilter({ engine: join(this.root, "engine.sock"), platform, onRefused }).server,
			this.#socket,
		);
	}

	close(): void {
		for (const server of this.#servers) {
			server.close();
			server.closeAllConnections();
		}
		rmSync(this.root, { recursive: true });
	}

	/** Sends a call and resolves to the status and the sentence of the answer. */
	async send(method: string, path: string, body?: unknown): Promise<{ status: number; message: string }> {
		const isBytes = typeof body === "string" || Buffer.isBuffer(body);
		const text = isBytes ? Buffer.from(body) : body === undefined ? undefined : Buffer.from(JSON.stringify(body));
		const outgoing = httpRequest({ socketPath: this.#socket, method, path, agent: false });
		if (text) outgoing.setHeader("content-length", text.length);
		outgoing.end(text);
		const [answer] = (await once(outgoing, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
		let read = "";
		for await (const chunk of answer) read += String(chunk);
		const { message = "" } = JSON.parse(read) as { message?: string };
		return { status: answer.statusCode, message };
	}

	async #listen(server: Server, path: string): Promise<void> {
		this.#servers.push(server);
		server.listen(path);
		await once(server, "listening");
	}
}

/**
 * Requests that the filter lets through.
 * @param workspace The folder of a session. @param reading The folder of a socket to which a reader writes.
 */
export function goodRequests(workspace: string, reading = "") {
	const confinement = {
		NetworkMode: "none",
		ReadonlyRootfs: true,
		CapDrop: ["ALL"],
		SecurityOpt: ["no-new-privileges"],
		Memory: 2 ** 30,
		MemorySwap: 2 ** 30,
		NanoCpus: 1e9,
		PidsLimit: 200,
		CpuShares: 128,
		RestartPolicy: { Name: "no" },
		LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
	};
	const mount = { Type: "bind", Source: workspace, Target: "/session", ReadOnly: false };
	const common = { Image: "atelier/session" };
	const labels = {
		"atelier.installation": "i",
		"atelier.session": id,
		"atelier.generation": "1",
		"atelier.workspace": id,
	};
	const good = {
		...common,
		Labels: labels,
		User: `${user}:${user}`,
		Cmd: ["agent/main.ts"],
		HostConfig: { ...confinement, Mounts: [mount], Tmpfs: { "/tmp": "size=1048576,exec,mode=1777" } },
	};
	const goodHelper = {
		...common,
		Labels: { "atelier.installation": "i", "atelier.helper": "give" },
		User: "0:0",
		Entrypoint: [],
		Cmd: ["chown", "-hR", `${user}:${user}`, "/folder"],
		HostConfig: {
			...confinement,
			CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
			Mounts: [{ ...mount, Target: "/folder" }],
		},
	};
	const goodReader = {
		...goodHelper,
		Labels: { "atelier.installation": "i", "atelier.helper": "read" },
		Cmd: ["node", "agent/read-folder.ts"],
		HostConfig: {
			...confinement,
			CapAdd: ["DAC_OVERRIDE"],
			Mounts: [
				{ ...mount, Target: "/folder", ReadOnly: true },
				{ ...mount, Source: reading, Target: "/platform", ReadOnly: true },
			],
		},
	};
	const goodProbe = {
		...common,
		Labels: { "atelier.installation": "i", "atelier.probe": "switches" },
		User: `${user}:${user}`,
		Entrypoint: [],
		Cmd: ["cat", "/proc/self/status", "/proc/self/mounts", "/proc/net/dev"],
		HostConfig: { ...confinement, Tmpfs: { "/tmp": "size=1048576,exec,mode=1777" } },
	};
	return { common, labels, mount, good, goodHelper, goodReader, goodProbe };
}
