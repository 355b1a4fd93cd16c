/**
 * A restore with --force into MongoDB as a program of its own, which stalls before its first call of one method of the store,
 * whatever it has confirmed before: it says "stalled", and goes on when its input ends. Its argument is one JSON text.
 */
import { readFileSync } from "node:fs";
import { restoreArchive } from "#host/archive/restore-archive.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { smallInstallation } from "./small-installation.ts";

const { dataDir, path, url, at } = JSON.parse(process.argv[2] ?? "") as {
	dataDir: string;
	path: string;
	url: string;
	at: string;
};
let hasStalled = false;

function stall(): void {
	if (hasStalled) return;
	hasStalled = true;
	console.log("stalled");
	readFileSync(0);
}

/** Returns a store, and stores of it with a fence, whose method stalls once. */
function stalling(store: DocumentStore): DocumentStore {
	return new Proxy(store, {
		get(_target, name) {
			const member: unknown = Reflect.get(store, name, store);
			if (typeof member !== "function") return member;
			return (...given: unknown[]) => {
				if (name === at) stall();
				const result: unknown = Reflect.apply(member, store, given);
				return name === "fenced" ? stalling(result as DocumentStore) : result;
			};
		},
	});
}

const small = { ...smallInstallation(dataDir, url), configuredKey: "key of the archive" };
const place = { ...small, newStore: async (folder: string) => stalling(await small.newStore(folder)) };
try {
	const order = { path, kind: "backup", force: true, passphrase: "correct horse", say: () => {} } as const;
	await restoreArchive(place, order);
	console.log("done");
} catch (error) {
	console.log((error as Error).message);
}
