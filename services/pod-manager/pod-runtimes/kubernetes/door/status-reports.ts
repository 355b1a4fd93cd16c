/** Keeps what session agents report about themselves with their pods. */
import { createHash, timingSafeEqual } from "node:crypto";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { sessionIdForm } from "#shared/contracts/sessions/session-work.ts";
import { podStatusFields } from "#shared/wire/pod/status.ts";
import type { RuntimeHost } from "../../../pod-runtime.ts";
import type { Launch } from "../../machine/launch.ts";
import type { PodObject } from "../objects/pod-object.ts";

const tokenForm = new RegExp(`^svcs_(${sessionIdForm})_(\\d{1,9})_[\\w-]{43}$`);
const check = compileSchema(podStatusFields);

export interface StatusReportsDependencies {
	readonly podToken: RuntimeHost["models"]["podToken"];
	/** Returns the pod of a launch, which may be known already; undefined when there is none. */
	readonly podOf: (launch: Launch) => Promise<PodObject | undefined>;
	/** @returns Whether the pod is there. @throws {Error} when the cluster does not answer. */
	readonly keep: (pod: PodObject, status: string) => Promise<boolean>;
}

export class StatusReports {
	readonly #dependencies: StatusReportsDependencies;

	constructor(dependencies: StatusReportsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Takes the status of the launch that a token was made for; false for another token, or when its pod is gone.
	 * @throws {SyntaxError} for what is no status; {Error} when the cluster does not answer.
	 */
	async take(token: string, content: Buffer): Promise<boolean> {
		const launch = this.#launchOf(token);
		if (!launch) return false;
		const status: unknown = JSON.parse(content.toString("utf8"));
		// The check removes members that are not known.
		if (!(status instanceof Object) || check(status).length > 0) throw new SyntaxError("This is no status");
		const pod = await this.#dependencies.podOf(launch);
		return pod !== undefined && this.#dependencies.keep(pod, JSON.stringify(status));
	}

	#launchOf(token: string): Launch | undefined {
		const [, sessionId, digits] = tokenForm.exec(token) ?? [];
		if (sessionId === undefined) return undefined;
		const launch = { sessionId, generation: Number(digits) };
		const right = this.#dependencies.podToken(sessionId, launch.generation);
		return timingSafeEqual(digest(right), digest(token)) ? launch : undefined;
	}
}

function digest(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}
