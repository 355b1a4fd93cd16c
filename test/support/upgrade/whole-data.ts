/** The proof that a platform works with the data of a published release (released-data.ts). */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../eventually.ts";
import { type SessionView, sessionReaches } from "../platform/session-steps.ts";
import type { TestPlatform } from "../platform/start-platform.ts";
import { type ReleasedData, releasedHeaders, releasedUser, remedy } from "./released-data.ts";

/** The path at which the old platform told what it had spent and held for the day. */
const dayPath = "/budgets/users/ada";

const lostWithinMs = 60_000;

/** The expectations of a test. */
export interface WholeData {
	/** Whether the platform has the day of the old data, whose sums are those of the old platform then. */
	readonly isSameDay: boolean;
}

/** Every answer is that of the old platform, the session that ran is lost, and the data can be worked with. */
export async function isWhole(platform: TestPlatform, old: ReleasedData, { isSameDay }: WholeData): Promise<void> {
	const api = platform.client(releasedHeaders);
	for (const [path, answer] of Object.entries(old.answers)) {
		const { status, body } = await api.get(path);
		expect(status, `${path}: ${remedy}`).to.equal(200);
		const comparable = path === dayPath && !isSameDay ? ofAnyDay : unheld;
		expect(comparable(shownAs(body, answer)), `${path}: ${remedy}`).to.deep.equal(comparable(answer));
	}
	await isLost(platform, old);
	const program = platform.client({ authorization: `Bearer ${old.token}` });
	expect((await program.get("/prompts")).body).to.have.length(3);
	expect((await api.post(`/sessions/${old.stopped}/start`)).status).to.equal(200);
	await sessionReaches(api, old.stopped, "running");
	await eventually(async () => {
		const { body } = await api.get<{ total_sessions: number; active_sessions: number }>("/stats");
		return body.total_sessions === 2 && body.active_sessions === 1;
	});
	await booksGoOn(platform, old);
	await auditIsWhole(platform, releasedUser.token);
}

/**
 * The session that ran has failed by itself, because its pod is gone with the machine of the old platform, and what its
 * turn held is free again.
 */
async function isLost(platform: TestPlatform, old: ReleasedData): Promise<void> {
	const api = platform.client(releasedHeaders);
	const failed = async () => {
		const { body } = await api.get<SessionView>(`/sessions/${old.running}`);
		return body.status === "failed" && body;
	};
	const lost = await eventually(failed, { withinMs: lostWithinMs, everyMs: 100 });
	expect(lost.status_reason?.code).to.equal("POD_LOST");
	const isFree = async () => (await api.get<{ reserved: number }>(dayPath)).body.reserved === 0;
	await eventually(isFree, { what: "nothing is held for the lost pod" });
}

/** Usage from now on is added to the sums of the old platform. */
async function booksGoOn(platform: TestPlatform, old: ReleasedData): Promise<void> {
	const api = platform.client(releasedHeaders);
	const path = `/sessions/${old.stopped}`;
	const used = async () => (await api.get<{ tokens_used: number }>(path)).body.tokens_used;
	const before = await used();
	expect(before).to.be.greaterThan(0);
	const report = { tokens: 100, provider: "cloud", model: "unknown", cost: 0.25 };
	expect((await api.post(`${path}/usage`, report)).status).to.be.below(300);
	await eventually(async () => (await used()) === before + 100, { what: "the usage is booked" });
}

/** The chain of the audit log is unbroken and signed, as the offline verifier finds. @param token Of an administrator. */
export async function auditIsWhole(platform: TestPlatform, token?: string): Promise<void> {
	const file = join(platform.folder, "audit");
	const env = {
		PATH: process.env["PATH"] ?? "",
		HOME: platform.home,
		ATELIER_URL: platform.url,
		...(token !== undefined && { ATELIER_TOKEN: token }),
		DATA_DIR: platform.dataDir,
	};
	const audit = (...args: string[]) =>
		promisify(execFile)(process.execPath, ["cli/audit.ts", ...args], { cwd: projectRoot, env });
	await audit("export", file);
	const { stdout } = await audit("verify", file);
	expect(stdout).to.match(/^(\d\d+) entries continue the chain; signed up to entry \1; 0 faults/m);
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

/** Returns the answer about a day without its sums. */
function ofAnyDay(answer: unknown): unknown {
	return isObject(answer) ? { ...answer, spent: 0, reserved: 0 } : answer;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
