/** Keeps what session agents report about themselves with their pods. */
import { LRUCache } from "lru-cache";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { launchOfToken } from "#shared/base/secrets/pod-token.ts";
import { type MeasuredSize, type PodStatus, podStatusFields } from "#shared/wire/pod/status.ts";
import { maxRemembered, type RuntimeHost } from "../../../pod-runtime.ts";
import type { Launch } from "../../machine/launch.ts";
import { label } from "../objects/cluster-names.ts";
import type { PodObject } from "../objects/pod-object.ts";

const check = compileSchema(podStatusFields);

export interface StatusReportsDependencies {
	readonly podToken: RuntimeHost["models"]["podToken"];
	/** Returns the pod of a launch, which may be known already; undefined when there is none. */
	readonly podOf: (launch: Launch) => Promise<PodObject | undefined>;
	/** @returns Whether the pod is there. @throws {Error} when the cluster does not answer. */
	readonly keep: (pod: PodObject, status: string) => Promise<boolean>;
	/** Keeps the size of what is in a workspace. @throws {Error} when it cannot be kept. */
	readonly keepSize: (workspaceId: string, size: MeasuredSize) => Promise<void>;
}

export class StatusReports {
	readonly #dependencies: StatusReportsDependencies;
	/** The sizes that were kept last, by the uids of pods. */
	readonly #sizes = new LRUCache<string, string>({ max: maxRemembered });

	constructor(dependencies: StatusReportsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Takes the status of the launch that a token was made for; false for another token, or when its pod is gone.
	 * @throws {SyntaxError} for what is no status; {Error} when the cluster does not answer.
	 */
	async take(token: string, content: Buffer): Promise<boolean> {
		const launch = launchOfToken(token, this.#dependencies.podToken);
		if (!launch) return false;
		const status: unknown = JSON.parse(content.toString("utf8"));
		if (!isStatus(status)) throw new SyntaxError("This is no status");
		const { measured, ...rest } = status;
		const pod = await this.#dependencies.podOf(launch);
		if (!pod || !(await this.#dependencies.keep(pod, JSON.stringify(rest)))) return false;
		if (measured) await this.#measured(pod, measured);
		return true;
	}

	/** Each status repeats the size. One that cannot be kept comes again with another status, and ends no session. */
	async #measured({ metadata: { uid, labels } }: PodObject, size: MeasuredSize): Promise<void> {
		const workspaceId = labels?.[label.workspace];
		const text = JSON.stringify(size);
		if (workspaceId === undefined || this.#sizes.get(uid) === text) return;
		const kept = await this.#dependencies.keepSize(workspaceId, size).then(
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
