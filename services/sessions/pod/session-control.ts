/** Sends commands other than messages to the agent of a running session, and returns the address of its pod. */
import type { Principal } from "#shared/base/principal.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import {
	type AgentMode,
	type InterruptResult,
	type PermissionAnswered,
	type PermissionRequest,
	type PublishedWork,
	sessionControl,
} from "#shared/contracts/sessions/session-control.ts";
import {
	BadRequestError,
	ConflictError,
	NotFoundError,
	type ServiceError,
	TimeoutError,
	UpstreamError,
} from "#shared/base/errors.ts";
import type { PublishOrder } from "#shared/wire/pod/published-work.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import { refuseOthers, runningPod } from "./commanded-pod.ts";
import type { PodAddress } from "./pod-address.ts";
import { answerForm } from "./pod-answer.ts";
import type { SessionAgentClient } from "./session-agent-client.ts";
import type { SessionRecords } from "../record/session-records.ts";

type PermissionAnswer = ParamsOf<typeof sessionControl.actions.answer_permission, "session_id" | "request_id">;

/** The errors for permission answers that the pod refuses. */
const answerRefusals = {
	404: (detail: string) => new NotFoundError(detail, "PERMISSION_NOT_FOUND"),
	409: (detail: string) => new ConflictError(detail, "PERMISSION_ANSWERED"),
};

/** The errors for work that the pod cannot publish. A commit has up to 80 s and a push 60 s; large ones are rare. */
const publishRequest = {
	form: answerForm(sessionControl.actions.publish),
	timeoutMs: 90_000,
	refusals: {
		404: (detail: string, type: string): ServiceError => new NotFoundError(detail, type),
		409: (detail: string, type: string): ServiceError => new ConflictError(detail, type),
		502: (detail: string, type: string): ServiceError => new UpstreamError(detail, type),
		504: (detail: string, type: string): ServiceError => new TimeoutError(detail, type),
	},
};

const { actions } = sessionControl;

const forms = {
	interrupt: answerForm(actions.interrupt),
	permissions: answerForm(actions.permissions),
	answer: answerForm(actions.answer_permission),
	mode: answerForm(actions.mode),
};

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
		return this.#client.post(await this.#commanded(principal, id), "/api/interrupt", {}, { form: forms.interrupt });
	}

	/** Returns the open permission requests. @throws {NotFoundError} {ConflictError} {UpstreamError} */
	async permissions(principal: Principal, id: string): Promise<PermissionRequest[]> {
		const pod = runningPod(await this.#records.get(principal, id), this.#key);
		return this.#client.get(pod, "/api/permissions", { form: forms.permissions });
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
		return this.#client.post(pod, "/api/permissions", body, { form: forms.answer, refusals: answerRefusals });
	}

	/** Returns the coding agent's own mode. @throws {NotFoundError} {ConflictError} {UpstreamError} */
	async mode(principal: Principal, id: string): Promise<AgentMode> {
		const pod = runningPod(await this.#records.get(principal, id), this.#key);
		return this.#client.get(pod, "/api/mode", { form: forms.mode });
	}

	/**
	 * Chooses one of the coding agent's own modes. @throws {BadRequestError} for another one; {NotFoundError}
	 * {ForbiddenError} {ConflictError} {UpstreamError}
	 */
	async setMode(principal: Principal, id: string, mode: string): Promise<AgentMode> {
		return this.#client.post(await this.#commanded(principal, id), "/api/mode", { mode }, { form: forms.mode });
	}

	/**
	 * Commits the work of a session and pushes it to a branch. @throws {NotFoundError} also for an unknown repository;
	 * {ForbiddenError}; {ConflictError} also when the branch has other commits; {UpstreamError} {TimeoutError}
	 */
	async publish(principal: Principal, id: string, order: PublishOrder): Promise<PublishedWork> {
		return this.#client.post(await this.#commanded(principal, id), "/api/publish", order, publishRequest);
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
