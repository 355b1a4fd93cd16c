/**
 * Data of the release before is opened by this one, on the embedded store.
 * Long: it starts the platform under load of old data.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { projectRoot } from "#shared/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { type SessionView, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import {
	oldConfig,
	type OldData,
	oldHeaders,
	readOldData,
	oldUser,
	unpackOldData,
} from "../../support/upgrade/old-data.ts";

/** The sums of the books and the days of the limits are those of the day of the old data. */
function clockOf({ at }: OldData): Record<string, string> {
	return { ATELIER_CLOCK_OFFSET_MS: String(at - Date.now()) };
}

/** Returns the value with the members that the former one has: a newer release may show more. */
function shownAs(value: unknown, former: unknown): unknown {
	if (Array.isArray(value) && Array.isArray(former)) return value.map((item, index) => shownAs(item, former[index]));
	if (!isObject(value) || !isObject(former)) return value;
	return Object.fromEntries(Object.keys(former).map((name) => [name, shownAs(value[name], former[name])]));
}

/** Returns an answer without what a session holds while it runs: the one that ran is found to be lost at any moment. */
function unheld(answer: unknown): unknown {
	return isObject(answer) && "reserved" in answer ? { ...answer, reserved: 0 } : answer;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("data of the release before", function () {
	this.timeout(900_000);
	const old = readOldData();
	let folder: string;
	let dataDir: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-upgrade-"));
		dataDir = join(folder, "data");
		mkdirSync(dataDir, { mode: 0o700 });
		unpackOldData(old, dataDir);
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	/** Every answer is that of the old platform, and the data can be worked with. */
	async function isWhole(platform: TestPlatform): Promise<void> {
		const api = platform.client(oldHeaders);
		for (const [path, answer] of Object.entries(old.answers)) {
			const { status, body } = await api.get(path);
			expect(status, path).to.equal(200);
			expect(unheld(shownAs(body, answer)), path).to.deep.equal(unheld(answer));
		}
		await isLost(platform);
		const program = platform.client({ authorization: `Bearer ${old.token}` });
		expect((await program.get("/prompts")).body).to.have.length(3);
		expect((await api.post(`/sessions/${old.stopped}/start`)).status).to.equal(200);
		await sessionReaches(api, old.stopped, "running");
		expect((await api.get("/stats")).body).to.include({ total_sessions: 2 });
		await auditIsWhole(platform);
	}

	/** The session that ran has failed by itself, because its pod is gone with the machine of the old platform. */
	async function isLost(platform: TestPlatform): Promise<void> {
		const api = platform.client(oldHeaders);
		const failed = async () => {
			const { body } = await api.get<SessionView>(`/sessions/${old.running}`);
			return body.status === "failed" && body;
		};
		expect((await eventually(failed)).status_reason?.code).to.equal("POD_LOST");
	}

	async function auditIsWhole(platform: TestPlatform): Promise<void> {
		const file = join(folder, `audit-${platform.url.split(":").at(-1)}`);
		const env = {
			PATH: process.env["PATH"] ?? "",
			HOME: platform.home,
			ATELIER_URL: platform.url,
			ATELIER_TOKEN: oldUser.token,
			DATA_DIR: dataDir,
		};
		const audit = (...args: string[]) =>
			promisify(execFile)(process.execPath, ["cli/audit.ts", ...args], { cwd: projectRoot, env });
		await audit("export", file);
		const { stdout } = await audit("verify", file);
		expect(stdout).to.match(/^(\d\d+) entries continue the chain; signed up to entry \1; 0 faults/m);
	}

	it("is opened on the embedded store", async () => {
		await using platform = await startPlatform({ dataDir, config: oldConfig, env: clockOf(old) });
		await isWhole(platform);
	});
});
