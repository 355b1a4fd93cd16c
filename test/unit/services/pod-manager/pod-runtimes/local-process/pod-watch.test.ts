import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { PodWatch } from "#services/pod-manager/pod-runtimes/local-process/pod-watch.ts";
import { memoryPod } from "../../../../../support/memory-pods.ts";

describe("PodWatch", () => {
	const id = randomUUID();

	/** Whom it calls back for, of a look that finds a pod. @param meanwhile Done while the look is under way. */
	async function toldOf(meanwhile: (ending: AbortController) => void): Promise<string[]> {
		const ending = new AbortController();
		const look = Promise.withResolvers<Pod[]>();
		const told: string[] = [];
		const pods = { list: () => look.promise, statusFile: () => "/nonexistent/status.json", tend: async () => {} };
		new PodWatch(pods, (session) => told.push(session), ending.signal).look();
		meanwhile(ending);
		look.resolve([memoryPod(id, 1, "ready")]);
		await nextTurn();
		ending.abort();
		return told;
	}

	it("calls nobody back after its end, not for what a look finds that was under way either", async () => {
		expect(await toldOf(() => {}), "control").to.deep.equal([id]);
		expect(await toldOf((ending) => ending.abort())).to.deep.equal([]);
	});
});
