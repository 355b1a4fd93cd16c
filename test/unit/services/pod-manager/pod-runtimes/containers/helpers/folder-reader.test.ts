import { expect } from "chai";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { FolderReader } from "#services/pod-manager/pod-runtimes/containers/helpers/folder-reader.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import { readPlaces, readToEnd } from "#shared/wire/pod/read-places.ts";
import type { FakeContainer } from "../../../../../../support/containers/fake-container.ts";
import { FakeEngine } from "../../../../../../support/containers/fake-engine.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";

describe("FolderReader", () => {
	let engine: FakeEngine;
	let client: EngineClient;
	let place: string;
	let reader: FolderReader;

	beforeEach(async () => {
		engine = new FakeEngine();
		await engine.start();
		client = new EngineClient(engine.socket);
		place = join(engine.root, "reading");
		reader = new FolderReader({ short: new ShortContainers(client, "0123456789abcdef"), image: "image", place });
	});
	afterEach(async () => {
		client.close();
		await engine[Symbol.asyncDispose]();
	});

	/** Lets a process have begun a reading some time ago, and have been killed then. */
	function left(name: string, ms: number): void {
		mkdirSync(join(place, name), { recursive: true });
		writeFileSync(join(place, name, basename(readPlaces.socket)), "");
		const then = (Date.now() - ms) / 1_000;
		utimesSync(join(place, name), then, then);
	}

	/** Lets the container of a reading write these lines, when its start has been answered. */
	function says(...lines: string[]): void {
		engine.work = async ({ mounts }: FakeContainer) => {
			setTimeout(() => {
				const socket = connect(join(mounts[readPlaces.platform] ?? "", basename(readPlaces.socket)));
				socket.end(lines.map((line) => `${line}\n`).join(""));
			}, 50);
			return 0;
		};
	}

	async function read(): Promise<unknown[]> {
		const entries: unknown[] = [];
		for await (const entry of await reader.read("/folder")) entries.push(entry);
		return entries;
	}

	it("removes what killed readings have left, and not what another process has begun just now", async () => {
		left("old", 301_000);
		left("future", -3_600_000);
		left("young", 200_000);
		await reader.removeLeft();
		expect(readdirSync(place)).to.deep.equal(["young"]);
	});

	it("has nothing to remove before the first reading", () => reader.removeLeft());

	it("does so at each reading, and leaves nothing itself", async () => {
		left("old", 301_000);
		says('{"one":1}', '{"two":2}', readToEnd);
		engine.isEndless = true;
		expect(await read()).to.deep.equal([{ one: 1 }, { two: 2 }]);
		expect(readdirSync(place)).to.deep.equal([]);
		expect(engine.containers.size).to.equal(0);
	});

	it("throws when the entries break off, and leaves nothing", async () => {
		says('{"one":1}');
		engine.isEndless = true;
		expect(String(await failureOf(read()))).to.include("its reader has ended too early");
		expect(readdirSync(place)).to.deep.equal([]);
		expect(engine.containers.size).to.equal(0);
	});

	it("throws when its container does not begin", async () => {
		expect(String(await failureOf(read()))).to.include("has not begun");
		expect(readdirSync(place)).to.deep.equal([]);
	});
});
