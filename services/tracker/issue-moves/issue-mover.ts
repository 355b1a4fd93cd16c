/**
 * Moves issues: tries each move with the tracker of the session's owner, and again after failures that may pass. A move
 * that was made before its process died is made again, which changes nothing.
 */
import { bound } from "#shared/base/bounds.ts";
import { backoffMs } from "#shared/base/concurrency/backoff.ts";
import { type Owner, personKey } from "#shared/base/principal.ts";
import {
	BadRequestError,
	ForbiddenError,
	NotFoundError,
	ServiceError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
} from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { chosen, type ConnectedTrackers } from "../trackers/connected-trackers.ts";
import { cut } from "../trackers/issue-form.ts";
import type { HeldMove, IssueMoves, MoveOutcome } from "./issue-moves.ts";
import type { MoveDocument } from "./move-collection.ts";

const postponeMs = 2_000;

/** The most tries of one move; with these waits they take about 40 minutes. */
export const maxAttempts = 8;
const waits = { firstMs: 5_000, maxMs: 900_000, factor: 3 };

/** Another try would fail alike. */
const lasting = [BadRequestError, ForbiddenError, NotFoundError, UnauthorizedError, UnprocessableError];

interface Dependencies {
	readonly moves: IssueMoves;
	readonly trackers: Pick<ConnectedTrackers, "of" | "open">;
	/** Returns the issue of a person's session; undefined when it has none, or does not exist. */
	readonly issueOf: (person: Owner, session: string) => Promise<string | undefined>;
	/** Receives failures of the platform itself. */
	readonly onError: (error: unknown) => void;
}

/** The mover of one process. Its owner calls `look` again and again. */
export class IssueMover {
	readonly #dependencies: Dependencies;
	/** The tries under way, and the persons for whom they are. */
	readonly #tries = new Map<Promise<void>, string>();

	constructor(dependencies: Dependencies) {
		this.#dependencies = dependencies;
	}

	/** Begins tries of moves whose time has come; does not wait for them. */
	async look(): Promise<void> {
		const room = bound.trackerTries - this.#tries.size;
		if (room <= 0) return;
		for (const document of await this.#dependencies.moves.due(room)) await this.#begin(document);
	}

	/** Resolves when no try is under way. */
	async settled(): Promise<void> {
		while (this.#tries.size > 0) await Promise.all(this.#tries.keys());
	}

	async #begin(document: MoveDocument): Promise<void> {
		const { tenant = "", owner = "" } = document;
		const person = personKey(tenant, owner);
		const running = [...this.#tries.values()].filter((other) => other === person).length;
		if (running >= bound.trackerTriesOfOne) return this.#dependencies.moves.postpone(document, postponeMs);
		const held = await this.#dependencies.moves.hold(document);
		if (!held) return;
		const work = this.#try(held).catch(this.#dependencies.onError);
		this.#tries.set(work, person);
		void work.finally(() => this.#tries.delete(work));
	}

	async #try(held: HeldMove): Promise<void> {
		const { moves, issueOf } = this.#dependencies;
		const person = { tenant: held.tenant, id: held.owner };
		let issue = held.issue;
		try {
			issue ??= await issueOf(person, held.session);
			if (issue === undefined) return await moves.drop(held);
			await this.#move(person, issue, held);
			failpoint("issue-moves.moved");
		} catch (error) {
			return moves.settle(held, { issue, ...afterFailure(error, held.move.attempts) });
		}
		await moves.settle(held, { state: "done", issue, error: null });
	}

	/** @throws {ServiceError} */
	async #move(person: Owner, issue: string, { wish, move }: HeldMove): Promise<void> {
		const { trackers } = this.#dependencies;
		const { connections, warnings } = await trackers.of(person);
		// Another tracker than the right one might be chosen, because a connection may be missing.
		if (warnings.length > 0) throw new UnavailableError(warnings.join("; "), "CONNECTIONS_UNAVAILABLE");
		const connection = chosen(connections, wish);
		if (!connection) throw new NotFoundError("The owner of the session has no such tracker", "NO_TRACKER");
		await (await trackers.open(person, connection)).setStatus(issue, move.status);
	}
}

/** Returns what follows from a failure. Only sentences of our own errors are shown. */
export function afterFailure(error: unknown, attempts: number): MoveOutcome {
	const sentence = error instanceof ServiceError ? error.message : "The issue could not be moved";
	const isLasting = lasting.some((one) => error instanceof one) || attempts >= maxAttempts;
	if (isLasting) return { state: "failed", error: cut(sentence, 1_000) };
	return { state: "waiting", error: cut(sentence, 1_000), waitMs: backoffMs(attempts, waits) };
}
