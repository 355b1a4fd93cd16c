/**
 * Verifies an exported audit log without the platform that wrote it: the chain of its entries and the signatures of its
 * checkpoints. Pure, so that a verifier needs the export and the public key only.
 */
import { type ChainedEntry, type ChainHead, chainStart, linkFault } from "./audit-chain.ts";
import { isSigned, type SignedCheckpoint } from "./audit-signature.ts";

/** An export: all checkpoints and entries of one tenant, the oldest first. */
export interface ExportedAudit {
	readonly publicKey: string;
	readonly checkpoints: readonly SignedCheckpoint[];
	readonly entries: readonly ChainedEntry[];
}

export interface Verification {
	/** The count of entries that continue the chain. */
	readonly entries: number;
	/** The number of the newest entry that a valid checkpoint vouches for; 0: none. */
	readonly signedUpTo: number;
	/** Sentences that say what is wrong; empty: the log is whole. */
	readonly faults: readonly string[];
}

/** Verifies an export of one tenant. It stops at the first fault of the chain. */
export function verifyAudit({ publicKey, checkpoints, entries }: ExportedAudit): Verification {
	const faults = checkpoints
		.filter((checkpoint) => !isSigned(checkpoint, publicKey))
		.map(({ seq }) => `The checkpoint of entry ${seq} is not signed by this key`);
	const signed = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]));
	const foreign = checkpoints.find(({ tenant }) => tenant !== (entries[0]?.tenant ?? tenant));
	if (foreign) faults.push(`The checkpoint of entry ${foreign.seq} belongs to another tenant`);
	const { head, fault } = walk(startOf(entries, signed), entries, signed);
	if (fault !== undefined) faults.push(fault);
	const missing = checkpoints.find(({ seq }) => seq > head.seq);
	if (missing && fault === undefined) faults.push(`Entry ${missing.seq} is signed but not in the log`);
	const seqs = [...signed.keys()].filter((seq) => seq <= head.seq);
	return { entries: head.seq - (entries[0]?.seq ?? 1) + 1, signedUpTo: Math.max(0, ...seqs), faults };
}

/** Returns the place before the first entry: the start, or the checkpoint of the entries that are no longer kept. */
function startOf([first]: readonly ChainedEntry[], signed: ReadonlyMap<number, string>): ChainHead {
	const before = (first?.seq ?? 1) - 1;
	const hash = signed.get(before);
	return before > 0 && hash !== undefined ? { seq: before, hash } : chainStart;
}

function walk(
	start: ChainHead,
	entries: readonly ChainedEntry[],
	signed: ReadonlyMap<number, string>,
): { head: ChainHead; fault?: string } {
	let head = start;
	for (const entry of entries) {
		const fault = linkFault(head, entry);
		if (fault !== undefined) return { head, fault };
		const wanted = signed.get(entry.seq);
		if (wanted !== undefined && wanted !== entry.hash)
			return { head, fault: `Entry ${entry.seq} is not the one that was signed` };
		head = entry;
	}
	return { head };
}
