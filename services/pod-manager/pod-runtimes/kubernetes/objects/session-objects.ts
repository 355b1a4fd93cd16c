/** The objects of sessions in the cluster: makes, reads and removes them. A repeated step has no further effect. */
import { failpoint } from "#shared/base/failpoints.ts";
import { PodRefused } from "../../../pod-refused.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import type { MeasuredSize } from "#shared/wire/pod/status.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { PatchStep } from "#shared/kubernetes/api/json-patch.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { Resource } from "#shared/kubernetes/api/resource.ts";
import type { Launch } from "../../launches/launch.ts";
import { annotation, finalizer, label, launchNamed, selectorOf, volumeClaimName } from "./cluster-names.ts";
import { differenceOf, isLeavingClaim } from "./made-object.ts";
import { accountManifest, type PodPlan, podManifest, volumeClaimManifest } from "./pod-manifest.ts";
import { type PodObject, podObject } from "./pod-object.ts";
import { SessionEvents } from "./session-events.ts";
import { reportSteps } from "./status-annotation.ts";
import { type ClaimObject, volumeClaim, type VolumeClaim } from "./volume-claim.ts";

/** The words for a claim that is on its way out. */
const stillRemoved = "its former volume was deleted, and is still being removed";

/** `gone`: the pod is not there, or another one has its name. The pod as it is now: it has changed since it was read. */
export type KeptStatus = "kept" | "gone" | PodObject;

/** The objects of one installation in one namespace. */
export class SessionObjects {
	readonly #api: ApiClient;
	readonly #installation: string;
	readonly pods: Resource;
	readonly #accounts: Resource;
	readonly #claims: Resource;
	readonly events: SessionEvents;

	constructor(api: ApiClient, namespace: string, installation: string) {
		this.#api = api;
		this.#installation = installation;
		const of = (plural: string): Resource => ({ version: "v1", plural, namespace });
		this.pods = of("pods");
		this.#accounts = of("serviceaccounts");
		this.#claims = of("persistentvolumeclaims");
		this.events = new SessionEvents(api, namespace);
	}

	/** The label by which all of them are found. */
	get selector(): string {
		return selectorOf({ [label.installation]: this.#installation });
	}

	/** Reads the pods of all sessions, or of one, from the cluster and no cache. */
	async listPods(sessionId?: string, signal?: AbortSignal): Promise<PodObject[]> {
		const { items } = await this.#api.list(this.pods, podObject, {
			labelSelector: this.#selectorOf(sessionId),
			signal,
		});
		return items.filter((pod) => pod !== undefined);
	}

	/** Reads a pod from the cluster and no cache; undefined when there is none. */
	async podNow(name: string, signal?: AbortSignal): Promise<PodObject | undefined> {
		return podObject(await orMissing(this.#api.get(this.pods, name, { signal })));
	}

	/** Makes what a pod needs, and the pod at last: whoever sees the pod finds everything else. @throws {ApiError} */
	async make(plan: PodPlan, signal?: AbortSignal): Promise<void> {
		await this.#makeOnce(this.#accounts, accountManifest(plan), signal);
		failpoint("kubernetes.account-made");
		await this.#makeOnce(this.#claims, volumeClaimManifest(plan), signal);
		failpoint("kubernetes.claim-made");
		await this.#makeOnce(this.pods, podManifest(plan), signal);
	}

	/** Begins the end of a pod, unless it has begun; does nothing for another pod of this name. */
	async end({ metadata }: PodObject, graceSeconds: number, signal?: AbortSignal): Promise<void> {
		if (metadata.deletionTimestamp !== undefined) return;
		await this.#isOf(metadata, this.#api.delete(this.pods, metadata.name, { uid: metadata.uid, graceSeconds, signal }));
		failpoint("kubernetes.pod-ended");
	}

	/** Removes the records of a pod whose processes have ended: its account, and then the pod itself, for which nobody waits any more. */
	async forget(pod: PodObject, signal?: AbortSignal): Promise<void> {
		const { name, uid } = pod.metadata;
		await this.removeAccount(name, signal);
		failpoint("kubernetes.account-removed");
		const isOurs = await this.#isOf(pod.metadata, this.#api.delete(this.pods, name, { uid, graceSeconds: 0, signal }));
		failpoint("kubernetes.pod-deleted");
		if (isOurs) await this.#release(pod, signal);
		failpoint("kubernetes.pod-released");
	}

	/** Removes the account of this name, but none of somebody else's, and none that gets the name meanwhile. */
	async removeAccount(name: string, signal?: AbortSignal): Promise<void> {
		const uid = await this.#accountNow(name, signal);
		if (uid === undefined) return;
		try {
			await orMissing(this.#api.delete(this.#accounts, name, { uid, signal }));
		} catch (error) {
			if (!isReason(error, "Conflict") || (await this.#accountNow(name, signal)) === uid) throw error;
		}
	}

	/** Resolves to the uid of the installation's account of this name. */
	async #accountNow(name: string, signal: AbortSignal | undefined): Promise<string | undefined> {
		const account = await orMissing(this.#api.get(this.#accounts, name, { signal }));
		const { uid, labels } = account?.metadata ?? {};
		return labels?.[label.installation] === this.#installation ? uid : undefined;
	}

	/** Returns the launches whose accounts are there, with a pod or without one. */
	async launches(sessionId?: string, signal?: AbortSignal): Promise<Launch[]> {
		const names = await this.#api.listNames(this.#accounts, { labelSelector: this.#selectorOf(sessionId), signal });
		const launches = names.map(launchNamed).filter((launch) => launch !== undefined);
		return sessionId === undefined ? launches : launches.filter((launch) => launch.sessionId === sessionId);
	}

	/** Returns the claims of all workspaces, and the names of those that are too large to be read. */
	async volumeClaims(): Promise<{ readonly claims: VolumeClaim[]; readonly leftOut: readonly string[] }> {
		const { items, leftOut = [] } = await this.#api.list(this.#claims, volumeClaim, { labelSelector: this.selector });
		return { claims: items.filter((claim) => claim !== undefined), leftOut };
	}

	async volumeClaim(workspaceId: string): Promise<VolumeClaim | undefined> {
		const object = await orMissing(this.#api.get<ClaimObject>(this.#claims, volumeClaimName(workspaceId)));
		return object && volumeClaim(object);
	}

	async removeVolumeClaim({ workspaceId, uid }: VolumeClaim): Promise<void> {
		await orAnother(this.#api.delete(this.#claims, volumeClaimName(workspaceId), { uid }));
		failpoint("kubernetes.claim-removed");
	}

	/** Keeps what an agent has reported with its pod, if the pod still has the report with which it was read. */
	async keepStatus(pod: PodObject, status: string, signal?: AbortSignal): Promise<KeptStatus> {
		const { name, uid, resourceVersion } = pod.metadata;
		try {
			const change = this.#api.patchBySteps(this.pods, name, reportSteps(pod, status), { signal });
			return (await orMissing(change)) === undefined ? "gone" : "kept";
		} catch (error) {
			if (!isRefusedChange(error)) throw error;
			const now = await this.podNow(name, signal);
			if (now?.metadata.uid !== uid) return "gone";
			// A pod that is as it was read has not refused because of its report.
			if (now.metadata.resourceVersion === resourceVersion) throw error;
			return now;
		}
	}

	/** Keeps the size of what is in a workspace with its claim, so that it is known when no pod is there. */
	async keepSize(workspaceId: string, size: MeasuredSize, signal?: AbortSignal): Promise<void> {
		const members = { metadata: { annotations: { [annotation.measured]: JSON.stringify(size) } } };
		await orMissing(this.#api.patch(this.#claims, volumeClaimName(workspaceId), members, { signal }));
	}

	#selectorOf(sessionId: string | undefined): string {
		return sessionId === undefined ? this.selector : `${this.selector},${label.session}=${sessionId}`;
	}

	/** An answer that was lost is met again as a conflict. */
	async #makeOnce(resource: Resource, object: KubeObject, signal: AbortSignal | undefined): Promise<void> {
		try {
			await this.#api.create(resource, object, { signal });
		} catch (error) {
			if (!isReason(error, "AlreadyExists")) throw error;
			await this.#adopt(resource, object, signal);
		}
	}

	/** The object of this name has to be the one that was to be made: names can be foreseen. @throws {PodRefused} */
	async #adopt(resource: Resource, made: KubeObject, signal: AbortSignal | undefined): Promise<void> {
		const { name } = made.metadata;
		const present = await orMissing(this.#api.get(resource, name, { signal }));
		if (present && isLeavingClaim(present, made.kind)) throw new PodRefused("WORKSPACE_PENDING", stillRemoved);
		const difference = present && differenceOf(present, made);
		if (difference !== undefined)
			throw new PodRefused("POD_INVALID", `${resource.plural} "${name}" is there already, and ${difference}`);
	}

	/** Lets go of a pod that is being deleted; another pod of this name keeps its finalizer. */
	async #release({ metadata }: PodObject, signal: AbortSignal | undefined): Promise<void> {
		const index = metadata.finalizers?.indexOf(finalizer) ?? -1;
		if (index < 0) return;
		const steps: PatchStep[] = [
			{ op: "test", path: "/metadata/uid", value: metadata.uid },
			{ op: "test", path: `/metadata/finalizers/${index}`, value: finalizer },
			{ op: "remove", path: `/metadata/finalizers/${index}` },
		];
		await this.#isOf(metadata, this.#api.patchBySteps(this.pods, metadata.name, steps, { signal }));
	}

	/** Resolves to false where the pod is not there, or another one has its name, which the API says as it says that it cannot take a change. */
	async #isOf(
		{ name, uid }: { readonly name: string; readonly uid: string },
		change: Promise<unknown>,
	): Promise<boolean> {
		try {
			return (await orMissing(change)) !== undefined;
		} catch (error) {
			if (isRefusedChange(error) && (await this.podNow(name))?.metadata.uid !== uid) return false;
			throw error;
		}
	}
}

/** Whether the API cannot take a change, which may be one of another object of this name, or of a state that is over. */
function isRefusedChange(error: unknown): boolean {
	return error instanceof ApiError && (error.status === 409 || error.status === 422);
}

/** Resolves to undefined where the object is not there. */
async function orMissing<T>(call: Promise<T>): Promise<T | undefined> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof ApiError && error.status === 404) return undefined;
		throw error;
	}
}

/** Resolves to undefined where the object is not there, or is another one than that of the uid. */
async function orAnother<T>(deletion: Promise<T>): Promise<T | undefined> {
	try {
		return await orMissing(deletion);
	} catch (error) {
		if (isReason(error, "Conflict")) return undefined;
		throw error;
	}
}

function isReason(error: unknown, reason: string): boolean {
	return error instanceof ApiError && error.reason === reason;
}
