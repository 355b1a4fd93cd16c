/**
 * A runtime with pods in memory: the whole behaviour of the port without processes. Time passes with every look at a
 * session.
 */
import type {
	Inventory,
	MeasuredFiles,
	MeasureTerms,
	Pod,
	PodRuntime,
	PodSpec,
	PodState,
} from "#services/pod-manager/pod-runtime.ts";
import { podName } from "#services/pod-manager/pod-runtime.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { idlePodToken } from "./idle-runtime-host.ts";

/** The state that a pod takes by itself until the next look; undefined: it does not change. */
export type Course = (pod: Pod) => PodState | undefined;

function smooth({ state }: Pod): PodState | undefined {
	if (state === "launching") return "ready";
	return state === "leaving" ? "gone" : undefined;
}

export class MemoryPods implements PodRuntime {
	readonly isolation = "container";
	readonly hasHostFiles: boolean = true;
	/** The pods by name. */
	readonly pods = new Map<string, Pod>();
	readonly workspaces = new Set<string>();
	/** The sessions whose records were removed. */
	readonly purged = new Set<string>();
	/** The size of each workspace. */
	bytes = 4_096;
	/** Launches that were begun and never became a pod, by name. */
	readonly begun = new Map<string, Pod>();
	readonly troubles: string[] = [];
	readonly #course: Course;
	readonly #watchers = new Set<(sessionId: string) => void>();

	constructor(course: Course = smooth) {
		this.#course = course;
	}

	/** Adds a pod, or changes its state, from outside. */
	put(pod: Pod): void {
		this.pods.set(pod.name, pod);
		this.#notify(pod);
	}

	ofSession(sessionId: string): Pod[] {
		return [...this.pods.values()].filter((pod) => pod.sessionId === sessionId);
	}

	async open(): Promise<string[]> {
		return [];
	}

	async close(): Promise<void> {}

	async inventory(): Promise<Inventory> {
		const sessions = new Set([...this.pods.values()].map(({ sessionId }) => sessionId));
		const pods = (await Promise.all([...sessions].map((id) => this.find(id)))).flat();
		return { pods, unfinished: [...this.begun.values()], workspaces: [...this.workspaces], troubles: this.troubles };
	}

	async find(sessionId: string, signal?: AbortSignal): Promise<Pod[]> {
		signal?.throwIfAborted();
		const found = this.ofSession(sessionId);
		for (const pod of found) {
			const state = this.#course(pod);
			if (state !== undefined && state !== pod.state) this.put({ ...pod, state });
		}
		return found;
	}

	async create({ session_id, generation, workspace_id }: PodSpec, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		const name = podName(session_id, generation);
		if (this.pods.has(name)) return;
		const other = this.ofSession(session_id).find(({ state }) => state !== "gone");
		if (other) throw new Error(`Cannot start "${name}" while "${other.name}" lives`);
		this.workspaces.add(workspace_id);
		this.put(memoryPod(session_id, generation, "launching"));
	}

	async end(pod: Pod, _graceMs?: number, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		const now = this.pods.get(pod.name);
		if (now && now.state !== "gone") this.put({ ...now, state: now.state === "failed" ? "gone" : "leaving" });
	}

	async forget(pod: Pod, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		const now = this.pods.get(pod.name);
		if (now && now.state !== "gone") throw new Error(`Cannot forget "${pod.name}": it still lives`);
		this.pods.delete(pod.name);
		this.begun.delete(pod.name);
		this.#notify(pod);
	}

	async purge(sessionId: string, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		const living = this.ofSession(sessionId).find(({ state }) => state !== "gone");
		if (living) throw new Error(`Cannot purge session "${sessionId}": "${living.name}" still lives`);
		for (const pod of this.ofSession(sessionId)) this.pods.delete(pod.name);
		this.purged.add(sessionId);
	}

	async removeWorkspace(workspaceId: string): Promise<void> {
		this.workspaces.delete(workspaceId);
	}

	async measureWorkspace(workspaceId: string, _terms?: MeasureTerms): Promise<MeasuredFiles> {
		return { bytes: this.workspaces.has(workspaceId) ? this.bytes : 0 };
	}

	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void {
		this.#watchers.add(onChange);
		signal.addEventListener("abort", () => this.#watchers.delete(onChange));
	}

	#notify({ sessionId }: Pod): void {
		queueMicrotask(() => {
			for (const onChange of this.#watchers) onChange(sessionId);
		});
	}
}

export function memoryPod(sessionId: string, generation: number, state: PodState): Pod {
	return {
		name: podName(sessionId, generation),
		sessionId,
		generation,
		state,
		address: "http://127.0.0.1:9",
		timings: { spawned: "2026-11-20T20:34:19.123Z" },
		agent_title: "In memory",
	};
}

export const launchSettings: LaunchSettings = {
	name: "test",
	model: "",
	repositories: [{ url: "", branch: "main", base_branch: "", path: "" }],
	setup_scripts: [],
	working_folder: "",
	system_prompt: "",
	initial_prompt: "",
	env: {},
	agent: "builtin",
	mcp_servers: [],
	permission_mode: "auto",
	git_protocols: [],
};

export function podSpecFor(sessionId: string, generation: number, settings: Partial<LaunchSettings> = {}): PodSpec {
	return {
		...launchSettings,
		...settings,
		session_id: sessionId,
		generation,
		workspace_id: sessionId,
		owner: { tenant: "default", id: "ada" },
		installation: "0123456789abcdef",
		platform_url: "http://127.0.0.1:9/api/v1/svc",
		pod_token: idlePodToken(sessionId, generation),
		platform_key: "key-of-the-platform",
	};
}
