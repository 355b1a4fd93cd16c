/**
 * Stands in for the session agents of simulated pods: each asks the door for its launch with a token of its account, and reports that
 * it is ready, as `agent/` does (docs/decisions/0162-pods-ask-a-door-of-the-pod-manager.md).
 */
import { type IncomingMessage, request } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { sessionsNamespace } from "./simulated-cluster.ts";

const pods = { version: "v1", plural: "pods", namespace: sessionsNamespace };
const accounts = { version: "v1", plural: "serviceaccounts", namespace: sessionsNamespace };
const audiences = ["atelier-session"];
/** The pause of the agent while the platform is away, in milliseconds. */
const pauseMs = 500;
/** The reports of a quick launch: steps that follow at once are one report. */
const phases = ["starting", "ready"] as const;

interface SimulatedPod extends KubeObject {
	readonly spec?: { readonly serviceAccountName?: string };
	readonly status?: { readonly podIP?: string; readonly phase?: string };
}

interface IssuedToken {
	readonly status: { readonly token: string };
}

export class SimulatedAgents implements AsyncDisposable {
	readonly #client: ApiClient;
	readonly #doors: readonly string[];
	readonly #ending = new AbortController();
	readonly #begun = new Set<string>();
	readonly #loop: WatchLoop<SimulatedPod, SimulatedPod>;
	readonly #running: Promise<void>;
	/** The launches that were refused, such as that of a pod whose session has ended meanwhile. */
	refused = 0;

	/** @param doors The URLs of the doors, which are asked in turn, as a Service does. */
	constructor(client: ApiClient, doors: readonly string[]) {
		this.#client = client;
		this.#doors = doors;
		this.#loop = new WatchLoop<SimulatedPod, SimulatedPod>({
			source: collectionSource<SimulatedPod>(client, pods),
			kind: "pods",
			project: (pod) => pod,
			onChange: (name) => this.#changed(name),
		});
		this.#running = this.#loop.run(this.#ending.signal);
	}

	/** The pods that it follows. */
	pods(): readonly SimulatedPod[] {
		return this.#loop.list();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.#running;
	}

	#changed(name: string): void {
		const pod = this.#loop.get(name);
		const uid = pod?.metadata.uid ?? "";
		if (pod?.status?.podIP === undefined || pod.metadata.deletionTimestamp !== undefined || this.#begun.has(uid))
			return;
		this.#begun.add(uid);
		void this.#live(pod).catch(() => {
			this.refused++;
		});
	}

	async #live({ metadata, spec, status }: SimulatedPod): Promise<void> {
		const { name, uid = "" } = metadata;
		const from = loopbackOf(status?.podIP ?? "");
		const asked = { audiences, expirationSeconds: 600, boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } };
		const token = await this.#tokenOf(spec?.serviceAccountName, asked);
		const launch = JSON.parse(await this.#ask(uid, from, { path: doorPaths.launch, token }));
		const timings: Record<string, string> = { spawned: new Date().toISOString() };
		for (const [index, phase] of phases.entries()) {
			if (phase === "ready") timings["ready"] = new Date().toISOString();
			const body = JSON.stringify({ number: index + 1, phase, pid: 1, port: 7_433, host: status?.podIP, timings });
			await this.#ask(uid, from, { path: doorPaths.status, token: launch.pod_token, body });
		}
	}

	/** Asks for a token until there is one, as a kubelet does: an API server that is busy refuses some. */
	async #tokenOf(account: string | undefined, spec: object): Promise<string> {
		for (;;) {
			try {
				const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
				const issued = await this.#client.createPart<IssuedToken>(accounts, account, review, { part: "token" });
				return issued.status.token;
			} catch (error) {
				if (this.#ending.signal.aborted || (error instanceof ApiError && error.status === 404)) throw error;
				await sleep(pauseMs);
			}
		}
	}

	/** Asks until a door answers. @throws {Error} when it refuses. */
	async #ask(uid: string, from: string, { path, token, body = "" }: Question): Promise<string> {
		for (let attempt = 0; !this.#ending.signal.aborted; attempt++) {
			const door = this.#doors[(Number.parseInt(uid.slice(0, 8), 16) + attempt) % this.#doors.length] ?? "";
			const answer = await posted(`${door}${path}`, from, token, body).catch(() => undefined);
			if (answer !== undefined && answer.status < 300) return answer.content;
			// A status is reported until it was taken, whatever the answer.
			if (answer !== undefined && answer.status < 500 && path === doorPaths.launch)
				throw new Error(`The door has answered ${answer.status} to ${path}`);
			await sleep(pauseMs);
		}
		throw new Error("The simulation has ended");
	}
}

interface Question {
	readonly path: string;
	readonly token: string;
	readonly body?: string;
}

/** Each pod has an address of its own, since the door bounds what one asks. */
function loopbackOf(podIp: string): string {
	return podIp.replace(/^\d+/, "127");
}

async function posted(url: string, localAddress: string, token: string, body: string) {
	const headers = { authorization: `Bearer ${token}`, "content-length": Buffer.byteLength(body) };
	const outgoing = request(url, { method: "POST", headers, localAddress, agent: false, timeout: 10_000 });
	outgoing.on("timeout", () => outgoing.destroy(new Error("The door does not answer")));
	outgoing.end(body);
	const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
	return { status: answer.statusCode ?? 500, content: await text(answer) };
}
