import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { PodWatch } from "#services/pod-manager/pod-runtimes/local-process/pod-watch.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { memoryPod } from "../../../../../support/pods/memory-pods.ts";

describe("PodWatch", () => {
	const id = randomUUID();

	/** The callbacks of a look that finds a pod. @param meanwhile It runs while the look is under way. */
	async function toldOf(meanwhile: (ending: AbortController) => void): Promise<string[]> {
		const ending = new AbortController();
		const look = Promise.withResolvers<Pod[]>();
		const told: string[] = [];
		const pods = {
			list: () => look.promise,
			find: () => look.promise,
			glimpse: async () => new Map<string, string>(),
			statusFile: () => "/nonexistent/status.json",
			tend: async () => {},
		};
		new PodWatch(pods, (session) => told.push(session), ending.signal).look(id);
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
				list: async () => (lists++, all),
				find: async (session: string) => (asked.push(session), [memoryPod(session, 1, "ready")]),
				glimpse: async () => new Map<string, string>(),
				statusFile: ({ name }: Pod) => join(root, name, "status.json"),
				tend: async () => {},
			};
			new PodWatch(pods, (session) => told.push(session), ending.signal);
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

	it("calls nobody back after its end, not even for a running scan", async () => {
		expect(await toldOf(() => {}), "control").to.deep.equal([id]);
		expect(await toldOf((ending) => ending.abort())).to.deep.equal([]);
	});
});
