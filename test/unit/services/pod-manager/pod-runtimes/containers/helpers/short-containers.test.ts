import { expect } from "chai";
import { EngineClient } from "#services/pod-manager/pod-runtimes/containers/engine-client.ts";
import { ShortContainers } from "#services/pod-manager/pod-runtimes/containers/helpers/short-containers.ts";
import { FakeEngine } from "../../../../../../support/containers/fake-engine.ts";
import { eventually } from "../../../../../../support/eventually.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";

describe("ShortContainers", () => {
	let engine: FakeEngine;
	let client: EngineClient;
	let short: ShortContainers;

	beforeEach(async () => {
		engine = new FakeEngine();
		await engine.start();
		client = new EngineClient(engine.socket);
		short = new ShortContainers(client, "0123456789abcdef");
	});
	afterEach(async () => {
		client.close();
		await engine[Symbol.asyncDispose]();
	});

	const request = { Image: "image", User: "0:0", HostConfig: {} };
	const helper = { kind: "helper", task: "measure", request } as const;
	const names = () => [...engine.containers.keys()];

	/** Returns the name of a helper that was created some time ago and not started. */
	async function unstarted(ms: number): Promise<string> {
		const before = new Set(names());
		await short.hold(helper);
		const name = names().find((one) => !before.has(one)) ?? "";
		engine.unstarted(name, ms);
		return name;
	}

	it("leave nothing, also of a creation whose answer was lost", async () => {
		await short.run({ ...helper, withinMs: 1_000 });
		expect(names()).to.deep.equal([]);
		engine.isMute = true;
		expect(String(await failureOf(short.run({ ...helper, withinMs: 1_000 })))).to.include("does not answer");
		expect(names()).to.deep.equal([]);
	});

	it("that were left are removed; one that was created a moment ago is another process's", async () => {
		const young = await unstarted(50_000);
		await unstarted(70_000);
		await unstarted(-3_600_000);
		await short.hold(helper);
		expect(names()).to.have.length(4);
		await short.removeLeft();
		expect(names()).to.deep.equal([young]);
	});

	it("that were created just before the start are removed when they are old", async () => {
		const name = await unstarted(50_000);
		const removing = short.removeAllLeft(new AbortController().signal, 1_500);
		await eventually(() => engine.calls.filter((call) => call === "GET /containers/json").length === 2);
		engine.unstarted(name, 70_000);
		await removing;
		expect(names()).to.deep.equal([]);
	});

	it("that others have left are theirs", async () => {
		await unstarted(70_000);
		await new ShortContainers(client, "fedcba9876543210").removeLeft();
		expect(names()).to.have.length(1);
	});
});
