/** The file of an exported audit log: one JSON object a line, which is the public key, a checkpoint or an entry. */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { ChainedEntry } from "#shared/store/audit/audit-chain.ts";
import type { SignedCheckpoint } from "#shared/store/audit/audit-signature.ts";
import type { ExportedAudit } from "#shared/store/audit/audit-verification.ts";
import type { PlatformClient } from "./platform-client.ts";

type Line =
	| { readonly public_key: string }
	| { readonly checkpoint: SignedCheckpoint }
	| { readonly entry: ChainedEntry };

/** One page of `GET /admin/audit/export`. */
interface ExportPage {
	readonly public_key: string;
	readonly checkpoints: readonly SignedCheckpoint[];
	readonly entries: readonly ChainedEntry[];
}

/** Writes the whole log of the caller's tenant into a new file; returns the count of entries. @throws {Error} when the file exists. */
export async function exportAudit(client: PlatformClient, file: string): Promise<number> {
	await using output = await open(file, "wx", 0o600);
	const write = (line: Line) => output.write(`${JSON.stringify(line)}\n`);
	const checkpoints = new Map<number, SignedCheckpoint>();
	let entries = 0;
	let after = 0;
	for (;;) {
		const page = await client.get<ExportPage>(`/admin/audit/export?after=${after}`);
		if (entries === 0) await write({ public_key: page.public_key });
		for (const checkpoint of page.checkpoints) checkpoints.set(checkpoint.seq, checkpoint);
		for (const entry of page.entries) await write({ entry });
		entries += page.entries.length;
		const last = page.entries.at(-1);
		if (!last) break;
		after = last.seq;
	}
	for (const checkpoint of checkpoints.values()) await write({ checkpoint });
	return entries;
}

/** Reads such a file. @throws {Error} that names the line which is no part of an export. */
export async function readAudit(file: string): Promise<ExportedAudit> {
	let publicKey = "";
	const checkpoints: SignedCheckpoint[] = [];
	const entries: ChainedEntry[] = [];
	let number = 0;
	for await (const text of createInterface({ input: createReadStream(file) })) {
		const line = lineOf(text, ++number);
		if ("public_key" in line) publicKey = line.public_key;
		else if ("checkpoint" in line) checkpoints.push(line.checkpoint);
		else entries.push(line.entry);
	}
	return { publicKey, checkpoints, entries };
}

function lineOf(text: string, number: number): Line {
	try {
		const line: Line = JSON.parse(text);
		if ("public_key" in line || "checkpoint" in line || "entry" in line) return line;
	} catch {
		// The sentence below names the line.
	}
	throw new Error(`Line ${number} is no part of an exported audit log`);
}
