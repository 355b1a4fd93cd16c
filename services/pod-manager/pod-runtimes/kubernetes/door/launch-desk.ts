/**
 * Gives each pod its launch. A pod is made without any secret: it shows the token of its own account, and gets the launch of the
 * session that its labels name, computed at that moment.
 */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { PodSpec, RuntimeHost } from "../../../pod-runtime.ts";
import type { Launch } from "../../launches/launch.ts";
import { annotation, label, launchOf, objectName } from "../objects/cluster-names.ts";
import { type ClusterPlaces, launchDocument } from "./launch-document.ts";
import { launchProof } from "../objects/launch-proof.ts";
import type { PodObject } from "../objects/pod-object.ts";
import type { TokenBearer } from "./token-reviews.ts";

/** How long a token that was reviewed counts as reviewed, in milliseconds, and the most such tokens. */
const [reviewedMs, maxReviewed] = [60_000, 4_096];

export interface LaunchDeskDependencies {
	readonly installation: string;
	readonly launches: RuntimeHost["launches"];
	readonly places: ClusterPlaces;
	/** Resolves to the pod of a token for the audience of launches; undefined for any other token. @throws {Error} when the cluster does not say. */
	readonly review: (token: string) => Promise<TokenBearer | undefined>;
	/** Reads a pod as it is now, from the cluster and no cache. */
	readonly podNow: (name: string) => Promise<PodObject | undefined>;
}

/** `refused`: it is no token of a pod of sessions. `over`: its pod has its launch already, or must not run any more. */
export type DeskAnswer = { readonly document: string } | "refused" | "over";

export class LaunchDesk {
	readonly #dependencies: LaunchDeskDependencies;
	readonly #reviewed = new LRUCache<string, TokenBearer>({ max: maxReviewed, ttl: reviewedMs });

	constructor(dependencies: LaunchDeskDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * @param earlier The sessions that have records in the pod's volume.
	 * @throws {Error} when the cluster or the platform does not answer now; the pod asks again.
	 */
	async launch(token: string, earlier: readonly string[] = []): Promise<DeskAnswer> {
		const { podNow, launches } = this.#dependencies;
		const bearer = await this.#bearerOf(token);
		if (!bearer) return "refused";
		const pod = await podNow(bearer.name);
		const launch = pod && this.#launchOf(pod, bearer);
		if (!launch) return "refused";
		const spec = isOver(pod) ? undefined : await launches.specOf(launch.sessionId, launch.generation);
		if (!spec) return "over";
		if (!isProven(pod, spec)) return "refused";
		const deleted = await this.#deletedOf(earlier.filter((id) => id !== launch.sessionId));
		return this.#answer(spec, deleted);
	}

	#answer(spec: PodSpec, deleted: readonly string[]): DeskAnswer {
		const document = launchDocument(spec, this.#dependencies.places);
		return { document: JSON.stringify({ ...document, ...(deleted.length > 0 && { deleted_sessions: deleted }) }) };
	}

	/** Records that are not removed now are removed by a later launch, so that no launch waits for it. */
	async #deletedOf(sessions: readonly string[]): Promise<string[]> {
		if (sessions.length === 0) return [];
		const existing = await this.#dependencies.launches.existingOf(sessions).catch(() => sessions);
		return sessions.filter((id) => !existing.includes(id));
	}

	async #bearerOf(token: string): Promise<TokenBearer | undefined> {
		const key = createHash("sha256").update(token).digest("base64");
		const known = this.#reviewed.get(key);
		if (known) return known;
		const bearer = await this.#dependencies.review(token);
		if (bearer) this.#reviewed.set(key, bearer);
		return bearer;
	}

	/** A name may be used again; the uid is of one pod only. */
	#launchOf({ metadata, spec }: PodObject, bearer: TokenBearer): Launch | undefined {
		const isOurs =
			metadata.uid === bearer.uid && metadata.labels?.[label.installation] === this.#dependencies.installation;
		const launch = isOurs ? launchOf(metadata) : undefined;
		return launch && spec.serviceAccountName === objectName(launch) ? launch : undefined;
	}
}

/** Programs of the session can read the token of its pod, when they run: the agent has reported before. */
function isOver({ metadata }: PodObject): boolean {
	return metadata.deletionTimestamp !== undefined || metadata.annotations?.[annotation.status] !== undefined;
}

/** Somebody else may have made a pod with the name, the account and the labels of a launch before its own pod was made. */
function isProven({ metadata }: PodObject, { pod_token }: PodSpec): boolean {
	return metadata.annotations?.[annotation.proof] === launchProof(pod_token, "Pod");
}
