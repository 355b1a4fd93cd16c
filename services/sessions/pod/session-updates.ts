/**
 * Updates of sessions: stored first, and then applied to the running pod where that is possible
 * (docs/decisions/0046-a-model-is-changed-at-its-provider.md).
 */
import type { Principal } from "#shared/base/principal.ts";
import type { EffectTime, UpdatedSession } from "#shared/contracts/sessions/session-resource.ts";
import { ServiceError } from "#shared/base/errors.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { KnownModels } from "../commands/known-models.ts";
import { refuseBadRef } from "../workspace-sources/session-source.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionRecords } from "../record/session-records.ts";
import { refuseForeignUpdate } from "../commands/session-rights.ts";
import { type SessionUpdate, updateChange } from "../record/session-update.ts";
import { podAddress } from "./pod-address.ts";
import { podForm } from "./pod-answer.ts";
import type { SessionAgentClient } from "./session-agent-client.ts";

interface SessionUpdatesDependencies {
	readonly records: SessionRecords;
	readonly models: KnownModels;
	readonly client: SessionAgentClient;
	readonly key: InstallationKey;
}

/** The time that a pod has to take another model, in milliseconds. */
const switchRequest = {
	timeoutMs: 3_000,
	form: podForm({ applied: { type: "boolean" } }),
};

export class SessionUpdates {
	readonly #dependencies: SessionUpdatesDependencies;

	constructor(dependencies: SessionUpdatesDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Stores the update; resolves to the session after it, with the times from which its settings have an effect.
	 * @throws {UnprocessableError} for an unknown model or a branch that cannot be; {NotFoundError} {ConflictError};
	 * {ForbiddenError} for members that only the owner may change
	 */
	async update(
		principal: Principal,
		id: string,
		asked: SessionUpdate,
		deadline: number | undefined,
	): Promise<UpdatedSession> {
		const { records, models } = this.#dependencies;
		const update = models.named(asked);
		const { model, branch, base_branch } = update;
		for (const ref of [branch, base_branch]) refuseBadRef(ref ?? "");
		if (model) models.refuseUnknown(model);
		const decide = (record: SessionRecord) => {
			refuseForeignUpdate(principal, record.session, update);
			return updateChange(record, update);
		};
		const record = await records.change(principal, id, decide, { deadline });
		return {
			...record.session,
			applies: {
				...(model && { model: await this.#applyModel(record, model) }),
				...(branch && record.session.source.type === "git" && { branch: settingsTime(record) }),
			},
		};
	}

	/** A pod that cannot be asked goes on with its model; the next launch has the other one in any case. */
	async #applyModel(record: SessionRecord, model: string): Promise<EffectTime> {
		const terms = this.#dependencies.models.termsOf(model);
		if (record.session.status !== "running" || !terms) return settingsTime(record);
		try {
			const pod = podAddress(record, this.#dependencies.key);
			const { applied } = await this.#dependencies.client.post(pod, "/api/model", terms, switchRequest);
			return applied ? "now" : "next_start";
		} catch (error) {
			if (error instanceof ServiceError) return "next_start";
			throw error;
		}
	}
}

/** A launch that no pod manager has claimed yet is made with the settings of now. */
function settingsTime({ session: { status }, document }: SessionRecord): EffectTime {
	return status === "starting" && document.claimed_at === undefined ? "now" : "next_start";
}
