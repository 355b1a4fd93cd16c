/** Starts platforms that have a number of stopped sessions already, over either store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { MongodSet, withoutMongod } from "../test/support/stores/mongod-set.ts";
import type { SessionsOrder } from "./many-sessions.ts";
import { type BenchPlatform, platformWithoutPods } from "./platform.ts";
import { Program } from "./program.ts";
import type { Measured } from "./row.ts";

/** Starts a platform with that many sessions. */
export type Fill = (count: number) => Promise<BenchPlatform>;

/** Measures a row over SQLite, and over MongoDB where there is a `mongod`. */
export async function onBothStores(measure: (store: string, fill: Fill) => Promise<Measured>): Promise<Measured> {
	const embedded = await measure("sqlite", filledPlatform);
	if (withoutMongod !== undefined) return embedded;
	await using servers = await MongodSet.start(1);
	const mongodb = await measure("mongodb", (count) => filledMongodb(servers.url, count));
	return {
		verdicts: [...embedded.verdicts, ...mongodb.verdicts],
		figures: { ...embedded.figures, ...mongodb.figures },
	};
}

export async function filledPlatform(count: number): Promise<BenchPlatform> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-bench-"));
	const dataDir = join(folder, "data");
	// A data folder with a store and without a key is refused.
	openInstallationKey(dataDir, "");
	await fill({ count, folder: join(dataDir, "store") });
	const opened = await platformWithoutPods({ dataDir });
	return {
		...opened,
		async [Symbol.asyncDispose]() {
			await opened[Symbol.asyncDispose]();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function filledMongodb(url: string, count: number): Promise<BenchPlatform> {
	const mongodb = { url, database: `bench_${count}` };
	await fill({ count, mongodb });
	const store = { adapter: "shared/store/mongodb-store.ts#MongodbStore", kwargs: mongodb };
	return platformWithoutPods({ config: { store } });
}

async function fill(order: SessionsOrder): Promise<void> {
	await using _filler = await Program.start("./many-sessions.ts", order);
}
