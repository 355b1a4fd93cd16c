/** The installation key is never lost without a word: at restores, at imports, in backups, and at the start. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import { lostKey } from "#host/storage/lost-key.ts";
import type { Installation } from "#host/archive/installation.ts";
import { restoreArchive, type RestoreOrder } from "#host/archive/restore-archive.ts";
import { writeArchive } from "#host/archive/write-archive.ts";
import { keyPrintCollection, refuseOtherKey } from "#shared/store/key-print.ts";
import { keyPrint } from "#shared/base/secrets/keys.ts";
import { smallInstallation } from "../../support/archive/small-installation.ts";
import { failureOf } from "../../support/failure-of.ts";

const [former, other] = [1, 2].map((n) => Buffer.alloc(32, n).toString("base64url")) as [string, string];
const passphrase = "correct horse battery";

describe("the installation key of an archive", () => {
	let folder: string;
	let source: Installation;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-key-"));
		source = place("source", former);
		await start(source, former);
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function place(name: string, key?: string): Installation {
		const dataDir = join(folder, name);
		mkdirSync(join(dataDir, "keys"), { recursive: true });
		if (key !== undefined) writeFileSync(join(dataDir, "keys", "installation"), key);
		return smallInstallation(dataDir);
	}

	/** Does what a start does with the key. */
	async function start({ dataDir, newStore, collections }: Installation, key: string): Promise<void> {
		const store = await newStore(join(dataDir, "store"));
		try {
			await store.open([...collections, keyPrintCollection]);
			await refuseOtherKey(store, keyPrint(key), "this key");
		} finally {
			await store.close();
		}
	}

	let count = 0;
	async function archive(kind: "backup" | "export", seal = false): Promise<string> {
		const path = join(folder, `${count++}.gz`);
		await writeArchive(source, { path, kind, workspaces: false, say: () => {}, ...(seal && { passphrase }) });
		return path;
	}

	const restore = (target: Installation, path: string, order: Partial<RestoreOrder> = {}) =>
		restoreArchive(target, { path, kind: "backup", force: false, say: () => {}, ...order });
	const keyOf = ({ dataDir }: Installation) => readFileSync(join(dataDir, "keys", "installation"), "utf8");

	for (const seal of [true, false])
		it(`refuses an empty place without the key, ${seal ? "sealed in the archive" : "absent in it"}, unless it is given up`, async () => {
			const path = await archive("backup", seal);
			const target = place("target");
			expect((await failureOf<Error>(restore(target, path))).message)
				.to.include("There is no installation key")
				.and.to.include(seal ? "--passphrase-file" : "put the key")
				.and.to.include("--without-key");
			await restore(target, path, { withoutKey: true });
			expect(keyOf(target)).not.to.equal(former);
			await start(target, keyOf(target));
		});

	for (const kind of ["backup", "export"] as const)
		it(`refuses another key than that of the documents: ${kind}`, async () => {
			const path = await archive(kind);
			const target = place("target", other);
			expect((await failureOf<Error>(restore(target, path, { kind }))).message).to.include(
				"is not that of the archive",
			);
			await restore(place("second", former), path, { kind });
			await restore(target, path, { kind, withoutKey: true });
			await start(target, other);
		});

	it("is restored with its passphrase, and belongs to the store then", async () => {
		const path = await archive("backup", true);
		const target = place("target");
		await restore(target, path, { passphrase });
		expect(keyOf(target)).to.equal(former);
		await start(target, former);
		expect((await failureOf<Error>(start(target, other))).message).to.include(
			"is not the installation key of this store",
		);
	});

	it("is not sealed when it is another one than that of the store, and a backup without it says so", async () => {
		writeFileSync(join(source.dataDir, "keys", "installation"), other);
		expect((await failureOf<Error>(archive("backup", true))).message).to.include("is not that of the store");
		const path = await archive("backup");
		const lines = gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
		expect(JSON.parse(lines[0] ?? "")[1].key).to.equal(keyPrint(former));
		expect(JSON.parse(lines.at(-1) ?? "")[1].missing.join()).to.include("which is not the present one");
	});

	it("is missed at a start, and not made anew, when the folder was used", () => {
		expect(lostKey(source.dataDir, "")).to.equal(undefined);
		rmSync(join(source.dataDir, "keys", "installation"));
		expect(lostKey(source.dataDir, ""))
			.to.include(`the installation key "${join(source.dataDir, "keys", "installation")}" is missing`)
			.and.to.include("docs/backup.md");
		expect(lostKey(source.dataDir, former)).to.equal(undefined);
		expect(lostKey(join(folder, "nothing"), "")).to.equal(undefined);
	});
});
