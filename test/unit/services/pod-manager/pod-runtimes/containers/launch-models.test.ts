import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LaunchModels } from "#services/pod-manager/pod-runtimes/containers/launch-models.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import { failureOf } from "../../../../../support/failure-of.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

const minuteMs = 60_000;

describe("LaunchModels", () => {
	const folder = useFolder();
	const launch = { sessionId: randomUUID(), generation: 1 };
	const opened: LaunchModels[] = [];
	const closing: (() => void)[] = [];
	let runs: RunFolders;
	/** The reports that the platform has got. */
	let reports: string[];

	beforeEach(async () => {
		runs = new RunFolders(join(folder(), "run"));
		reports = [];
		await runs.create(launch);
	});
	afterEach(async () => {
		for (const models of opened.splice(0)) await models.closeAll();
		for (const close of closing.splice(0)) close();
	});

	/** The models of one process, whose platform answers each report with this status; undefined: it does not answer. */
	async function models(status?: number): Promise<LaunchModels> {
		const server = createServer((request, response) => {
			void text(request).then((body) => {
				reports.push(body);
				if (status === undefined) response.destroy();
				else response.writeHead(status, { "content-type": "application/json" }).end("{}");
			});
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		closing.push(() => {
			server.close();
			server.closeAllConnections();
		});
		const { port } = server.address() as AddressInfo;
		const made = new LaunchModels({
			runs,
			platformUrl: () => `http://127.0.0.1:${port}/api/v1/svc`,
			models: { accessOf: () => undefined, modelOf: async () => "", podToken: () => "token" },
		});
		opened.push(made);
		return made;
	}

	const file = (name: string) => join(runs.path(launch), name);

	/** Leaves usage that no earlier process could deliver. */
	async function used(by: LaunchModels): Promise<void> {
		await by.keep(launch, { model: "m", budgeted: true });
		const counts = { input: 5, output: 7, cache_read: 0, cache_write: 0 };
		const use = { launch: 1, model: "m", location: "cloud", counts };
		writeFileSync(file("usage.jsonl"), `${JSON.stringify({ use })}\n`);
	}

	function turnBack(name: string, minutes: number): void {
		const then = (Date.now() - minutes * minuteMs) / 1_000;
		utimesSync(file(name), then, then);
	}

	const outcome = async (by: LaunchModels) =>
		by.settle(launch).then(
			() => "settled",
			(error: unknown) => String(error),
		);

	it("keeps usage for an hour after the first failed delivery, however long ago the launch began", async () => {
		await used(await models());
		turnBack("model.json", 600);
		expect(await outcome(await models())).to.include("is not delivered yet");
		expect(readFileSync(file("usage.jsonl"), "utf8")).to.include('"output_tokens":7');
		turnBack("undelivered", 58);
		expect(await outcome(await models())).to.include("is not delivered yet");
		turnBack("undelivered", 61);
		expect(await outcome(await models())).to.equal("settled");
		expect(reports).to.have.length.of.at.least(3);
	});

	it("delivers what an earlier process could not", async () => {
		await used(await models());
		expect(await outcome(await models())).to.include("is not delivered yet");
		reports = [];
		expect(await outcome(await models(200))).to.equal("settled");
		expect(reports.map((body) => (JSON.parse(body) as { tokens: number }).tokens)).to.deep.equal([12]);
	});

	it("keeps nothing for a session from which the platform takes no usage", async () => {
		await used(await models());
		expect(await outcome(await models(403))).to.equal("settled");
	});

	it("has none for a launch that has no model, or whose name cannot be read", async () => {
		const one = await models();
		expect(await one.of(launch)).to.equal(undefined);
		expect(await outcome(one)).to.equal("settled");
		writeFileSync(file("model.json"), "{");
		expect(await one.of(launch)).to.equal(undefined);
		writeFileSync(file("model.json"), "x".repeat(5_000));
		expect(String(await failureOf(one.of(launch)))).to.include("more than 4096 bytes");
		expect(existsSync(file("undelivered"))).to.equal(false);
	});
});
