/** The sockets of several sessions in containers, at their real places. */
import { expect } from "chai";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { BlockList, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LaunchDoors } from "#services/pod-manager/pod-runtimes/containers/launch-doors.ts";
import { LaunchEgress, operatorRules } from "#services/pod-manager/pod-runtimes/containers/launch-egress.ts";
import { LaunchModels } from "#services/pod-manager/pod-runtimes/containers/launch-models.ts";
import { type Launch, launchName } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { RunFolders } from "#services/pod-manager/pod-runtimes/machine/run-folders.ts";
import { bound } from "#shared/base/bounds.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";

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
		const parts = { models, egress, podToken: () => "its-own", onReport() {} };
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

	/** Sends bytes to the door of a launch, and resolves to all that it answers until it closes the connection. */
	async function answered(launch: Launch, bytes: string): Promise<string> {
		const client = connect(join(doors.foldersOf(launch).platform, "api.sock"));
		client.write(bytes);
		return text(client);
	}

	function statusRequest(status: object, token = "its-own"): string {
		const body = JSON.stringify(status);
		const headers = `Host: door\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}`;
		return `POST ${doorPaths.status} HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
	}

	const ready = { phase: "ready", pid: 1, timings: {} };

	const openFiles = () => readdirSync("/proc/self/fd").length;

	it("let no session choose a port of the host", async () => {
		const launch = await opened();
		await mkdir(doors.foldersOf(launch).agent);
		const chosen = await freePort();
		expect(await answered(launch, statusRequest({ ...ready, port: chosen, host: "0.0.0.0" }))).to.match(/ 204 /);
		const { status } = await runs.read(launch);
		expect(status?.host).to.equal("127.0.0.1");
		expect(status?.port).to.be.a("number").that.does.not.equal(chosen);
		expect(await answered(launch, statusRequest({ nonsense: true })), "what is no status").to.not.match(/ 204 /);
		expect((await runs.read(launch)).status).to.deep.equal(status);
	});

	it("answer one request on a connection, and not those that are sent behind it", async () => {
		const launch = await opened();
		await mkdir(doors.foldersOf(launch).agent);
		const said = await answered(launch, statusRequest(ready).repeat(20));
		expect(said.match(/HTTP\/1\.1 204/g)).to.have.length(1);
	});

	it("take some reports of a session at once, and then as many as it may send in a second", async () => {
		const launch = await opened();
		await mkdir(doors.foldersOf(launch).agent);
		const answers = [];
		for (let report = 0; report < 3 * bound.podReportBurst; report++)
			answers.push((await answered(launch, statusRequest(ready))).slice(9, 12));
		expect(answers.slice(0, bound.podReportBurst)).to.deep.equal(Array(bound.podReportBurst).fill("204"));
		expect(answers).to.include("503");
		const taken = async () => (await answered(launch, statusRequest(ready))).includes(" 204 ");
		await eventually(taken, { what: "a report is taken again" });
	});

	it("let no other program of a session report, nor use up the reports of its agent", async () => {
		const launch = await opened();
		await mkdir(doors.foldersOf(launch).agent);
		const failed = statusRequest({ ...ready, phase: "failed" }, "guessed");
		for (let report = 0; report < 2 * bound.podReportBurst; report++)
			expect(await answered(launch, failed)).to.match(/ 401 /);
		expect(await answered(launch, statusRequest(ready))).to.match(/ 204 /);
		expect((await runs.read(launch)).status?.phase).to.equal("ready");
	});

	it("are open as a whole or not at all, and are tried again", async () => {
		const launch = await opened();
		await mkdir(doors.foldersOf(launch).agent);
		await answered(launch, statusRequest(ready));
		await doors.close(launch);
		// More bytes than a model's name has make the last step fail.
		const model = join(runs.path(launch), "model.json");
		writeFileSync(model, "x".repeat(10_000));
		const before = openFiles();
		for (let attempt = 0; attempt < 3; attempt += 1) {
			const failure = await doors.open(launch).then(() => undefined, String);
			expect(failure).to.include("model.json");
			expect(doors.trouble).to.include("the sockets of 1 session(s)").and.to.include(launchName(launch));
			expect(socketsOf(launch).map((path) => existsSync(path))).to.deep.equal([false, false]);
		}
		await eventually(() => openFiles() === before, { what: "nothing stays open" });
		rmSync(model);
		await doors.open(launch);
		expect(doors.trouble).to.equal(undefined);
		const { status } = await runs.read(launch);
		const client = connect(status?.port ?? 0, "127.0.0.1");
		await once(client, "connect");
		client.destroy();
	});

	it("are no trouble any more when their launch is over", async () => {
		const launch = await opened();
		await doors.close(launch);
		writeFileSync(join(runs.path(launch), "model.json"), "x".repeat(10_000));
		const fail = () => doors.open(launch).catch(() => {});
		await fail();
		expect(doors.trouble).to.be.a("string");
		await doors.close(launch);
		expect(doors.trouble).to.equal(undefined);
		await fail();
		doors.forgetOthers([launch]);
		expect(doors.trouble).to.be.a("string");
		doors.forgetOthers([]);
		expect(doors.trouble).to.equal(undefined);
	});

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
