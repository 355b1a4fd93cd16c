import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { type Pod, podName } from "#services/pod-manager/pod-runtime.ts";
import type { Launch } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { PodWatch } from "#services/pod-manager/pod-runtimes/machine/pod-watch.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { memoryPod } from "../../../../../support/pods/memory-pods.ts";

type Look = (session: string) => Promise<Pod[]>;

describe("PodWatch", () => {
	const id = randomUUID();

	const runs = { path: () => "/nonexistent/status.json", tend: async () => {} };

	/** Pods without records. @param answers What looks at one session and at all return; default: no pods. */
	function watched({ find = async () => [], list = async () => [] }: Readonly<Record<string, Look>>) {
		return {
			all: async () => ({ pods: await list(""), unfinished: [] }),
			ofSession: find,
			glimpse: async () => new Map<string, string>(),
		};
	}

	/** The callbacks of a look that finds a pod. @param meanwhile It runs while the look is under way. */
	async function toldOf(meanwhile: (ending: AbortController) => void): Promise<string[]> {
		const ending = new AbortController();
		const look = Promise.withResolvers<Pod[]>();
		const told: string[] = [];
		const pods = watched({ list: () => look.promise, find: () => look.promise });
		new PodWatch(pods, runs, (session) => told.push(session), ending.signal).look(id);
		meanwhile(ending);
		look.resolve([memoryPod(id, 1, "ready")]);
		await nextTurn();
		ending.abort();
		return told;
	}

	it("reads only the pods of the session whose records were written (M5)", async () => {
		const root = mkdtempSync(join(tmpdir(), "atelier-watch-"));
		const ending = new AbortController();
		try {
			const all = [
				memoryPod(id, 1, "launching"),
				...Array.from({ length: 5 }, () => memoryPod(randomUUID(), 1, "ready")),
			];
			for (const { name } of all) mkdirSync(join(root, name));
			const asked: string[] = [];
			const told: string[] = [];
			let lists = 0;
			const pods = {
				all: async () => (lists++, { pods: all, unfinished: [] }),
				ofSession: async (session: string) => (asked.push(session), [memoryPod(session, 1, "ready")]),
				glimpse: async () => new Map<string, string>(),
			};
			const path = (launch: Launch) => join(root, podName(launch.sessionId, launch.generation), "status.json");
			new PodWatch(pods, { ...runs, path }, (session) => told.push(session), ending.signal);
			await eventually(() => told.length === all.length);
			writeFileSync(join(root, all[0]?.name ?? "", "status.json"), "{}");
			await eventually(() => told.length > all.length, { what: "the change is told" });
			expect(told.slice(all.length)).to.deep.equal([id]);
			expect([...new Set(asked)]).to.deep.equal([id]);
			expect(lists).to.be.at.most(2);
		} finally {
			ending.abort();
			rmSync(root, { recursive: true });
		}
	});

	it("tells of a session while the looks at others last", async () => {
		const ending = new AbortController();
		const told: string[] = [];
		const never = Promise.withResolvers<Pod[]>();
		const find = (session: string) => (session === id ? Promise.resolve([memoryPod(id, 1, "ready")]) : never.promise);
		const watch = new PodWatch(watched({ find }), runs, (session) => told.push(session), ending.signal);
		try {
			for (let others = 0; others < 10; others++) watch.look(randomUUID());
			watch.look(id);
			await eventually(() => told.length > 0, { what: "the session is told of" });
			expect(told).to.deep.equal([id]);
		} finally {
			ending.abort();
		}
	});

	it("believes of two observations the one that began later, and reads a session again that changes meanwhile", async () => {
		const ending = new AbortController();
		const told: string[] = [];
		const list = Promise.withResolvers<Pod[]>();
		const looks = [Promise.withResolvers<Pod[]>(), Promise.withResolvers<Pod[]>()];
		let begun = 0;
		const find = () => looks[begun++]?.promise ?? expect.fail("A third look");
		const pods = watched({ find, list: () => list.promise });
		const watch = new PodWatch(pods, runs, (session) => told.push(session), ending.signal);
		try {
			for (let requests = 0; requests < 3; requests++) watch.look(id);
			expect(begun, "one look at a time").to.equal(1);
			looks[0]?.resolve([memoryPod(id, 1, "launching")]);
			await eventually(() => begun === 2);
			looks[1]?.resolve([memoryPod(id, 1, "ready")]);
			await eventually(() => told.length === 2);
			list.resolve([]);
			await nextTurn();
			expect(told).to.deep.equal([id, id]);
		} finally {
			ending.abort();
		}
	});

	it("calls nobody back after its end, not even for a running scan", async () => {
		expect(await toldOf(() => {}), "control").to.deep.equal([id]);
		expect(await toldOf((ending) => ending.abort())).to.deep.equal([]);
	});
});
