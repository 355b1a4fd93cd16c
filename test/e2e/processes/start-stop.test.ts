/**
 * The start and the end of the platform, and the processes that it leaves running.
 * Main: how a platform starts and ends.
 */
import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineRuntimes } from "#services/pod-manager/chosen-runtime.ts";
import { NpmStart } from "../../support/installations/npm-start.ts";
import { ask, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

describe("start and stop", function () {
	this.timeout(120_000);

	it("SIGTERM drains and names the sessions that stay, and the next start adopts them", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		const [agent] = platform.agents();
		const stream = await platform.events();
		await platform.stop();
		await stream.ended();
		expect(stream.events.at(-1)?.event).to.equal("bye");
		expect(platform.output).to.match(/1 session/i);
		expect(platform.agents()).to.deep.equal([agent]);

		await platform.start();
		await sessionReaches(api, id, "running");
		expect(await ask(api, id, "$ echo still here")).to.include("still here");
		expect(platform.agents()).to.deep.equal([agent]);
	});

	it("a clean start and stop write no warning and no error, and the first line tells what to do next", async () => {
		await using platform = await startPlatform();
		await runningSession(platform.client());
		await platform.stop();
		expect(platform.output).to.match(/^Atelier listens on \S+ \(all operations: \/docs; .*npm run demo\)\n/);
		expect(platform.output.split("\n").filter((line) => /\b(WARN|ERROR|FATAL|Warning:)/.test(line))).to.deep.equal([]);
	});

	it("says at the start what is above its data folder, and which variables set nothing", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-below-"));
		try {
			writeFileSync(join(folder, "package.json"), "{}");
			const env = { GATEWY__PORT: "3", ANTROPIC_API_KEY: "k" };
			await using platform = await startPlatform({ dataDir: join(folder, "data"), env });
			const sentence = `inside "${folder}", which has package.json: npm, Node and git in sessions find`;
			expect(platform.output).to.include(sentence);
			expect(await (await fetch(`${platform.url}/health`)).text()).to.include("which has package.json");
			expect(platform.output).to.match(/^The platform reads no .*: GATEWY__PORT \(did you mean GATEWAY__PORT\?\)$/m);
			expect(platform.output).to.match(
				/^The platform reads no .*: ANTROPIC_API_KEY \(did you mean ANTHROPIC_API_KEY\?\)$/m,
			);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});

	it("SIGTERM also ends the sessions if the configuration says so", async () => {
		await using platform = await startPlatform({ env: { PODS__ON_EXIT: "stop" } });
		const { id } = await runningSession(platform.client());
		expect(platform.agents()).to.have.length(1);
		await platform.stop();
		expect(platform.agents()).to.deep.equal([]);
		await platform.start();
		const { status_reason } = await sessionReaches(platform.client(), id, "stopped");
		expect(status_reason).to.include({ code: "POD_ENDED" });
	});

	it("a start with another runtime does not leave running sessions behind", async () => {
		await using platform = await startPlatform();
		const { id } = await runningSession(platform.client());
		await platform.stop();
		const agents = platform.agents();
		const other = platform.startProcess([], { PODS__RUNTIME__ADAPTER: machineRuntimes.containers });
		expect(await other.ended(), other.output).to.equal(78);
		expect(other.output).to.include(`Sessions still run as processes of this machine`).and.include(id);
		expect(platform.agents()).to.deep.equal(agents).and.to.have.length(1);
	});

	it("a second start on one data folder ends with a sentence and does not disturb the first", async () => {
		await using platform = await startPlatform();
		const { id } = await runningSession(platform.client());
		const second = platform.startProcess([]);
		expect(await second.ended()).to.equal(1);
		expect(second.output.trim().split("\n")).to.have.length(1);
		expect(second.output).to.include(platform.dataDir);
		expect((await platform.client().get(`/sessions/${id}`)).body).to.include({ status: "running" });
		expect(platform.agents()).to.have.length(1);
	});

	it("an impossible start ends with a sentence", async () => {
		await using platform = await startPlatform();
		const taken = new URL(platform.url).port;
		const file = join(platform.folder, "file");
		writeFileSync(file, "");
		const damaged = join(platform.folder, "damaged");
		mkdirSync(join(damaged, "store"), { recursive: true });
		writeFileSync(join(damaged, "store", "atelier.db"), "no database at all".repeat(1_000));
		const lost = join(platform.folder, "lost");
		mkdirSync(join(lost, "sessions", "one"), { recursive: true });
		const key = Buffer.alloc(32, 7).toString("base64url");
		for (const folder of [damaged, lost]) {
			mkdirSync(join(folder, "keys"));
			writeFileSync(join(folder, "keys", "installation"), key, { mode: 0o600 });
		}
		const lostKey = join(platform.folder, "lost-key");
		mkdirSync(join(lostKey, "sessions", "one"), { recursive: true });
		const halfKey = join(platform.folder, "half-key");
		mkdirSync(join(halfKey, "keys"), { recursive: true });
		writeFileSync(join(halfKey, "keys", "installation"), key.slice(0, 20), { mode: 0o600 });
		const [noYaml, unknownKey] = [join(platform.folder, "no.yaml"), join(platform.folder, "unknown.yaml")];
		writeFileSync(noYaml, "gateway: [");
		writeFileSync(unknownKey, "gateway: { prot: 8080 }");
		const attempts: [env: Record<string, string>, words: string, code?: number][] = [
			[{ STREAM__MAX_CLIENTS: "many" }, "stream.max_clients", 78],
			[{ HOST: "0.0.0.0" }, "loopback", 78],
			[
				{ PORT: taken },
				`port ${taken}: another program listens there. See configuration keys gateway.host and gateway.port; for another port: PORT=${Number(taken) + 1} npm start`,
			],
			[{ DATA_DIR: join(file, "data") }, `data folder "${join(file, "data")}"`],
			[{ DATA_DIR: "/proc/atelier" }, 'data folder "/proc/atelier"'],
			[{ DATA_DIR: "/proc/atelier", ATELIER_INSTALLATION_KEY: key }, 'the store in "/proc/atelier/store"'],
			[{ DATA_DIR: damaged }, `Cannot open the store in "${join(damaged, "store")}"`],
			[{ DATA_DIR: lost }, `Cannot start: the store "${join(lost, "store", "atelier.db")}" is missing`],
			[{ DATA_DIR: lostKey }, `the installation key "${join(lostKey, "keys", "installation")}" is missing`],
			[{ ATELIER_INSTALLATION_KEY: "c2hvcnQ" }, "installation key"],
			[{ DATA_DIR: halfKey }, `"${join(halfKey, "keys", "installation")}" holds no whole secret`],
			[{ ATELIER_CONFIG: noYaml }, `Cannot read the configuration file "${noYaml}"`, 78],
			[{ ATELIER_CONFIG: unknownKey }, 'Unknown configuration key "gateway.prot"', 78],
			[{ ANTHROPIC_API_KEY: "two words" }, 'The environment variable "ANTHROPIC_API_KEY" cannot be the key', 78],
		];
		const endsWithSentence = async (
			[env, words, code = 1]: (typeof attempts)[number],
			index: number,
		): Promise<void> => {
			const other = { DATA_DIR: join(platform.folder, `other-${index}`), PORT: "0" };
			const wrong = platform.startProcess([], { ...other, ...env });
			expect(await wrong.ended(60_000), wrong.output).to.equal(code);
			// The platform first says that there are no control groups if the machine has none.
			const lines = wrong.output.split("\n").filter((line) => line !== "" && !line.includes("no control groups"));
			expect(lines, wrong.output).to.have.length(1);
			expect(lines[0]).to.include(words).and.to.not.include("two words");
		};
		await Promise.all(attempts.map(endsWithSentence));
	});

	it("an unknown service is a command line that was not understood", async () => {
		await using platform = await startPlatform();
		const wrong = platform.startProcess(["nosuch"]);
		expect(await wrong.ended(60_000), wrong.output).to.equal(2);
		expect(wrong.output).to.include('There is no service "nosuch"');
	});

	it("npm start passes SIGTERM on, and no process remains", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-npm-start-"));
		try {
			await using npm = await NpmStart.begin(folder, process.env, 20_000);
			await npm.end("SIGTERM", "npm");
			await expectRefused(npm.port);
			await npm.gone();
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});
});

async function expectRefused(port: number): Promise<void> {
	const failure: unknown = await fetch(`http://127.0.0.1:${port}/health`).catch((error: unknown) => error);
	expect(failure).to.be.instanceOf(TypeError);
}
