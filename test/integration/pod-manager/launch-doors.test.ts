/** The sockets of several sessions in containers, at their real places. */
import { expect } from "chai";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { BlockList } from "node:net";
import { join } from "node:path";
import { LaunchDoors } from "#services/pod-manager/pod-runtimes/containers/launch-doors.ts";
import { LaunchEgress, operatorRules } from "#services/pod-manager/pod-runtimes/containers/launch-egress.ts";
import { LaunchModels } from "#services/pod-manager/pod-runtimes/containers/launch-models.ts";
import type { Launch } from "#services/pod-manager/pod-runtimes/local-process/launch.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/local-process/run-folders.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";

describe("the doors of several containers", () => {
	let folder: string;
	let runs: RunFolders;
	let doors: LaunchDoors;
	let models: LaunchModels;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-doors-"));
		runs = new RunFolders(join(folder, "run"));
		const none = { accessOf: () => undefined, modelOf: async () => "", podToken: () => "" };
		const platformUrl = () => "http://127.0.0.1:9";
		models = new LaunchModels({ runs, platformUrl, models: none });
		const rules = operatorRules({ profile: "none", allowed: [], internal: [] });
		const egress = new LaunchEgress(runs, { rules, refused: new BlockList() }, new Metrics());
		const parts = { models, egress, podToken: () => "", onReport() {} };
		doors = new LaunchDoors({ runs, listenHost: "127.0.0.1", platformUrl, ...parts });
	});
	afterEach(async () => {
		await doors.closeAll();
		await models.closeAll();
		rmSync(folder, { recursive: true, force: true });
	});

	const socketsOf = (launch: Launch) =>
		["api.sock", "egress.sock"].map((name) => join(doors.foldersOf(launch).platform, name));

	async function opened(): Promise<Launch> {
		const launch = { sessionId: timeBasedUuid(Date.now()), generation: 1 };
		await runs.create(launch);
		await mkdir(doors.foldersOf(launch).platform);
		await doors.open(launch);
		return launch;
	}

	it("do not take the sockets of another one with them when they close", async () => {
		const one = await opened();
		const other = await opened();
		await using held = new AsyncDisposableStack();
		// One of these descriptors has the number of a folder that was closed a moment ago.
		for (let i = 0; i < 20; i++) held.use(await UntrustedFolder.open(doors.foldersOf(other).platform));
		await doors.close(one);
		expect(socketsOf(other).map((path) => existsSync(path))).to.deep.equal([true, true]);
		expect(socketsOf(one).map((path) => existsSync(path))).to.deep.equal([false, false]);
	});
});
