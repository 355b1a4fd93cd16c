/** Reads SQLite's write-ahead log (https://sqlite.org/fileformat.html#walformat), to see what has reached the file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const headBytes = 32;
const frameHeadBytes = 24;

/** Counts the commits in the log: frames with the present salt and the size of the database. */
export function commitsInLog(folder: string): number {
	const log = readFileSync(join(folder, "atelier.db-wal"));
	const frameBytes = frameHeadBytes + log.readUInt32BE(8);
	const salt = log.subarray(16, 24);
	let commits = 0;
	for (let at = headBytes; at + frameBytes <= log.length; at += frameBytes) {
		if (!log.subarray(at + 8, at + 16).equals(salt)) break;
		if (log.readUInt32BE(at + 4) > 0) commits++;
	}
	return commits;
}
