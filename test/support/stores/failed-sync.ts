/**
 * A program with a store in the folder of its argument, whose disk fails at the sync of the second commit and loses it. It writes the type
 * of the failure and how many later calls were refused, and ends in order.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, statSync, writeSync } from "node:fs";
import { EmbeddedDatabase, storeFile } from "#shared/store/embedded/embedded-database.ts";
import { insertion } from "#shared/store/embedded/embedded-writes.ts";
import { failureOf } from "../failure-of.ts";
import { job, jobs } from "./sample-collections.ts";

const [, , folder = ""] = process.argv;
const log = `${storeFile(folder)}-wal`;

/** Finds the descriptor of the log that was opened last: SQLite has opened its own before. */
function ownDescriptor(): number {
	const descriptors = readdirSync("/proc/self/fd").map(Number);
	const ofLog = descriptors.filter((descriptor) => {
		try {
			return readlinkSync(`/proc/self/fd/${descriptor}`) === log;
		} catch {
			// The descriptor of the folder that was just read is closed.
			return false;
		}
	});
	return Math.max(...ofLog);
}

/** A device that cannot be synced gets the descriptor. */
function breakSync(descriptor: number): void {
	closeSync(descriptor);
	while (openSync("/dev/null", "r") < descriptor);
}

/** Overwrites what was written to the log after its first bytes. */
function lose(keptBytes: number): void {
	const lost = openSync(log, "r+");
	writeSync(lost, Buffer.alloc(statSync(log).size - keptBytes), 0, undefined, keptBytes);
	closeSync(lost);
}

const database = new EmbeddedDatabase(folder, [jobs]);
const insert = (id: string) => database.transaction([() => void database.run(insertion(jobs, job(id), []))]);
insert("kept");
await database.sync();
const keptBytes = readFileSync(log).length;
breakSync(ownDescriptor());
insert("lost");
const failure = await failureOf<{ type: string }>(database.sync());
lose(keptBytes);
let refused = 0;
for (const attempt of [() => insert("later"), () => database.refuseDamage()])
	try {
		attempt();
	} catch {
		refused++;
	}
database.close();
console.log(JSON.stringify({ type: failure.type, refused }));
