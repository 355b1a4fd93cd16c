/** The pod of a session, as its owner may use it. */
import { randomUUID } from "node:crypto";
import type { Principal } from "#shared/base/principal.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import {
	type DiffFileList,
	diffFileList,
	type DiffPatch,
	diffPatch,
	type FileDiff,
	fileDiff,
} from "#shared/contracts/sessions/session-diff.ts";
import { type ConversationPage, type SessionLogs, sessions } from "#shared/contracts/sessions/sessions.ts";
import { BadRequestError, ServiceError } from "#shared/base/errors.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import { historyPage } from "#shared/wire/pod/conversation-history.ts";
import { logTail, plainEntry } from "#shared/wire/pod/log/log-tail.ts";
import { pathBelow } from "#shared/wire/pod/path-below.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import { StoredDiffs } from "../history/stored-diffs.ts";
import { type IdempotencyRecords, ownerOf } from "../commands/idempotency-records.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { refuseOthers, refuseUnlessRunning } from "./commanded-pod.ts";
import { type PodAddress, podAddress } from "./pod-address.ts";
import { answerForm, type PodForm, podForm } from "./pod-answer.ts";
import type { SessionAgentClient } from "./session-agent-client.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { SessionHistory } from "../history/session-history.ts";

/** The content of a message: a text, or content blocks, of which only texts count. */
type Content = string | Record<string, unknown>[] | null | undefined;

type DiffQuery = ParamsOf<typeof sessions.actions.diff, "session_id">;

/** The bases of a diff, each with its stored patch. */
const bases = ["last-commit", "default-branch"] as const;

/** The time for a diff in milliseconds: git takes a while in a large workspace, and callers wait up to 8 s. */
const diffTerms = { timeoutMs: 7_500 };

const forms = {
	logs: answerForm(sessions.actions.logs),
	conversation: answerForm(sessions.actions.conversation),
	fileDiff: podForm(fileDiff),
	patch: podForm(diffPatch),
	fileList: podForm(diffFileList),
};

interface SessionPodDependencies {
	readonly client: SessionAgentClient;
	readonly key: InstallationKey;
	readonly history: SessionHistory;
	readonly idempotency: IdempotencyRecords;
}

/** The requests to pods, with answers from the history when there is no pod. */
export class SessionPod {
	readonly #dependencies: SessionPodDependencies;
	readonly #diffs = new StoredDiffs();

	constructor(dependencies: SessionPodDependencies) {
		this.#dependencies = dependencies;
	}

	close(): Promise<void> {
		return this.#diffs.close();
	}

	/** Returns the newest entries of the log, without control characters, whoever has written them. */
	async logs(record: SessionRecord, lines: number, level: string): Promise<SessionLogs> {
		const answer = await this.#ask<SessionLogs>(record, {
			alive: (pod) =>
				this.#dependencies.client.get(pod, "/api/logs", { form: forms.logs, query: { lines: String(lines), level } }),
			gone: async (session_id) => {
				const stored = await this.#dependencies.history.logs(session_id);
				return stored && { session_id, ...logTail(stored, lines, level) };
			},
		});
		return { ...answer, lines: answer.lines.map(plainEntry) };
	}

	/** Returns a page of the conversation. @param before The id of a turn: only older ones are returned. */
	conversation(record: SessionRecord, before: string | undefined): Promise<ConversationPage> {
		const query = before === undefined ? {} : { before };
		return this.#ask(record, {
			alive: (pod) =>
				this.#dependencies.client.get(pod, "/api/conversation/history", { form: forms.conversation, query }),
			gone: async (id) => {
				const stored = await this.#dependencies.history.turns(id, before);
				return stored && { ...historyPage(stored, before), is_active: false, last_activity: "" };
			},
		});
	}

	/** Returns a diff. @throws {BadRequestError} for an unknown base or a file outside the workspace. */
	diff(principal: Principal, record: SessionRecord, query: DiffQuery): Promise<FileDiff | DiffFileList | DiffPatch> {
		return this.#ask<FileDiff | DiffFileList | DiffPatch>(record, {
			alive: (pod) => this.#liveDiff(pod, query),
			gone: (id) => this.#storedDiff(principal, id, query),
		});
	}

	/**
	 * Sends a message; resolves to its id when the pod has it in its queue on disk. The same key gives the same id, and
	 * the pod takes a message with a known id only once.
	 * @throws {BadRequestError} without text; {ForbiddenError} for callers other than the owner; {ConflictError} unless
	 * running; {UnprocessableError} when the key was used for another message.
	 */
	async send(principal: Principal, record: SessionRecord, content: Content, key?: string): Promise<string> {
		refuseOthers(principal, record);
		const text = textOf(content);
		if (text === "")
			throw new BadRequestError("The message has no text: `content` is missing or empty", "MESSAGE_EMPTY");
		refuseUnlessRunning(record);
		const id = key === undefined ? randomUUID() : nameBasedUuid(record.session.id, "message", key);
		// The reservation precedes the message, because the pod would treat another text with a known id as a
		// repetition and drop it. The pod is looked for afterwards: a key is used also when no pod is there.
		if (key !== undefined)
			await this.#dependencies.idempotency.reserveMessage(id, ownerOf(principal), fingerprintOf(text));
		await this.#dependencies.client.send(podAddress(record, this.#dependencies.key), id, text);
		return id;
	}

	/**
	 * Asks the pod while it lives, and the history afterwards.
	 * @throws {NotFoundError} without both; {UpstreamError} when the pod fails and nothing is stored.
	 */
	async #ask<T>(record: SessionRecord, { alive, gone }: Sources<T>): Promise<T> {
		try {
			return await alive(podAddress(record, this.#dependencies.key));
		} catch (error) {
			if (!isOutOfReach(error)) throw error;
			const stored = await gone(record.session.id);
			if (stored === undefined) throw error;
			return stored;
		}
	}

	#liveDiff(pod: PodAddress, { file, base, format }: DiffQuery): Promise<FileDiff | DiffFileList | DiffPatch> {
		const asked = <T>(form: PodForm<T>) => ({
			...diffTerms,
			form,
			query: { ...(file !== undefined && { file }), base },
		});
		if (file !== undefined) return this.#dependencies.client.get<FileDiff>(pod, "/api/diff", asked(forms.fileDiff));
		if (format === "patch") return this.#dependencies.client.get<DiffPatch>(pod, "/api/diff/patch", asked(forms.patch));
		return this.#dependencies.client.get<DiffFileList>(pod, "/api/diff/files", asked(forms.fileList));
	}

	async #storedDiff(
		principal: Principal,
		id: string,
		query: DiffQuery,
	): Promise<FileDiff | DiffFileList | DiffPatch | undefined> {
		const { file, base } = query;
		const known = bases.find((one) => one === base);
		if (!known) throw new BadRequestError(`There is no base "${base}"; known: ${bases.join(", ")}`);
		const path = file === undefined ? undefined : pathBelow(file);
		if (file !== undefined && path === undefined)
			throw new BadRequestError(`"${file}" is no path of a file below the workspace`);
		const stored = await this.#dependencies.history.patch(id, known);
		return stored && this.#diffs.answer(principal, { ...stored, path, format: query.format });
	}
}

function textOf(content: Content): string {
	if (typeof content === "string") return content.trim() === "" ? "" : content;
	const texts = (content ?? []).map((block) =>
		block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : "",
	);
	return texts.filter((text) => text !== "").join("\n");
}

interface Sources<T> {
	readonly alive: (pod: PodAddress) => Promise<T>;
	/** Reads the history; undefined when nothing is stored. */
	readonly gone: (id: string) => Promise<T | undefined>;
}

function isOutOfReach(error: unknown): boolean {
	return error instanceof ServiceError && (error.type === "POD_ABSENT" || error.type === "POD_UNREACHABLE");
}
