/** Hands out work to the pod manager: sessions are leased to one pass at a time, and only the newest lease may report. */
import { failpoint } from "#shared/base/failpoints.ts";
import { now } from "#shared/base/clock.ts";
import type { Claim, Expectation, Observation, PassReport } from "#shared/contracts/sessions/session-work.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Outbox } from "#shared/store/port/outbox.ts";
import type { DepartedOwners } from "#shared/bus/departed-owners.ts";
import { RunEnds } from "./run-ends.ts";
import { claimOf, expectationOf } from "./claim-forms.ts";
import { dueSessions } from "./due-sessions.ts";
import { newLaunchWarnings } from "./launch-warnings.ts";
import { addressChange, isReconciled, observationChange } from "./observation-change.ts";
import { type HostBinding, mayActFor, severalHosts } from "../record/host-binding.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";
import { both, type ColumnChange, type SessionRecord, statusOf } from "../record/session-change.ts";
import {
	mustBeReported,
	LaunchPlaces,
	leavesPlace,
	ownerOf,
	placeAfter,
	waitingChange,
} from "../record/launch-places.ts";
import { PassShares } from "./pass-shares.ts";
import { isLeased, type LaunchPlace, leaseChange } from "./session-lease.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { SessionWorkspaces } from "../workspaces/session-workspaces.ts";

/** The most bytes of the launches in one answer, as JSON; the rest is for the envelope. */
const maxLaunchBytes = maxMessageBytes - 65_536;

/** The delay of the next pass over a tombstone whose last event is still waiting, in milliseconds. */
const tombstoneMs = 500;

/**
 * The columns with the desired pods of a session and the order of pages; the launch, which may contain a long prompt,
 * is not read.
 */
const expectedColumns = ["created_at", "desired", "host", "generation"] as const;

/** The most sessions whose owners are told in one claim that they wait for a place. */
const maxReported = 16;

type IsHere = (document: SessionDocument) => boolean;

const unseen: Observation = { phase: "blocked", timings: {}, purged: false };

const reporter = systemPrincipal("session-work");

export interface ClaimDependencies {
	readonly records: SessionRecords;
	readonly workspaces: SessionWorkspaces;
	/** Says which hosts may act for a session; default: those of several hosts. */
	readonly binding?: HostBinding;
	/** Called when a session needs another pass at once. */
	readonly hint: (id: string) => void;
	/** Releases what a pod held that is gone; default: pods hold nothing. */
	readonly podGone?: (document: SessionDocument) => Promise<void>;
	/** Adds new warnings of a launch to the timeline of the session; default: nobody does. */
	readonly noteWarnings?: (record: SessionRecord, sentences: readonly string[]) => Promise<void>;
	/** Says whose owners have departed; default: nobody's. */
	readonly departed?: Pick<DepartedOwners, "among">;
	/** Erases what else is stored of a session, before its document is removed. */
	readonly forget: (document: SessionDocument) => Promise<void>;
}

interface Claimer {
	/** The most sessions of one owner that start at a time; further ones stay due. Default no bound. */
	readonly startingPerOwner?: number | undefined;
	/** The most sessions of one owner that it works on at a time; further ones stay due. Default no bound. */
	readonly passesPerOwner?: number | undefined;
	/** The sessions that it works on already, by the key of their owner. */
	readonly underWay?: Readonly<Record<string, number>>;
	/** Its host; absent: it acts for the sessions of all hosts. */
	readonly host?: string | undefined;
}

export class SessionClaims {
	readonly #store: Documents & Outbox;
	readonly #dependencies: ClaimDependencies;
	readonly #binding: HostBinding;
	readonly #podGone: (document: SessionDocument) => Promise<void>;
	readonly #ends: RunEnds;
	/** The owners of sessions that waited for a place at the last claim. */
	#waiting: ReadonlySet<string> = new Set();

	constructor(store: Documents & Outbox, dependencies: ClaimDependencies) {
		this.#store = store;
		this.#dependencies = dependencies;
		this.#binding = dependencies.binding ?? severalHosts;
		this.#podGone = dependencies.podGone ?? (async () => {});
		this.#ends = new RunEnds(dependencies);
	}

	/**
	 * Leases due sessions, one of each owner in rotation, for each owner the longest waiting first, as many as it may work
	 * on; with `ids`, those sessions, whether due or not. Returns as many as fit into an answer. A session that cannot be
	 * leased does not affect the others.
	 * @throws {Error} when none can be leased.
	 */
	async claim(
		limit: number,
		ids?: readonly string[],
		{ startingPerOwner = Number.POSITIVE_INFINITY, passesPerOwner, underWay, host }: Claimer = {},
	): Promise<Claim[]> {
		const at = now();
		const places = await LaunchPlaces.read(this.#store, startingPerOwner, at);
		const isHere = this.#isOn(host);
		const selection = { at, limit, isHere, shares: new PassShares(passesPerOwner, underWay) };
		const candidates = ids ? await this.#admitted(ids, places, isHere) : await this.#due(selection, places);
		const free = candidates.slice(0, limit).filter((document) => !isLeased(document, at));
		const claims: Claim[] = [];
		const failures: unknown[] = [];
		for (const document of await this.#ends.withOwners(fitting(free), at)) {
			try {
				const claimed = await this.#claimOne(document, at, host);
				if (claimed) claims.push(claimOf(claimed));
			} catch (error) {
				failures.push(error);
			}
		}
		if (!ids) await this.#reportWaiting(places.held, startingPerOwner, at);
		if (claims.length === 0 && failures.length > 0) throw failures[0];
		return claims;
	}

	/** Takes a report; returns false when a newer lease exists or the session is gone. */
	async report(report: PassReport): Promise<boolean> {
		const { id, fence, generation, observed } = report;
		const decide = (current: SessionRecord) => {
			const isInterrupted = current.document.rev !== current.document.claimed_rev;
			const isOurs = current.document.fence === fence && current.document.generation === generation;
			const change = isOurs ? observationChange(current, observed, now()) : undefined;
			const warned = newLaunchWarnings(current.session.warnings, change?.members.warnings ?? []);
			return { result: { isInterrupted, warned }, change };
		};
		try {
			const decided = await this.#dependencies.records.decide(reporter, id, decide, { guard: { fence } });
			const { record, result } = decided;
			failpoint("sessions.observed");
			if (record.document.fence !== fence) return false;
			await this.#noteWarnings(record, result.warned);
			const taken = result.isInterrupted
				? await this.#requeueNow(record.document)
				: await this.#releaseLease(record, report);
			if (leavesPlace(record.document, observed) && this.#waiting.has(ownerOf(record.document)))
				this.#dependencies.hint(id);
			return taken;
		} catch (error) {
			if (error instanceof NotFoundError) return false;
			throw error;
		}
	}

	/** A purge needs a later lease, so nothing is added after it. */
	async #noteWarnings(record: SessionRecord, warned: readonly string[]): Promise<void> {
		if (warned.length === 0) return;
		// The session has the warnings; its timeline may lack them when it cannot be written now.
		await this.#dependencies.noteWarnings?.(record, warned).catch(() => {});
	}

	/** Returns a page of the desired states of all sessions, so that pods without a session can be found. */
	async expected(limit: number, after?: string, host?: string): Promise<{ sessions: Expectation[]; next?: string }> {
		const page = { limit, columns: expectedColumns, ...(after !== undefined && { after }) };
		const { documents, next } = await this.#store.find(sessionCollection, "created", { equals: [] }, page);
		return { sessions: documents.filter(this.#isOn(host)).map(expectationOf), ...(next !== undefined && { next }) };
	}

	async expectedOf(ids: readonly string[], host?: string): Promise<{ sessions: Expectation[] }> {
		return { sessions: (await this.#named(ids, expectedColumns)).filter(this.#isOn(host)).map(expectationOf) };
	}

	/** Returns the present launch of a session that shall run with this generation; undefined for every other one. */
	async launchOf(id: string, generation: number): Promise<Claim | undefined> {
		const document = await this.#store.get(sessionCollection, id);
		return document?.desired === "run" && document.generation === generation ? claimOf(document) : undefined;
	}

	/** Returns the name of the model that a session has now; empty: the default. @throws {NotFoundError} */
	async modelOf(id: string): Promise<string> {
		const document = await this.#store.get(sessionCollection, id, ["launch"]);
		if (!document) throw new NotFoundError(`Session "${id}" does not exist`, "SESSION_NOT_FOUND");
		const { model } = Object(document.launch);
		return typeof model === "string" ? model : "";
	}

	/** Returns whether a pod manager on this host may act for a session. */
	#isOn(host: string | undefined): IsHere {
		return (document) => mayActFor(this.#binding, document.host, host);
	}

	async #due(selection: Parameters<typeof dueSessions>[2], places: LaunchPlaces): Promise<SessionDocument[]> {
		const due = await dueSessions(this.#store, places, selection);
		return this.#named(due.map(({ id }) => id));
	}

	async #admitted(ids: readonly string[], places: LaunchPlaces, isHere: IsHere): Promise<SessionDocument[]> {
		return (await this.#named(ids)).filter(isHere).filter((document) => places.admits(document));
	}

	/** Reports to owners that their sessions wait. A failure affects nothing else. */
	async #reportWaiting(held: readonly SessionDocument[], startingPerOwner: number, at: number): Promise<void> {
		this.#waiting = new Set(held.map(ownerOf));
		const unreported = held.filter((document) => mustBeReported(document, at)).slice(0, maxReported);
		const report = ({ id }: SessionDocument) =>
			this.#dependencies.records.change(reporter, id, (record) =>
				// Another process may have claimed it meanwhile.
				isLeased(record.document, at) ? undefined : waitingChange(record, startingPerOwner, at),
			);
		await Promise.allSettled(unreported.map(report));
	}

	async #named(ids: readonly string[], columns?: typeof expectedColumns): Promise<SessionDocument[]> {
		const found = await Promise.all(ids.map((id) => this.#store.get(sessionCollection, id, columns)));
		return found.filter((document) => document !== undefined);
	}

	/** Applies an expired deadline: while no runtime can see the pods, no report arrives that would apply it. */
	async #expireDeadline(document: SessionDocument, at: number): Promise<SessionDocument> {
		if (document.deadline_at === undefined || at <= document.deadline_at) return document;
		const expire = (record: SessionRecord) => observationChange(record, unseen, at);
		return (await this.#dependencies.records.change(reporter, document.id, expire)).document;
	}

	/** Leases a session. One that shall run has its workspace then, or it has failed. */
	async #claimOne(found: SessionDocument, at: number, host?: string): Promise<SessionDocument | undefined> {
		const document = await this.#expireDeadline(found, at);
		if (document.desired !== "run") return this.#lease(document, at);
		const { isAlone } = this.#binding;
		const hold = await this.#dependencies.workspaces.hold(document, host, isAlone);
		if ("elsewhere" in hold) return this.#bind(document, hold.elsewhere);
		const bound = isAlone ? host : (document.host ?? host);
		if ("workspace" in hold)
			return this.#lease(document, at, { workspace: hold.workspace, ...(bound && { host: bound }) });
		return this.#lease(await this.#ends.fail(document, hold.failure, at), at);
	}

	/** Leaves a session to the host that its workspace is on. */
	async #bind({ id, fence = 0, rev = 0 }: SessionDocument, host: string): Promise<undefined> {
		await this.#store.update(sessionCollection, id, { equals: { fence, rev } }, { set: { host } });
		this.#dependencies.hint(id);
	}

	#lease(document: SessionDocument, at: number, place?: LaunchPlace): Promise<SessionDocument | undefined> {
		const { id, fence = 0, rev = 0 } = document;
		return this.#store.update(sessionCollection, id, { equals: { fence, rev } }, leaseChange(document, at, place));
	}

	/** Ends the lease and sets the time of the next pass. */
	async #releaseLease(record: SessionRecord, { observed, due_in_ms }: PassReport): Promise<boolean> {
		const { document } = record;
		const reconciled = isReconciled(statusOf(record), observed, document.desired === "purge");
		if (reconciled && observed.phase === "absent") {
			await this.#podGone(document);
			if (document.status === "deleted") return this.#removeTombstone(document);
			await this.#dependencies.workspaces.settle(document);
		}
		const seen = both(addressChange(observed), placeAfter(document, observed, now()));
		const { set = {}, unset = [] } = both(seen, { unset: ["lease_until"] });
		const released = await this.#store.update(
			sessionCollection,
			document.id,
			{ equals: { fence: document.fence ?? 0, rev: document.rev ?? 0 } },
			reconciled ? { set, unset: [...unset, "due_at"] } : { set: { ...set, due_at: now() + due_in_ms }, unset },
		);
		return released !== undefined || this.#requeueNow(document);
	}

	/** Ends the lease after a command came in between; the session stays due. */
	async #requeueNow({ id, fence = 0 }: SessionDocument): Promise<boolean> {
		const change: ColumnChange = { set: { due_at: now() }, unset: ["lease_until"] };
		const requeued = await this.#store.update(sessionCollection, id, { equals: { fence } }, change);
		if (requeued) this.#dependencies.hint(id);
		return requeued !== undefined;
	}

	/** Removes the document after its last event was relayed; until then another pass is due. */
	async #removeTombstone(tombstone: SessionDocument): Promise<boolean> {
		const { id, fence = 0 } = tombstone;
		await this.#dependencies.forget(tombstone);
		const emptied = !(await this.#store.isWaiting(sessionCollection, id));
		if (emptied && (await this.#store.remove(sessionCollection, id, { equals: { fence } }))) return true;
		const change: ColumnChange = { set: { due_at: now() + tombstoneMs }, unset: ["lease_until"] };
		return (await this.#store.update(sessionCollection, id, { equals: { fence } }, change)) !== undefined;
	}
}

/** Returns the first sessions, as many as fit into an answer; at least one. */
function fitting(documents: readonly SessionDocument[]): readonly SessionDocument[] {
	let bytes = 0;
	const tooMany = documents.findIndex(({ launch = {} }, index) => {
		bytes += Buffer.byteLength(JSON.stringify(launch));
		return index > 0 && bytes > maxLaunchBytes;
	});
	return tooMany === -1 ? documents : documents.slice(0, tooMany);
}
