/** The start of the runtime for containers behind the filter of an engine, which may be started for something else. */
import { expect } from "chai";
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { EngineFilter } from "../../../cli/engine-filter/filter-server.ts";
import { listenAt } from "../../../cli/engine-filter/filter-socket.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { FakedRuntime } from "../../support/containers/faked-runtime.ts";

const usual = { images: ["atelier/session"], owner: 231_001, maxMemory: 2 ** 40 };

describe("the filter of an engine and the start of a platform", () => {
	let all: AsyncDisposableStack;
	let world: FakedRuntime;
	let socket: string;
	let filters: EngineFilter[];

	beforeEach(async () => {
		all = new AsyncDisposableStack();
		world = all.use(new FakedRuntime());
		mkdirSync(world.dataDir);
		socket = join(world.engine.root, "filter.sock");
		filters = [];
		await world.engine.start();
		all.defer(() => endFilter());
	});
	afterEach(() => all.disposeAsync());

	async function startFilter(platform: object = {}): Promise<void> {
		const { dataDir, engine } = world;
		const own = { ...usual, installation: FakedRuntime.installation, dataDir };
		const filter = new EngineFilter({ engine: engine.socket, platform: { ...own, ...platform }, endMs: 100 });
		filters.push(filter);
		await listenAt(filter.server, socket, { mode: 0o600, group: undefined });
	}

	async function endFilter(): Promise<void> {
		await filters.pop()?.close();
	}

	it("starts behind its own filter, which is asked for nothing that it refuses", async () => {
		await startFilter();
		const runtime = world.runtime({ socket });
		expect((await runtime.open()).join("\n")).to.not.include("root on this machine");
		expect((await runtime.inventory()).troubles).to.deep.equal([]);
	});

	it("says before an engine without a filter that it is root", async () => {
		expect((await world.runtime().open()).join("\n")).to.include("root on this machine");
	});

	for (const [platform, option] of [
		[{ installation: "other" }, "--installation from other to"],
		[{ dataDir: "/srv" }, "--data-dir from /srv to"],
		[{ images: ["debian:12"] }, "--image atelier/session"],
	] as const)
		it(`ends the start with exit code 78 behind a filter that needs ${option}`, async () => {
			await startFilter(platform);
			const error = await failureOf<Error>(world.runtime({ socket }).open());
			expect(error).to.have.property("exitCode", 78);
			expect(error.message).to.include(option);
			expect(world.engine.containers.size).to.equal(0);
		});

	it("tells of an image that the filter does not name as long as that is so", async () => {
		await startFilter();
		const runtime = world.runtime({ socket, images: ["python:3"] });
		await runtime.open();
		expect((await runtime.inventory()).troubles.join()).to.include("add --image python:3");
		const watching = new AbortController();
		all.defer(() => watching.abort());
		runtime.watch(() => {}, watching.signal);
		await eventually(() => world.engine.isFollowed, { what: "the runtime follows the engine" });
		await endFilter();
		await startFilter({ images: ["atelier/session", "python:3"] });
		const isSilent = async () => (await runtime.inventory().catch(() => undefined))?.troubles.length === 0;
		await eventually(isSilent, { withinMs: 10_000, what: "the trouble is over" });
	});

	it("tells of something before the engine that does not say what it is", async () => {
		world.engine.isStrange = true;
		const runtime = world.runtime();
		expect((await runtime.open()).join("\n")).to.not.include("root on this machine");
		expect((await runtime.inventory()).troubles.join()).to.include("does not say for which platform");
	});
});
