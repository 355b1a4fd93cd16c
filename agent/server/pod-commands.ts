/** The commands of the platform over HTTP, each a `POST` with a JSON object. */
import {
	type AgentMode,
	type InterruptResult,
	type PermissionAnswered,
	permissionBehaviors,
	type PublishedWork,
} from "#shared/contracts/sessions/session-control.ts";
import type { Output, Schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type PodSecrets, podSecretsFields } from "#shared/contracts/credentials/pod-secrets.ts";
import { type ModelTerms, modelTermsFields } from "#shared/wire/models/model-wire.ts";
import { type PublishOrder, publishOrderFields } from "#shared/wire/pod/published-work.ts";
import type { Commands } from "./agent-server.ts";
import type { Dialogue } from "../conversation/dialogue.ts";
import { type JsonObject, textOf } from "#shared/base/schema/parsed-json.ts";
import { RequestError } from "./request-error.ts";
import type { Permissions } from "../coding-agents/permissions.ts";

/** The parts of the pod that commands use. */
export interface CommandedPod {
	readonly sessionId: string;
	readonly dialogue: Pick<Dialogue, "interrupt">;
	readonly permissions: Permissions;
	/** Chooses one of the coding agent's own modes. Rejects with a sentence. */
	readonly setMode: (mode: string) => Promise<AgentMode>;
	/** Resolves to false when the model takes effect with the next launch. */
	readonly changeModel: (terms: ModelTerms) => Promise<boolean>;
	/** Resolves to false when the launch has no secrets that could be replaced. */
	readonly replaceSecrets: (secrets: PodSecrets) => Promise<boolean>;
	readonly publish: (order: PublishOrder) => Promise<PublishedWork>;
}

export function podCommands(pod: CommandedPod): Commands {
	const { sessionId, dialogue, permissions, setMode, changeModel, replaceSecrets, publish } = pod;
	return {
		"/api/interrupt": async (): Promise<InterruptResult> => ({
			session_id: sessionId,
			status: await dialogue.interrupt(),
		}),
		"/api/permissions": (body) => answer(permissions, body),
		"/api/mode": async ({ mode }) => {
			return setMode(textOf(mode) ?? "").catch((error: unknown) => {
				throw new RequestError(400, error instanceof Error ? error.message : String(error), "AGENT_MODE");
			});
		},
		"/api/model": async (body) => ({ applied: await changeModel(readTerms(body)) }),
		"/api/secrets": async (body) => ({ applied: await replaceSecrets(readSecrets(body)) }),
		"/api/publish": (body) => publish(readOrder(body)),
	};
}

const readTerms = readerOf(modelTermsFields, "The terms of the model cannot be read");
const readSecrets = readerOf(podSecretsFields, "The secrets cannot be read");
const readOrder = readerOf(publishOrderFields, "The order to publish cannot be read");

/**
 * Returns a function that checks a body and removes the members that the schema does not have. Its {@link RequestError}
 * has this sentence and repeats nothing of the body, which may hold secrets.
 */
function readerOf<const S extends Schema>(fields: S, sentence: string): (body: JsonObject) => Output<S> {
	const check = compileSchema(fields);
	const isValid = (body: object): body is object & Output<S> => check(body).length === 0;
	return (body) => {
		if (isValid(body)) return body;
		throw new RequestError(400, sentence);
	};
}

/** @throws the errors of Permissions.answer(). */
function answer(permissions: Permissions, { request_id, behavior, option_id }: JsonObject): PermissionAnswered {
	return permissions.answer(textOf(request_id) ?? "", {
		behavior: permissionBehaviors.find((known) => known === behavior),
		option_id: textOf(option_id),
	});
}
