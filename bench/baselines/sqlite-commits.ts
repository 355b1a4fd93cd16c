/**
 * A program that commits one insertion after the other durably to an SQLite file, each with the requested number of
 * bytes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { order, report } from "../program.ts";

const { bytes, seconds } = order<{ bytes: number; seconds: number }>();
const folder = mkdtempSync(join(tmpdir(), "atelier-bench-"));
const database = new DatabaseSync(join(folder, "bare.sqlite"));
database.exec(
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)",
);
const insertion = database.prepare("INSERT INTO t (text) VALUES (?)");
const text = "x".repeat(bytes);

const began = performance.now();
const cpuBefore = process.cpuUsage();
let commits = 0;
while (performance.now() - began < seconds * 1_000) {
	insertion.run(text);
	commits++;
}
const perSecond = commits / ((performance.now() - began) / 1_000);
const { user, system } = process.cpuUsage(cpuBefore);
database.close();
rmSync(folder, { recursive: true });
report({ perSecond, cpuMicros: (user + system) / commits });
