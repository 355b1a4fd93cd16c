/**
 * Moves credentials from one store to another in two runs: the first one copies all and reads each copy back, the second one removes the
 * originals that have a copy. Each run can be repeated, so that one that was interrupted anywhere goes on where it was.
 */
import { isDeepStrictEqual } from "node:util";
import { failpoint } from "#shared/base/failpoints.ts";
import type { CredentialOwner } from "./credential-owner.ts";
import type { CredentialStore, StoredCredential } from "./credential-store.ts";

/**
 * The outcome for a credential: it was copied, or removed, now; the same one was `present` in the other store; the other store has a `newer`
 * one of that name, or, when originals are removed, it is `missing` there. The last two are left as they are.
 */
type Outcome = "copied" | "present" | "removed" | "newer" | "missing";

/** The credentials of each outcome, in words. */
export type MoveReport = Readonly<Record<Outcome, readonly string[]>>;

interface StoreMove {
	readonly from: CredentialStore;
	readonly to: CredentialStore;
	/** Called after each owner. */
	readonly onOwner?: (report: MoveReport) => void;
}

/**
 * Copies each credential that the other store lacks, or of which it has an older one.
 * @throws {Error} when a store cannot be read or written, or a copy is not what was copied.
 */
export function copyCredentials(move: StoreMove): Promise<MoveReport> {
	return eachCredential(move, async (owner, original) => {
		const { name } = original.entry;
		const former = await one(move.to, owner, name);
		if (isDeepStrictEqual(former, original)) return "present";
		if (former && former.entry.updated_at >= original.entry.updated_at) return "newer";
		await move.to.adopt(owner, original);
		failpoint("credentials.copied");
		if (isDeepStrictEqual(await one(move.to, owner, name), original)) return "copied";
		throw new Error(`The copy of credential "${name}" is not what was copied. All originals are there`);
	});
}

/**
 * Removes each original of which the other store has the copy. It copies nothing, because a credential that is missing there may have been
 * deleted since. Nobody may write into the first store any more.
 * @throws {Error} when a store cannot be read or written.
 */
export function removeOriginals(move: StoreMove): Promise<MoveReport> {
	return eachCredential(move, async (owner, original) => {
		const { name } = original.entry;
		const copy = await one(move.to, owner, name);
		if (!copy) return "missing";
		if (!isDeepStrictEqual(copy, original)) return "newer";
		await move.from.delete(owner, name);
		failpoint("credentials.original-removed");
		return "removed";
	});
}

async function eachCredential(
	{ from, onOwner }: StoreMove,
	work: (owner: CredentialOwner, original: StoredCredential) => Promise<Outcome>,
): Promise<MoveReport> {
	const report: Record<Outcome, string[]> = { copied: [], present: [], removed: [], newer: [], missing: [] };
	for (const owner of await from.owners()) {
		for (const original of await allOf(from, owner))
			report[await work(owner, original)].push(`"${original.entry.name}" of ${owner.type} "${owner.id}"`);
		onOwner?.(report);
	}
	return report;
}

async function allOf(store: CredentialStore, owner: CredentialOwner): Promise<StoredCredential[]> {
	const entries = await store.list(owner);
	const names = entries.map(({ name }) => name);
	const values = await store.values(owner, names);
	return entries.flatMap((entry) => {
		const { data } = values.get(entry.name) ?? {};
		return data ? [{ entry, data }] : [];
	});
}

async function one(
	store: CredentialStore,
	owner: CredentialOwner,
	name: string,
): Promise<StoredCredential | undefined> {
	const entry = await store.get(owner, name);
	const data = (await store.values(owner, [name])).get(name)?.data;
	return entry && data && { entry, data };
}
