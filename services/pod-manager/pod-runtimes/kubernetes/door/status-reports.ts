/** Keeps what session agents report about themselves with their pods. */
import { LRUCache } from "lru-cache";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { launchOfToken } from "#shared/base/secrets/pod-token.ts";
import { type MeasuredSize, type PodStatus, podStatusFields } from "#shared/wire/pod/status.ts";
import { maxRemembered, type RuntimeHost } from "../../../pod-runtime.ts";
import type { Launch } from "../../launches/launch.ts";
import { label } from "../objects/cluster-names.ts";
import type { PodObject } from "../objects/pod-object.ts";
import type { KeptStatus } from "../objects/session-objects.ts";
import { reportNumberOf, withReport } from "../objects/status-annotation.ts";

const check = compileSchema(podStatusFields);
/** The most times that one status is tried, each time after the pod has changed. */
const maxTries = 4;

export interface StatusReportsDependencies {
	readonly podToken: RuntimeHost["models"]["podToken"];
	/** Returns the pod of a launch, which may be known already; undefined when there is none. */
	readonly podOf: (launch: Launch) => Promise<PodObject | undefined>;
	/** Keeps a status with a pod that has the status with which it was read. @throws {Error} when the cluster does not answer. */
	readonly keep: (pod: PodObject, status: string, signal: AbortSignal) => Promise<KeptStatus>;
	/** Keeps the size of what is in a workspace. @throws {Error} when it cannot be kept. */
	readonly keepSize: (workspaceId: string, size: MeasuredSize, signal: AbortSignal) => Promise<void>;
}

interface KeptReport {
	readonly number: number;
	readonly text: string;
}

export class StatusReports {
	readonly #dependencies: StatusReportsDependencies;
	/** The sizes that were kept last, by the uids of pods. */
	readonly #sizes = new LRUCache<string, string>({ max: maxRemembered });
	/** The statuses that were kept last, by the uids of pods: the next one may come before the cluster has told the former. */
	readonly #kept = new LRUCache<string, KeptReport>({ max: maxRemembered });

	constructor(dependencies: StatusReportsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Takes the status of the launch that a token was made for; false for another token, or when its pod is gone. One that arrives after a later
	 * one counts as taken and changes nothing: deliveries overtake each other where a process waits for the cluster and the agent does not.
	 * @param signal Ends the writes when nobody waits for the answer any more.
	 * @throws {SyntaxError} for what is no status; {Error} when the cluster does not answer.
	 */
	async take(token: string, content: Buffer, signal: AbortSignal): Promise<boolean> {
		const launch = launchOfToken(token, this.#dependencies.podToken);
		if (!launch) return false;
		const status: unknown = JSON.parse(content.toString("utf8"));
		if (!isStatus(status)) throw new SyntaxError("This is no status");
		const { measured, ...rest } = status;
		const pod = await this.#dependencies.podOf(launch);
		const kept = pod ? await this.#keep(pod, rest, signal) : "gone";
		if (pod && measured && kept === "kept") await this.#measured(pod, measured, signal);
		return kept !== "gone";
	}

	/** @returns `late`: the pod has a later status. */
	async #keep(pod: PodObject, status: PodStatus, signal: AbortSignal): Promise<"kept" | "gone" | "late"> {
		const { number = Infinity } = status;
		const text = JSON.stringify(status);
		let known = this.#asKept(pod);
		for (let tries = 0; tries < maxTries; tries++) {
			const former = reportNumberOf(known) ?? -1;
			// An answer that was lost lets the same one come again.
			if (number <= former) return number === former ? "kept" : "late";
			const kept = await this.#dependencies.keep(known, text, signal);
			if (kept === "kept" && status.number !== undefined) this.#kept.set(pod.metadata.uid, { number, text });
			if (kept === "kept" || kept === "gone") return kept;
			known = kept;
		}
		throw new Error("Its pod changes all the time");
	}

	#asKept(pod: PodObject): PodObject {
		const kept = this.#kept.get(pod.metadata.uid);
		return kept && kept.number > (reportNumberOf(pod) ?? -1) ? withReport(pod, kept.text) : pod;
	}

	/** Each status repeats the size. One that cannot be kept comes again with another status, and ends no session. */
	async #measured({ metadata: { uid, labels } }: PodObject, size: MeasuredSize, signal: AbortSignal): Promise<void> {
		const workspaceId = labels?.[label.workspace];
		const text = JSON.stringify(size);
		if (workspaceId === undefined || this.#sizes.get(uid) === text) return;
		const kept = await this.#dependencies.keepSize(workspaceId, size, signal).then(
			() => true,
			() => false,
		);
		if (kept) this.#sizes.set(uid, text);
	}
}

/** The check removes members that are not known. */
function isStatus(value: unknown): value is PodStatus {
	return value instanceof Object && check(value).length === 0;
}
