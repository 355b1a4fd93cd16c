/** A person who talks to the agent of one session over the platform's API and answers its permission requests. */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { PermissionBehavior, PermissionRequest } from "#shared/contracts/sessions/session-control.ts";
import type { ApiClient } from "../clients/api-client.ts";
import { eventually } from "../eventually.ts";

const turnMs = 120_000;

export class AgentTalk {
	readonly #api: ApiClient;
	readonly #path: string;
	/** The permission requests so far with their answers. */
	readonly asked: (PermissionRequest & { behavior: PermissionBehavior })[] = [];

	constructor(api: ApiClient, session: string) {
		this.#api = api;
		this.#path = `/sessions/${session}`;
	}

	/**
	 * Sends a message; resolves with the agent's turn. @param behavior The answer to all permission requests meanwhile.
	 */
	async say(content: string, behavior: PermissionBehavior = "allow"): Promise<ConversationTurn> {
		return this.answer(await this.send(content), behavior);
	}

	/** Sends a message; resolves with its id. */
	async send(content: string): Promise<string> {
		const { status, body, text } = await this.#api.post<{ message_id: string }>(`${this.#path}/messages`, { content });
		if (status !== 200) throw new Error(`The message was not taken: ${status} ${text}`);
		return body.message_id;
	}

	/** Resolves with the agent's turn that answers a message. */
	async answer(message: string, behavior: PermissionBehavior = "allow"): Promise<ConversationTurn> {
		return eventually(
			async () => {
				await this.#answerPermissions(behavior);
				const { body } = await this.#api.get<{ turns: ConversationTurn[] }>(`${this.#path}/conversation`);
				return body.turns.find(({ metadata }) => metadata["in_reply_to"] === message);
			},
			{ withinMs: turnMs, everyMs: 100, what: `the answer to ${message}` },
		);
	}

	/** Answers permission requests until `isTrue`. */
	async until(isTrue: () => boolean, what: string): Promise<void> {
		const look = async (): Promise<boolean> => {
			await this.#answerPermissions("allow");
			return isTrue();
		};
		await eventually(look, { withinMs: turnMs, everyMs: 100, what });
	}

	/** Resolves to the open permission requests. */
	async waiting(): Promise<PermissionRequest[]> {
		const { body } = await this.#api.get<PermissionRequest[]>(`${this.#path}/permissions`);
		return Array.isArray(body) ? body : [];
	}

	async #answerPermissions(behavior: PermissionBehavior): Promise<void> {
		for (const request of await this.waiting()) {
			const { status } = await this.#api.post(`${this.#path}/permissions/${request.request_id}`, { behavior });
			if (status === 200) this.asked.push({ ...request, behavior });
		}
	}
}
