/**
 * Archives stopped sessions, one page per call. With an `Idempotency-Key`, the ids are stored before the first session
 * is archived: a repeated call finishes what a crash interrupted and gives the same answer.
 */
import type { Principal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import { ConflictError, NotFoundError, TooManyRequestsError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import { answeredBefore, commandMark } from "./command-answers.ts";
import { type IdempotencyRecords, ownerOf } from "./idempotency-records.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { Commander } from "./commander.ts";
import { commandChange, remembered } from "./session-commands.ts";
import type { SessionDecision, SessionRecords } from "../record/session-records.ts";

const pageSize = 200;
/** The sessions archived at a time: they share one commit, and other callers get their turns in between. */
const groupSize = 20;
const action = "archive_stopped";

interface StoppedPage {
	readonly items: string[];
	/** The cursor of the next call; absent when there are no more sessions. */
	readonly next?: string;
}

export class StoppedSessions {
	readonly #records: SessionRecords;
	readonly #idempotency: IdempotencyRecords;

	constructor(records: SessionRecords, idempotency: IdempotencyRecords) {
		this.#records = records;
		this.#idempotency = idempotency;
	}

	/**
	 * Archives the caller's stopped sessions (for an administrator, those of the tenant), the newest first; resolves to
	 * the archived ones.
	 * @param cursor The end of the preceding call.
	 * @throws {BadRequestError} for an invalid cursor; {UnprocessableError} when the key was used for another page.
	 */
	async archive(commander: Commander, cursor?: string): Promise<StoppedPage> {
		const { principal, key } = commander;
		if (key === undefined) return this.#archiveAll(commander, await this.#page(principal, cursor));
		const id = nameBasedUuid(principal.tenant, principal.id, action, key);
		const fingerprint = fingerprintOf({ cursor });
		const plan =
			(await this.#idempotency.find(id, fingerprint)) ?? (await this.#plan(id, fingerprint, principal, cursor));
		const page = JSON.parse(plan.wire) as StoppedPage;
		if (plan.completed === 1) return page;
		failpoint("sessions.archive-planned");
		const archived = await this.#archiveAll(commander, page);
		const answer = await this.#idempotency.complete(id, JSON.stringify(archived));
		failpoint("sessions.archive-settled");
		return JSON.parse(answer) as StoppedPage;
	}

	async #plan(id: string, fingerprint: string, principal: Principal, cursor: string | undefined) {
		const wire = JSON.stringify(await this.#page(principal, cursor));
		return this.#idempotency.add({ id, owner: ownerOf(principal), fingerprint, wire, completed: false });
	}

	async #page(principal: Principal, cursor: string | undefined): Promise<StoppedPage> {
		const filter = { by: { status: "stopped" }, limit: pageSize, cursor } as const;
		const { documents, next } = await this.#records.pages(principal, filter).page().catch(refuseCursor);
		return { items: documents.map(({ id }) => id), ...(next !== undefined && { next }) };
	}

	/** Archives a page; returns it with the sessions that are archived now. */
	async #archiveAll(commander: Commander, page: StoppedPage): Promise<StoppedPage> {
		const items: string[] = [];
		for (let from = 0; from < page.items.length; from += groupSize) {
			const group = page.items.slice(from, from + groupSize);
			const done = await Promise.all(group.map((id) => this.#archiveIfStopped(commander, id)));
			items.push(...group.filter((_id, n) => done[n]));
			failpoint("sessions.archived-group");
		}
		return { ...page, items };
	}

	/**
	 * Whether this command has archived the session, now or before a crash; a session that was restored since is not
	 * archived again. A session that cannot be archived does not affect the others.
	 */
	async #archiveIfStopped({ principal, key, deadline }: Commander, id: string): Promise<boolean> {
		const mark = commandMark(action, { principal, key }, { id });
		const decide = (record: SessionRecord): SessionDecision<boolean> => {
			if (answeredBefore(record, mark)) return { result: true };
			if (record.session.status !== "stopped") return { result: false };
			const change = commandChange(record, "archive", now());
			return { change: mark ? remembered(record, change, mark) : change, result: true };
		};
		try {
			return (await this.#records.decide(principal, id, decide, { deadline })).result;
		} catch (error) {
			if (!isOfOne(error)) throw error;
			return false;
		}
	}
}

/** Whether a failure concerns one session only. */
function isOfOne(error: unknown): boolean {
	return error instanceof NotFoundError || error instanceof ConflictError || error instanceof TooManyRequestsError;
}
