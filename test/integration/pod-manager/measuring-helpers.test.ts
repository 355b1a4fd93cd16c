/** Measurements by helpers, at a fake engine: what a session can cause is a result, and what it cannot is an error. */
import { expect } from "chai";
import { containersSettings } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { FolderHelpers } from "#services/pod-manager/pod-runtimes/containers/helpers/folder-helpers.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import type { FakeEnd } from "../../support/containers/fake-container.ts";
import { FakeEngine } from "../../support/containers/fake-engine.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";

describe("a helper that measures", () => {
	const { signal } = new AbortController();
	let engine: FakeEngine;
	let client: EngineClient;
	let helpers: FolderHelpers;

	beforeEach(async () => {
		engine = new FakeEngine();
		await engine.start();
		client = new EngineClient(engine.socket);
		helpers = new FolderHelpers(
			new ShortContainers(client, "i"),
			containersSettings({ socket: engine.socket } as never),
		);
	});
	afterEach(async () => {
		client.close();
		await engine[Symbol.asyncDispose]();
	});

	const sizeAt = (end: FakeEnd | undefined) => {
		engine.shortEnd = () => end;
		return helpers.size("/data/sessions/one", { signal, withinMs: 1_000 });
	};

	it("returns the bytes, also when files have disappeared meanwhile", async () => {
		expect(await sizeAt({ code: 0, log: "4096\t/folder\n" })).to.deep.equal({ bytes: 4_096 });
		// A session chooses the names in complaints.
		const complaints = "1\t/folder\ndu: cannot access '/folder/1': No such file or directory\n";
		expect(await sizeAt({ code: 1, complaints, log: "4096\t/folder\n" })).to.deep.equal({ bytes: 4_096 });
	});

	it("says that it lacked memory or time, or that the folders changed places", async () => {
		expect(await sizeAt({ code: 137, isOutOfMemory: true })).to.deep.equal({ bytes: 0, partial: "memory" });
		const complaints = "du: fts_read failed: /folder/x: No such file or directory\n";
		expect(await sizeAt({ code: 1, complaints })).to.deep.equal({ bytes: 0, partial: "changes" });
		expect(await sizeAt(undefined)).to.deep.equal({ bytes: 0, partial: "time" });
		expect([...engine.containers.keys()], "nothing is left").to.deep.equal([]);
	});

	it("fails when the engine ends it, or its image has no such program", async () => {
		for (const code of [137, 143, 127]) expect(await failureOf(sizeAt({ code }))).to.be.an("error");
		expect(await failureOf(sizeAt({ code: 1, complaints: "du: invalid option -- 'B'" }))).to.be.an("error");
		engine.refused.start = { status: 500, message: "no space left on device" };
		expect(await failureOf(sizeAt({ code: 0 }))).to.be.an("error");
	});

	it("fails when the engine does not answer any more", async () => {
		const measuring = failureOf(sizeAt(undefined));
		await eventually(() => engine.calls.some((call) => call.endsWith("/wait")));
		await engine.stop();
		expect(await measuring)
			.to.be.an("error")
			.with.property("name", "EngineAway");
	});
});
