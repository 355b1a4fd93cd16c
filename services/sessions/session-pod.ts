/** The running pod of a session, as its owner may use it. */
import { randomUUID } from "node:crypto";
import type { Principal } from "#shared/bus/principal.ts";
import type { Conversation, DiffFileList, DiffPatch, FileDiff, SessionLogs } from "#shared/contracts/sessions.ts";
import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from "#shared/errors.ts";
import type { InstallationKey } from "#shared/keys.ts";
import { nameBasedUuid } from "./name-based-uuid.ts";
import type { PodAddress } from "./pod-address.ts";
import type { SessionAgentClient } from "./session-agent-client.ts";
import type { SessionRecord } from "./session-change.ts";
import { mayCommandAgent } from "./session-commands.ts";

/** Text, or content blocks of which the text ones count. */
type Content = string | Record<string, unknown>[] | null | undefined;

export interface DiffQuery {
	file?: string | undefined;
	base: string;
	format: "files" | "patch";
}

export class SessionPod {
	readonly #client: SessionAgentClient;
	readonly #key: InstallationKey;

	constructor(client: SessionAgentClient, key: InstallationKey) {
		this.#client = client;
		this.#key = key;
	}

	logs(record: SessionRecord, lines: number, level: string): Promise<SessionLogs> {
		return this.#client.get(this.#address(record), "/api/logs", { lines: String(lines), level });
	}

	conversation(record: SessionRecord, before: string | undefined): Promise<Conversation> {
		return this.#client.get(this.#address(record), "/api/conversation/history", before === undefined ? {} : { before });
	}

	/** @throws {BadRequestError} for an unknown base or a file outside the workspace. */
	diff(record: SessionRecord, { file, base, format }: DiffQuery): Promise<FileDiff | DiffFileList | DiffPatch> {
		const pod = this.#address(record);
		if (file !== undefined) return this.#client.get<FileDiff>(pod, "/api/diff", { file, base });
		if (format === "patch") return this.#client.get<DiffPatch>(pod, "/api/diff/patch", { base });
		return this.#client.get<DiffFileList>(pod, "/api/diff/files", { base });
	}

	/**
	 * Resolves to the message's id when the pod has it in its queue on disk. The same key gives the same id, and the
	 * pod takes a message with a known id only once.
	 * @throws {BadRequestError} without text; {ForbiddenError} for anybody but the owner; {ConflictError} unless running.
	 */
	async send(
		principal: Principal,
		{ session, document }: SessionRecord,
		content: Content,
		key?: string,
	): Promise<string> {
		if (!mayCommandAgent(principal, session))
			throw new ForbiddenError("Only the owner of a session may speak to its agent");
		const text = textOf(content);
		if (text === "")
			throw new BadRequestError("The message has no text: `content` is missing or empty", "MESSAGE_EMPTY");
		if (session.status !== "running") {
			throw new ConflictError(`The session is ${session.status}, not running`, "SESSION_NOT_RUNNING");
		}
		const id = key === undefined ? randomUUID() : nameBasedUuid(session.id, "message", key);
		await this.#client.send(this.#address({ session, document }), id, text);
		return id;
	}

	/** @throws {NotFoundError} when no pod listens. */
	#address({ session, document }: SessionRecord): PodAddress {
		const { id, generation, status } = session;
		if (document.address === undefined) {
			throw new NotFoundError(`Session "${id}" is ${status} and has no pod to ask; start it first`, "POD_ABSENT");
		}
		return { sessionId: id, generation, url: document.address, key: this.#key.platformKey(id, generation) };
	}
}

function textOf(content: Content): string {
	if (typeof content === "string") return content.trim() === "" ? "" : content;
	const texts = (content ?? []).map((block) =>
		block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : "",
	);
	return texts.filter((text) => text !== "").join("\n");
}
