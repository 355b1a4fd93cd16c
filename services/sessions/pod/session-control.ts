/** Sends commands other than messages to the agent of a running session, and returns the address of its pod. */
import type { Principal } from "#shared/bus/principal.ts";
import type {
	InterruptResult,
	PermissionAnswered,
	PermissionBehavior,
	PermissionRequest,
} from "#shared/contracts/session-control.ts";
import { BadRequestError, ConflictError, NotFoundError } from "#shared/errors.ts";
import type { InstallationKey } from "#shared/secrets/keys.ts";
import { refuseOthers, runningPod } from "./commanded-pod.ts";
import type { PodAddress } from "./pod-address.ts";
import type { SessionAgentClient } from "./session-agent-client.ts";
import type { SessionRecords } from "../record/session-records.ts";

/** A person's answer to a permission request. */
export interface PermissionAnswer {
	readonly behavior?: PermissionBehavior | null | undefined;
	readonly option_id?: string | null | undefined;
}

/** The errors for permission answers that the pod refuses. */
const answerRefusals = {
	404: (detail: string) => new NotFoundError(detail, "PERMISSION_NOT_FOUND"),
	409: (detail: string) => new ConflictError(detail, "PERMISSION_ANSWERED"),
};

/** The commands to the agents of running sessions. */
export class SessionControl {
	readonly #records: Pick<SessionRecords, "get">;
	readonly #client: SessionAgentClient;
	readonly #key: InstallationKey;

	constructor(records: Pick<SessionRecords, "get">, client: SessionAgentClient, key: InstallationKey) {
		this.#records = records;
		this.#client = client;
		this.#key = key;
	}

	/** Interrupts the turn under way. @throws {NotFoundError} {ForbiddenError} {ConflictError} {UpstreamError} */
	async interrupt(principal: Principal, id: string): Promise<InterruptResult> {
		return this.#client.post<InterruptResult>(await this.#commanded(principal, id), "/api/interrupt", {});
	}

	/** Returns the open permission requests. @throws {NotFoundError} {ConflictError} {UpstreamError} */
	async permissions(principal: Principal, id: string): Promise<PermissionRequest[]> {
		const pod = runningPod(await this.#records.get(principal, id), this.#key);
		return this.#client.get<PermissionRequest[]>(pod, "/api/permissions");
	}

	/**
	 * Answers a permission request. @throws {BadRequestError} without an answer; {NotFoundError} {ForbiddenError}
	 * {ConflictError} {UpstreamError}
	 */
	async answer(
		principal: Principal,
		id: string,
		request_id: string,
		{ behavior, option_id }: PermissionAnswer,
	): Promise<PermissionAnswered> {
		const pod = await this.#commanded(principal, id);
		const answer = { ...(behavior && { behavior }), ...(option_id && { option_id }) };
		if (Object.keys(answer).length === 0) {
			throw new BadRequestError("An answer needs `behavior` or `option_id`", "PERMISSION_ANSWER");
		}
		const body = { request_id, ...answer };
		return this.#client.post<PermissionAnswered>(pod, "/api/permissions", body, { refusals: answerRefusals });
	}

	/**
	 * Returns the pod to which the chat of the session is bridged. @throws {NotFoundError} {ForbiddenError}
	 * {ConflictError}
	 */
	async chat(principal: Principal, id: string): Promise<{ generation: number; address: string }> {
		const { generation, url } = await this.#commanded(principal, id);
		return { generation, address: url };
	}

	async #commanded(principal: Principal, id: string): Promise<PodAddress> {
		const record = await this.#records.get(principal, id);
		refuseOthers(principal, record);
		return runningPod(record, this.#key);
	}
}
