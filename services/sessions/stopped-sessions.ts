/**
 * Archives all stopped sessions at once. With an Idempotency-Key, which ones is written down before the first is
 * archived: a repeat finishes what a crash has left and gives the same answer.
 */
import type { Principal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import { NotFoundError } from "#shared/errors.ts";
import { failpoint } from "#shared/failpoints.ts";
import { answeredBefore, commandMark } from "./command-answers.ts";
import { type KeptAnswers, ownerOf } from "./kept-answers.ts";
import { nameBasedUuid } from "./name-based-uuid.ts";
import { type Commander, commandChange, remembered } from "./session-commands.ts";
import type { SessionRecords } from "./session-records.ts";

const pageSize = 100;
const action = "archive_stopped";

export class StoppedSessions {
	readonly #records: SessionRecords;
	readonly #kept: KeptAnswers;

	constructor(records: SessionRecords, kept: KeptAnswers) {
		this.#records = records;
		this.#kept = kept;
	}

	/** The caller's own (an administrator's call covers the tenant); resolves to the ids of those archived. */
	async archive({ principal, key }: Commander): Promise<string[]> {
		if (key === undefined) return this.#archiveAll({ principal }, await this.#ids(principal));
		const id = nameBasedUuid(principal.tenant, principal.id, action, key);
		const plan = (await this.#kept.find(id, "")) ?? (await this.#plan(id, principal));
		const ids = JSON.parse(plan.wire) as string[];
		if (plan.settled === 1) return ids;
		failpoint("sessions.archive-planned");
		const archived = await this.#archiveAll({ principal, key }, ids);
		const answer = await this.#kept.settle(id, JSON.stringify(archived));
		failpoint("sessions.archive-settled");
		return JSON.parse(answer) as string[];
	}

	async #plan(id: string, principal: Principal) {
		const wire = JSON.stringify(await this.#ids(principal));
		return this.#kept.add({ id, owner: ownerOf(principal), fingerprint: "", wire, settled: false });
	}

	async #ids(principal: Principal): Promise<string[]> {
		const ids: string[] = [];
		let cursor: string | undefined;
		do {
			const page = await this.#records.page(principal, { by: { status: "stopped" }, limit: pageSize, cursor });
			ids.push(...page.documents.map(({ id }) => id));
			cursor = page.next;
		} while (cursor !== undefined);
		return ids;
	}

	async #archiveAll(commander: Commander, ids: readonly string[]): Promise<string[]> {
		const archived: string[] = [];
		for (const id of ids) {
			if (!(await this.#archiveIfStopped(commander, id))) continue;
			archived.push(id);
			failpoint("sessions.archived-one");
		}
		return archived;
	}

	/** Whether this command has archived the session, now or before a crash; who restored it since is not overruled. */
	async #archiveIfStopped({ principal, key }: Commander, id: string): Promise<boolean> {
		const mark = commandMark(action, key, { id });
		let done = false;
		try {
			await this.#records.change(principal, id, (record) => {
				const before = answeredBefore(record, mark) !== undefined;
				done = before || record.session.status === "stopped";
				if (before || !done) return undefined;
				const change = commandChange(record, "archive", now());
				return mark ? remembered(record, change, mark) : change;
			});
		} catch (error) {
			if (!(error instanceof NotFoundError)) throw error;
			return false;
		}
		return done;
	}
}
