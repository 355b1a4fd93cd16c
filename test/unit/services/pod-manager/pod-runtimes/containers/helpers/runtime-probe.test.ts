import { expect } from "chai";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { FilterCheck } from "#services/pod-manager/pod-runtimes/containers/filter/filter-check.ts";
import { RuntimeProbe } from "#services/pod-manager/pod-runtimes/containers/helpers/runtime-probe.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";
import { useFolder } from "../../../../../../support/use-folder.ts";

/** The words of the kernel in a container that is confined as it was asked. */
const confined: Readonly<Record<string, string>> = {
	Uid: "Uid:\t231001\t231001\t231001\t231001",
	Gid: "Gid:\t231001\t231001\t231001\t231001",
	CapEff: "CapEff:\t0000000000000000",
	CapBnd: "CapBnd:\t0000000000000000",
	NoNewPrivs: "NoNewPrivs:\t1",
	Seccomp: "Seccomp:\t2",
	root: "overlay / overlay ro,relatime 0 0",
	tmp: "tmpfs /tmp tmpfs rw,nosuid,nodev,size=1048576k,mode=700 0 0",
	lo: `    lo: ${"0 ".repeat(16).trim()}`,
};

describe("RuntimeProbe", () => {
	const folder = useFolder();
	let engine: Server | undefined;
	let client: EngineClient | undefined;
	/** The calls that changed something. */
	let changes: string[];

	afterEach(() => {
		client?.close();
		engine?.close();
		engine?.closeAllConnections();
	});

	/** Starts an engine that gives other limits, or another confinement, than it was asked for, and proves it. */
	async function prove(limits: object = {}, words: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
		changes = [];
		let asked = {};
		const log = Buffer.from(Object.values({ ...confined, ...words }).join("\n"));
		const frame = Buffer.alloc(8);
		frame.writeUInt8(1, 0);
		frame.writeUInt32BE(log.length, 4);
		const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
			const { method = "", url = "" } = request;
			const body = await text(request);
			if (method !== "GET") changes.push(`${method} ${url.replace(/[0-9a-f]{16}/, "<name>")}`);
			if (url.includes("/create")) asked = (JSON.parse(body) as { HostConfig: object }).HostConfig;
			if (url.includes("/logs")) return void response.end(Buffer.concat([frame, log]));
			const isProbe = url.includes("/containers/atelier-probe-") && url.endsWith("/json");
			const said = isProbe ? { HostConfig: { ...asked, ...limits } } : { ID: "engine", Id: "image", StatusCode: 0 };
			response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
		};
		engine = createServer((request, response) => void answer(request, response));
		const socket = join(folder(), "engine.sock");
		engine.listen(socket);
		await once(engine, "listening");
		client = new EngineClient(socket);
		const short = new ShortContainers(client, "i");
		const file = join(folder(), "proof");
		const settings = containersSettings({ socket, processors: 2 });
		const filter = new FilterCheck({ engine: client, settings, dataDir: folder() });
		return new RuntimeProbe({ engine: client, short, settings, filter, file }).prove();
	}

	it("keeps its proof of an engine that gives what it was asked for, and leaves no container", async () => {
		await prove();
		expect(existsSync(join(folder(), "proof"))).to.equal(true);
		expect(changes.at(-1)).to.equal("DELETE /v1.41/containers/atelier-probe-<name>?v=1");
	});

	const limits: readonly (readonly [got: object, sentence: string])[] = [
		[{ Memory: 0 }, "the limit of memory (asked for 4294967296 bytes, got none)"],
		[{ MemorySwap: -1 }, "no swap beside the memory"],
		[{ NanoCpus: 0 }, "the limit of processors (asked for 2, got none)"],
		[{ PidsLimit: null }, "the limit of processes (asked for 1024, got 0)"],
	];
	const words: readonly (readonly [got: Record<string, string>, sentence: string])[] = [
		[{ Uid: "Uid:\t0\t0\t0\t0" }, "the user of sessions (asked for 231001, got 0)"],
		[{ CapEff: "CapEff:\t00000000a80425fb" }, "no capabilities (asked for"],
		[{ NoNewPrivs: "NoNewPrivs:\t0" }, "no new privileges"],
		[{ Seccomp: "Seccomp:\t0" }, "the filter of system calls"],
		[{ root: "overlay / overlay rw,relatime 0 0" }, "a read-only root"],
		[{ tmp: "tmpfs /tmp tmpfs rw 0 0" }, "a bounded folder for temporary files"],
		[{ eth: `  eth0: ${"0 ".repeat(16).trim()}` }, "no network (asked for lo, got lo, eth0)"],
	];
	const all = [
		...limits.map(([got, sentence]) => [got, {}, sentence] as const),
		...words.map(([got, sentence]) => [{}, got, sentence] as const),
	];
	for (const [given, said, sentence] of all)
		it(`refuses an engine that differs: ${sentence}`, async () => {
			const { name, message } = await failureOf<Error>(prove(given, said));
			expect(name).to.equal("ConfigError");
			expect(message).to.include(sentence).and.include("does not confine sessions as it was told");
			expect(existsSync(join(folder(), "proof"))).to.equal(false);
			expect(changes.at(-1)).to.include("DELETE ");
		});
});
