/** Computes the totals of a timeline entry by entry: changed files, commits, tokens over time. Pure. */
import type { TimelineEntry, TimelineTotals } from "#shared/contracts/sessions/chronicles.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

/** The length of one bucket of tokens in seconds. */
const burnSeconds = 300;
/** The most retained files, the newest ones. */
const maxFiles = 1_000;
const maxFileBytes = 200 * 1024;
const maxCommits = 200;
const maxSubject = 200;

type ChangedFile = TimelineTotals["files"][number];
type Commit = TimelineTotals["commits"][number];

/** The stored form of the totals. */
export interface RunningTotals {
	/** The files in the order of their last change. */
	readonly files: readonly ChangedFile[];
	/** The commits, the newest last. */
	readonly commits: readonly Commit[];
	/** The tokens by bucket; empty buckets are omitted. */
	readonly burn: Readonly<Record<string, number>>;
	/** The largest `t`; absent before the first entry. */
	readonly last?: number;
}

export const noTotals: RunningTotals = { files: [], commits: [], burn: {} };

/** Returns the totals with one more entry. @param at The time at which the entry is stored, in ISO 8601. */
export function addEntry(totals: RunningTotals, entry: TimelineEntry, at: string): RunningTotals {
	return {
		files: entry.type === "file" ? addFile(totals.files, entry) : totals.files,
		commits: entry.type === "git" && entry.hash ? addCommit(totals.commits, entry, at) : totals.commits,
		burn: entry.type === "message" && entry.tokens ? addTokens(totals.burn, entry.t, entry.tokens) : totals.burn,
		last: Math.max(totals.last ?? 0, entry.t),
	};
}

/** Returns the totals in the contract's form. */
export function totalsOf({ files, commits, burn, last }: RunningTotals): TimelineTotals {
	const buckets = last === undefined ? 0 : Math.floor(last / burnSeconds) + 1;
	return {
		files: [...files],
		commits: commits.toReversed(),
		token_burn: Array.from({ length: buckets }, (_nothing, bucket) => burn[bucket] ?? 0),
	};
}

/**
 * Returns a lower bound of the bytes of the contract's form as JSON, computed from numbers alone: a timeline may cover
 * a year and have a thousand files.
 */
export function leastBytes({ files, commits, last = 0 }: RunningTotals): number {
	return 2 * Math.floor(last / burnSeconds) + 40 * (files.length + commits.length);
}

function addFile(files: readonly ChangedFile[], { label, action, ins, del }: TimelineEntry): ChangedFile[] {
	const former = files.find(({ path }) => path === label);
	const others = files.filter((file) => file !== former);
	const changed: ChangedFile = {
		path: label,
		status: statusAfter(former?.status, action),
		ins: (former?.ins ?? 0) + (ins ?? 0),
		del: (former?.del ?? 0) + (del ?? 0),
	};
	return newest([...others, changed]);
}

/** Returns the newest files, as many as are retained. */
function newest(files: readonly ChangedFile[]): ChangedFile[] {
	const sizes = files.map((file) => jsonBytes(file) + 1);
	let bytes = sizes.reduce((sum, size) => sum + size, 0);
	let first = Math.max(0, files.length - maxFiles);
	for (const size of sizes.slice(0, first)) bytes -= size;
	for (; bytes > maxFileBytes; first++) bytes -= sizes[first] ?? 0;
	return files.slice(first);
}

/** Returns the status of a file. The first action decides; a deleted file stays deleted. */
function statusAfter(former: ChangedFile["status"] | undefined, action: TimelineEntry["action"]) {
	if (action === "deleted" || former === "del") return "del";
	return former ?? (action === "created" ? "new" : "mod");
}

function addCommit(commits: readonly Commit[], { hash, label }: TimelineEntry, at: string): Commit[] {
	const commit: Commit = { hash: (hash ?? "").slice(0, 7), msg: label.slice(0, maxSubject), time: at.slice(11, 16) };
	return [...commits, commit].slice(-maxCommits);
}

function addTokens(burn: RunningTotals["burn"], t: number, tokens: number): RunningTotals["burn"] {
	const bucket = Math.floor(t / burnSeconds);
	return { ...burn, [bucket]: (burn[bucket] ?? 0) + tokens };
}
