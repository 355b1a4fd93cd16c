/**
 * Stops the session that fills the disk of its host, so that the others can go on writing, and those whose workspaces are larger
 * than they may be. The pod manager of the host measures (its folder disk); the decision is here, because two pod managers of one host may ask at the same time. After a stop all sizes
 * are stored, so that only what grows from then on can stop another session (decision 0114).
 */
import { systemPrincipal } from "#shared/base/principal.ts";
import { bound } from "#shared/base/bounds.ts";
import { now } from "#shared/base/clock.ts";
import {
	lastingReasons,
	type MeasuredSession,
	type OversizedWorkspace,
	type PartialReason,
	type StoppedGrower,
	type UsedWorkspace,
} from "#shared/contracts/workspaces/workspace-work.ts";
import type { Failure } from "#shared/contracts/sessions/status-reasons.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readResources } from "#shared/wire/pod/resource-limits.ts";
import { failedChange } from "../record/session-change.ts";
import { sessionCollection } from "../record/session-collection.ts";
import type { SessionRecords } from "../record/session-records.ts";
import { measured, workspaceOf } from "../workspaces/workspace-changes.ts";
import { workspaceCollection, type WorkspaceDocument } from "../workspaces/workspace-collection.ts";

const reporter = systemPrincipal("disk-shortage");
const megabyte = 1_000_000;

interface DiskShortageDependencies {
	readonly store: Documents;
	readonly records: Pick<SessionRecords, "decide">;
	/** Called when a session needs a pass at once. */
	readonly hint: (id: string) => void;
}

/** A workspace with its measurements in bytes. */
interface Growth {
	readonly bytes: number;
	/** The bytes a moment ago; absent: it was not measured then. */
	readonly before?: number | undefined;
	/** The bytes at the last regular measurement; 0: it is younger than that. */
	readonly known: number;
}

interface UsedGrowth extends Growth {
	readonly partial?: PartialReason | undefined;
	readonly session: string;
	readonly workspace: WorkspaceDocument;
}

export class DiskShortage {
	readonly #dependencies: DiskShortageDependencies;

	constructor(dependencies: DiskShortageDependencies) {
		this.#dependencies = dependencies;
	}

	/** Returns the workspaces of those sessions that are to run. */
	async inUse(sessions: readonly string[]): Promise<UsedWorkspace[]> {
		const found = await Promise.all(sessions.map((id) => this.#dependencies.store.get(sessionCollection, id)));
		const running = found.filter((document) => document !== undefined).filter(({ desired }) => desired === "run");
		return running.map((document) => ({
			session: document.id,
			workspace: workspaceOf(document),
			...diskOf(document.launch),
		}));
	}

	/**
	 * Stops the session whose workspace has grown most. One whose files are too many to be measured is stopped before it, because
	 * others are not stopped for what that one may have written; one that only lacked time is stopped when nobody has grown.
	 * @param least Smaller growth stops nobody; in bytes.
	 */
	async stopLargest(sizes: readonly MeasuredSession[], least: number): Promise<StoppedGrower[]> {
		const used = await this.#used(sizes);
		const largest = unmeasurableOf(used, true) ?? largestGrowth(used, least) ?? unmeasurableOf(used, false);
		if (!largest) return [];
		const { one, grown } = largest;
		// The sizes are stored first: another pod manager of the host then finds no other one to stop for the same growth.
		for (const other of used) await this.#remember(other);
		const failure = one.partial ? unmeasurable(one.partial) : grownTooFast(grown);
		return (await this.#stop(one.session, failure)) ? [{ session: one.session, grown_bytes: grown }] : [];
	}

	/** Stops the session of a workspace that is too large, or cannot be measured. Resolves to whether it was to run until now. */
	stopOversized({ session, bytes, limit_bytes, partial }: OversizedWorkspace): Promise<boolean> {
		return this.#stop(session, partial ? unmeasurable(partial) : tooLarge(bytes, limit_bytes));
	}

	async #used(sizes: readonly MeasuredSession[]): Promise<UsedGrowth[]> {
		const of = new Map(sizes.map((size) => [size.session, size]));
		const used: UsedGrowth[] = [];
		for (const { session, workspace: id } of await this.inUse([...of.keys()])) {
			const workspace = await this.#dependencies.store.get(workspaceCollection, id);
			const size = of.get(session);
			if (workspace && size) used.push({ ...size, workspace, known: workspace.size_bytes ?? 0 });
		}
		return used;
	}

	/** A change of the record meanwhile has precedence. */
	async #remember({ workspace, bytes, partial }: UsedGrowth): Promise<void> {
		const guard = { equals: { rev: workspace.rev ?? 0 } };
		const change = measured(workspace, { bytes, partial }, now());
		await this.#dependencies.store.update(workspaceCollection, workspace.id, guard, change);
	}

	/** Resolves to whether the session was to run until now. */
	async #stop(id: string, failure: Failure): Promise<boolean> {
		const { result: wasToRun } = await this.#dependencies.records.decide(reporter, id, ({ document }) =>
			document.desired === "run" ? { change: failedChange(failure, now()), result: true } : { result: false },
		);
		if (wasToRun) this.#dependencies.hint(id);
		return wasToRun;
	}
}

/**
 * Returns the largest growth. One that goes on now has precedence; on a disk that is full already nothing grows, and then
 * the growth since the last regular measurement counts. Pure.
 */
function largestGrowth<T extends Growth>(all: readonly T[], least: number): { one: T; grown: number } | undefined {
	const now = all.map((one) => ({ one, grown: one.bytes - (one.before ?? one.bytes) }));
	const since = all.map((one) => ({ one, grown: one.bytes - one.known }));
	return largestOf(now, least) ?? largestOf(since, least);
}

/** @param isLasting Whether a further measurement cannot be whole either. */
function unmeasurableOf<T extends Pick<MeasuredSession, "partial">>(
	all: readonly T[],
	isLasting: boolean,
): { one: T; grown: number } | undefined {
	const one = all.find(({ partial }) => partial !== undefined && lastingReasons.has(partial) === isLasting);
	return one && { one, grown: 0 };
}

function largestOf<T>(all: readonly { one: T; grown: number }[], least: number): { one: T; grown: number } | undefined {
	return all.filter(({ grown }) => grown >= least).toSorted((one, other) => other.grown - one.grown)[0];
}

/** Returns the disk that a session asked for. @param launch LaunchSettings (shared/wire/pod/launch.ts). */
function diskOf(launch: unknown): { disk_bytes?: number } {
	const { resource_config: asked } = Object(launch);
	const { diskBytes } = readResources(asked instanceof Object ? { ...asked } : {}).limits;
	return diskBytes === undefined ? {} : { disk_bytes: diskBytes };
}

function grownTooFast(grown: number): Failure {
	const mb = Math.ceil(grown / megabyte);
	const message =
		`The disk that all sessions share is nearly full, and the workspace of this session grew most, by ${mb} MB: the session was ` +
		"stopped. Its files are kept; start it again to remove some, or delete it with its workspace";
	return { code: "DISK_FULL", message };
}

function tooLarge(bytes: number, limit: number): Failure {
	const [has, may] = [bytes, limit].map((size) => Math.ceil(size / megabyte));
	const message =
		`The workspace of this session has ${has} MB, and may have ${may} MB: the session was stopped. Its files are kept; start it ` +
		"again and remove some within ten minutes, ask for more with `resource_config.disk`, or delete it with its workspace";
	return { code: "DISK_FULL", message };
}

/** The reasons as the middle of a sentence about a workspace. */
const partialWords: Readonly<Record<PartialReason, string>> = {
	entries: `has more than ${bound.measuredEntries} files and folders`,
	depth: "has folders that lie too deep within each other",
	time: "could not be measured in time, several times in a row",
	memory: "needs more memory to be measured than there is for that, several times in a row",
	changes: "changed whenever it was measured, several times in a row",
};

function unmeasurable(partial: PartialReason): Failure {
	const message =
		`The workspace of this session ${partialWords[partial]}, so nobody knows how large it is: the session was stopped. Its files are ` +
		"kept; start it again and remove some within ten minutes, or delete it with its workspace";
	return { code: "DISK_FULL", message };
}
