/** Steps with sessions for tests from outside. */
import { withoutFence } from "#shared/wire/pod/fenced-output.ts";
import type { ApiClient } from "../clients/api-client.ts";
import { eventually } from "../eventually.ts";

export interface SessionView {
	id: string;
	name: string;
	status: string;
	status_reason: { code: string; message: string } | null;
	error: string | null;
	generation: number;
}

const startMs = 30_000;

/** Creates a session without waiting; an empty repository URL makes an empty workspace. */
export async function createSession(api: ApiClient, repo = "", name = "test"): Promise<SessionView> {
	const { status, body, text } = await api.post<SessionView>("/sessions", { name, source: { type: "git", repo } });
	if (status !== 201) throw new Error(`No session was created: ${status} ${text}`);
	return body;
}

/** Resolves when the session has a status. @throws {Error} when it fails, unless that is the expected status. */
export async function sessionReaches(
	api: ApiClient,
	id: string,
	status: string,
	withinMs = startMs,
): Promise<SessionView> {
	const session = await eventually(
		async () => {
			const { body } = await api.get<SessionView>(`/sessions/${id}`);
			return body.status === status || body.status === "failed" ? body : undefined;
		},
		{ withinMs, everyMs: 50, what: `session ${id} is ${status}` },
	);
	if (session.status !== status) throw new Error(`Session ${id} failed: ${session.error}`);
	return session;
}

export async function runningSession(api: ApiClient, repo = ""): Promise<SessionView> {
	const { id } = await createSession(api, repo);
	return sessionReaches(api, id, "running");
}

interface ConversationPage {
	/** The newest turns that fit into an answer. */
	turns: { content: string; metadata: { in_reply_to?: string } }[];
	is_active: boolean;
}

/** Sends a message; resolves to the agent's answer, without the fence of a command's output. */
export async function ask(api: ApiClient, id: string, content: string): Promise<string> {
	const sent = await api.post<{ message_id: string }>(`/sessions/${id}/messages`, { content });
	if (sent.status !== 200) throw new Error(`The message was not taken: ${sent.status} ${sent.text}`);
	const answer = await eventually(
		async () => {
			const { turns, is_active } = (await api.get<ConversationPage>(`/sessions/${id}/conversation`)).body;
			return is_active ? undefined : turns.find(({ metadata }) => metadata.in_reply_to === sent.body.message_id);
		},
		{ withinMs: 20_000, everyMs: 50, what: `session ${id} answers "${content}"` },
	);
	return withoutFence(answer.content);
}
