/**
 * Forty concurrent sessions start, stop and are deleted, and leave the machine unchanged.
 * Night: it starts forty sessions.
 * Alone: it is a load to the machine.
 */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { waitingTitle } from "#shared/wire/pod/agent-title.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { createSession, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const count = 40;

describe(`${count} sessions at once`, function () {
	this.timeout(180_000);

	it("run, stop and are deleted without a process, port or file left behind", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		// The first session ever creates files that later ones use.
		await runAndDelete(api, await createAll(api, 1));
		const before = await eventually(() => atRest(platform), { withinMs: 30_000 });
		print("before", before);

		const ids = await createAll(api, count);
		await allAre(api, "running", count);
		const running = look(platform);
		print("running", running);
		expect(running.ports).to.have.length(before.ports.length + count);
		expect(platform.agents().map(({ session }) => session)).to.have.members(ids);

		await runAndDelete(api, ids);
		const after = await eventually(
			() => {
				const seen = look(platform);
				return JSON.stringify(seen) === JSON.stringify(before) && seen;
			},
			{ withinMs: 30_000, everyMs: 100, what: "the machine is what it was" },
		).catch(() => look(platform));
		print("after", after);
		expect(after).to.deep.equal(before);
	});
});

async function createAll(api: ApiClient, sessions: number): Promise<string[]> {
	const created = await Promise.all(Array.from({ length: sessions }, (_, n) => createSession(api, "", `session-${n}`)));
	return created.map(({ id }) => id);
}

/** Stops all sessions, and deletes them with their workspaces. */
async function runAndDelete(api: ApiClient, ids: readonly string[]): Promise<void> {
	await allAre(api, "running", ids.length);
	await Promise.all(ids.map((id) => api.post(`/sessions/${id}/stop`)));
	await allAre(api, "stopped", ids.length);
	const cleanup = { body: { cleanup: ["workspace_storage"] } };
	const answers = await Promise.all(ids.map((id) => api.delete(`/sessions/${id}`, cleanup)));
	expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([204]));
}

async function allAre(api: ApiClient, status: string, sessions: number): Promise<void> {
	const list = async () => (await api.get<SessionView[]>("/sessions")).body;
	await eventually(async () => (await list()).filter((session) => session.status === status).length === sessions, {
		withinMs: 90_000,
		everyMs: 200,
		what: `all are ${status}`,
	});
}

/**
 * The output of `ps`, `ss` and a listing of the data folder for the platform, its sessions and everything they
 * started.
 */
interface Look {
	readonly processes: readonly string[];
	/** The processes that listen on a port. */
	readonly ports: readonly string[];
	/**
	 * All paths below the data folder except those of compiled programs, which all tests share (support/compiled.ts).
	 */
	readonly files: readonly string[];
}

function look(platform: TestPlatform): Look {
	const own = platform.processes.map(({ pid }) => pid);
	const pids = new Set([...own, ...descendants(own), ...platform.sessionProcesses().map(({ pid }) => pid)]);
	const ports = lines("ss", ["-Hltnp"]).filter((line) => pidsIn(line).some((pid) => pids.has(pid)));
	return {
		processes: lines("ps", ["-ww", "-eo", "pid=,args="])
			.filter((line) => pids.has(Number.parseInt(line, 10)))
			// The agent that waits for the next session is another process each time.
			.map((line) => (line.includes(waitingTitle) ? waitingTitle : line))
			.toSorted(),
		ports: ports.map((line) => line.split(/\s+/)[3] ?? "").toSorted(),
		files: readdirSync(platform.dataDir, { recursive: true, encoding: "utf8" })
			.filter((path) => !path.startsWith("cache/"))
			.map((path) => path.replace(/(?<=^run\/\.waiting\/)\d+-\d+(?=\.log$)/, "n"))
			.toSorted(),
	};
}

/** Returns undefined while a process or folder of a session remains, or no agent waits for the next. */
function atRest(platform: TestPlatform): Look | undefined {
	const seen = look(platform);
	const left = seen.files.some((path) => /^(run\/(?!\.(waiting|id|tmp)(\/|$))|run\/\.tmp\/.|sessions\/)/.test(path));
	const waiting = seen.processes.filter((line) => line === waitingTitle).length;
	return waiting === 1 && seen.processes.length === platform.processes.length + 1 && !left ? seen : undefined;
}

function descendants(parents: readonly number[]): number[] {
	const all = lines("ps", ["-eo", "pid=,ppid="]).map((line) => line.trim().split(/\s+/).map(Number));
	const children = all.filter(([, parent]) => parents.includes(parent ?? 0)).map(([pid]) => pid ?? 0);
	return children.length === 0 ? [] : [...children, ...descendants(children)];
}

function pidsIn(line: string): number[] {
	return [...line.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid));
}

function lines(program: string, args: readonly string[]): string[] {
	return execFileSync(program, args, { encoding: "utf8" }).split("\n").filter(Boolean);
}

function print(when: string, { processes, ports, files }: Look): void {
	console.log(`      ${when}`);
	console.log(`        ps: ${processes.length}${processes.length > 3 ? "" : ` (${processes.join("; ").trim()})`}`);
	console.log(`        ss -ltn: ${ports.length > 3 ? ports.length : ports.join(", ")}`);
	const folders = files.filter((path) => !path.includes("/"));
	console.log(`        data folder: ${files.length} paths in ${folders.join(", ")}`);
}
