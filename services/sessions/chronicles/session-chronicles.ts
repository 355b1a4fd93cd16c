/** The chronicles of a session. The first report begins one, and they may be retained when the session is deleted. */
import { randomUUID } from "node:crypto";
import { systemPrincipal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import {
	type Chronicle,
	type ChronicleReport,
	maxTimelineSeconds,
	type TimelineEntry,
} from "#shared/contracts/sessions/chronicles.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { PageRoom } from "#shared/store/pages/page-room.ts";
import type { Requester } from "../record/change-queue.ts";
import type { ChronicleDocument } from "./chronicle-collections.ts";
import { foundBranch, newDraft, reportedMembers } from "./chronicle-draft.ts";
import { type ChronicleChange, chronicleOf, type ChronicleRecords } from "./chronicle-records.ts";
import {
	type AcknowledgedReports,
	isAcknowledged,
	type ReportNumber,
	withAcknowledged,
} from "../record/acknowledged-reports.ts";
import type { SessionRecord } from "../record/session-change.ts";
import type { Timelines } from "./timelines.ts";

const keeper: Requester = { principal: systemPrincipal("chronicles") };

type ChroniclePolicy = "keep" | "remove";

export class SessionChronicles {
	readonly #records: ChronicleRecords;
	readonly #timelines: Timelines;

	constructor(records: ChronicleRecords, timelines: Timelines) {
		this.#records = records;
		this.#timelines = timelines;
	}

	/** Returns the newest chronicle. @throws {NotFoundError} when the session has none. */
	async newest(session: string): Promise<ChronicleDocument> {
		const document = await this.#records.newest(session);
		if (!document) throw new NotFoundError(`Session "${session}" has no chronicle yet`, "CHRONICLE_NOT_FOUND");
		return document;
	}

	/** Creates a draft from the present state of the session. */
	async create(requester: Requester, session: SessionRecord): Promise<ChronicleDocument> {
		const { id } = session.session;
		return this.#records.inTurn(requester, id, async () => this.#begin(session, await this.#records.newest(id)));
	}

	/**
	 * Completes the newest chronicle if it is a draft, otherwise begins a new one.
	 * @param number The number of a report that may be repeated: an acknowledged one changes nothing.
	 */
	async report(
		requester: Requester,
		session: SessionRecord,
		report: ChronicleReport,
		number?: ReportNumber,
	): Promise<ChronicleDocument> {
		return this.#records.inTurn(requester, session.session.id, async () => {
			const draft = await this.#draft(session);
			const acknowledged = (draft?.acknowledged ?? {}) as AcknowledgedReports;
			if (draft && number && isAcknowledged(acknowledged, number)) return draft;
			const change: ChronicleChange = {
				members: reportedMembers(report, session.session),
				...(number && { set: { acknowledged: withAcknowledged(acknowledged, number) } }),
			};
			return draft && this.#records.replace(draft, change);
		});
	}

	/**
	 * Adds entries to the timeline. @param number The number of a report that may be repeated: the entries of an
	 * acknowledged one change nothing.
	 */
	async addEntries(
		requester: Requester,
		session: SessionRecord,
		entries: readonly TimelineEntry[],
		number?: ReportNumber,
	): Promise<void> {
		if (entries.length === 0) return;
		const draft = await this.#records.inTurn(requester, session.session.id, () => this.#draft(session));
		await this.#timelines.add(requester, draft, entries, number);
	}

	/** Adds sentences about what does not work in a launch to the timeline. */
	async noteWarnings(session: SessionRecord, sentences: readonly string[]): Promise<void> {
		const seconds = Math.floor((now() - Date.parse(session.session.created_at)) / 1_000);
		const t = Math.min(Math.max(seconds, 0), maxTimelineSeconds);
		const entries = sentences.map((label): TimelineEntry => ({ t, type: "error", label }));
		await this.addEntries(keeper, session, entries);
	}

	/** Removes the session's timelines; its chronicles are retained or removed by `policy`. */
	async sessionDeleted(session: string, policy: ChroniclePolicy): Promise<void> {
		for (let document = await this.#records.newest(session); document; document = await this.#records.newest(session)) {
			if (policy === "remove") await this.remove(document);
			else await this.#release(document);
		}
	}

	/** Deletes a chronicle; a tombstone stays until its last event was relayed (chronicle-purge.ts). */
	async remove({ id }: ChronicleDocument): Promise<void> {
		await this.#orphan(id);
		await this.#records.change(keeper, id, ({ status }) => (status === "deleted" ? undefined : tombstone()));
	}

	async #release({ id }: ChronicleDocument): Promise<void> {
		await this.#records.change(keeper, id, () => ({
			members: { session_id: null },
			unset: ["session", "ordinal", "acknowledged"],
		}));
		await this.#timelines.remove(id);
	}

	/** Removes the deleted chronicle as the parent of chronicles of reforged sessions. */
	async #orphan(id: string): Promise<void> {
		const limit = 50;
		for (let count = limit; count === limit; ) {
			const children = await this.#records.children(id, limit);
			for (const child of children) {
				const change = { members: { parent_chronicle_id: null }, unset: ["parent"] } satisfies ChronicleChange;
				await this.#records.change(keeper, child.id, () => change);
			}
			count = children.length;
		}
	}

	/** Returns the newest chronicle if it is a draft, otherwise a new one; undefined when another writer was faster. */
	async #draft(session: SessionRecord): Promise<ChronicleDocument | undefined> {
		const newest = await this.#records.newest(session.session.id);
		if (newest?.status !== "draft") return this.#begin(session, newest);
		const change = foundBranch(chronicleOf(newest), session.session);
		return change ? this.#records.replace(newest, change) : newest;
	}

	/** Creates a draft; undefined when another writer was faster. */
	async #begin(
		{ session, document }: SessionRecord,
		former: ChronicleDocument | undefined,
	): Promise<ChronicleDocument | undefined> {
		const parent = await this.#living(document.parent_chronicle);
		const draft = newDraft({ id: randomUUID(), session, launch: document.launch, parent, former, at: now() });
		return (await this.#records.insert(draft)) ? draft : undefined;
	}

	async #living(id: string | undefined): Promise<string | undefined> {
		const found = id === undefined ? undefined : await this.#records.find(keeper.principal, id);
		return found?.status === "deleted" ? undefined : found?.id;
	}
}

function tombstone(): ChronicleChange {
	return {
		members: {},
		set: { status: "deleted", deleted_at: now() },
		unset: ["session", "ordinal", "parent", "launch", "acknowledged"],
		event: "chronicle_deleted",
	};
}

/**
 * Returns the chain of parents, the oldest first and the chronicle itself last; its length and its bytes are bounded.
 * @param parentOf Returns the parent; undefined ends the chain.
 */
export async function chainOf(
	document: ChronicleDocument,
	parentOf: (id: string) => Promise<ChronicleDocument | undefined>,
	longest = 100,
): Promise<Chronicle[]> {
	const chain = [document];
	const room = new PageRoom(longest, answerBytes);
	room.take(document.wire);
	for (let { parent } = document; parent !== undefined; ) {
		const found = await parentOf(parent);
		if (!found || chain.some(({ id }) => id === found.id) || !room.take(found.wire)) break;
		chain.unshift(found);
		parent = found.parent;
	}
	return chain.map(chronicleOf);
}
