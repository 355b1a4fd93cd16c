/** One session at the local runtime, as a test observes it: the states of its pods, their folders and processes. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import type { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import { eventually } from "../eventually.ts";
import type { LocalPods } from "./local-pods.ts";

/** The time within which a pod becomes ready. The unit is milliseconds. */
export const readyMs = 15_000;

export class ObservedSession {
	readonly id = randomUUID();
	readonly #pods: LocalPods;
	readonly #runtime: LocalProcessRuntime;

	constructor(pods: LocalPods, runtime: LocalProcessRuntime) {
		this.#pods = pods;
		this.#runtime = runtime;
	}

	/** Resolves to a pod of the session as soon as it is in this state. */
	inState(state: Pod["state"], withinMs = readyMs): Promise<Pod> {
		const probe = async () => (await this.#runtime.find(this.id)).find((pod) => pod.state === state);
		return eventually(probe, { withinMs, what: `a pod that is ${state}` });
	}

	runFolder(generation = 1): string {
		return join(this.#pods.dataDir, "run", `${this.id}-g${generation}`);
	}

	/** Returns the process id in the status file of the first launch. */
	agentPid(): number {
		return (JSON.parse(readFileSync(join(this.runFolder(), "status.json"), "utf8")) as { pid: number }).pid;
	}
}
