/** Archives that were damaged, and files that a program in a session makes so that a backup could not be restored. */
import { execFileSync } from "node:child_process";
import {
	closeSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import type { Installation } from "#host/archive/installation.ts";
import { restoreArchive } from "#host/archive/restore-archive.ts";
import { writeArchive } from "#host/archive/write-archive.ts";
import { marks, smallInstallation } from "../../support/archive/small-installation.ts";
import { failureOf } from "../../support/failure-of.ts";

describe("a backup", () => {
	let folder: string;

	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-hostile-"))));
	// Node's own removal fails at paths that are too long.
	afterEach(() => execFileSync("rm", ["-rf", folder]));

	/** Makes folders inside each other whose path is longer than the system takes. */
	function makeDeepFolders(root: string): void {
		let above = openSync(root, "r");
		for (let depth = 0; depth < 25; depth++) {
			const place = `/proc/self/fd/${above}/${"d".repeat(200)}`;
			mkdirSync(place);
			const below = openSync(place, "r");
			closeSync(above);
			above = below;
		}
		closeSync(above);
	}

	async function filled(): Promise<Installation> {
		const source = smallInstallation(join(folder, "source"));
		const store = await source.newStore(join(source.dataDir, "store"));
		await store.open(source.collections);
		await store.insert(marks, { id: "mark", wire: "{}", text: "original" });
		await store.close();
		return source;
	}

	it("is refused when it was cut off or changed, and nothing changes", async () => {
		const path = join(folder, "backup.gz");
		const order = { path, kind: "backup", say: () => {} } as const;
		await writeArchive(await filled(), { ...order, workspaces: false });
		const whole = readFileSync(path);
		const lines = gunzipSync(whole).toString("utf8").split("\n");
		const odd = {
			"it is cut off": whole.subarray(0, whole.length - 50),
			"has no manifest": gzipSync(lines.slice(0, -2).join("\n") + "\n"),
			'it lacks "documents marks"': gzipSync(lines.filter((line) => !line.includes("original")).join("\n")),
			"was changed in": gzipSync(lines.join("\n").replace("original", "another!")),
			"is no part of an archive": gzipSync(lines.toSpliced(3, 0, '["entry"').join("\n")),
		};
		const target = smallInstallation(join(folder, "target"));
		for (const [reason, content] of Object.entries(odd)) {
			writeFileSync(path, content);
			expect((await failureOf<Error>(restoreArchive(target, { ...order, force: false }))).message).to.include(reason);
			expect(existsSync(target.dataDir), reason).to.equal(false);
		}
	});

	it("leaves out the files of hostile sessions that cannot be restored, and has all others", async () => {
		const source = await filled();
		const work = join(source.dataDir, "sessions", "one");
		mkdirSync(work, { recursive: true });
		makeDeepFolders(work);
		// Two names that are one when they are read as UTF-8.
		writeFileSync(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff])]), "not UTF-8");
		writeFileSync(join(work, "\ufffd"), "the replacement character");
		symlinkSync(Buffer.alloc(2_000, 0xff), join(work, "link"));
		writeFileSync(join(work, "plain"), "plain");

		const path = join(folder, "backup.gz");
		const said = await writeArchive(source, { path, kind: "backup", workspaces: true, say: () => {} });
		expect(said.missing.join("\n")).to.match(/[3-9] entries of "sessions\/one" [^\n]*"link"/);
		const target = smallInstallation(join(folder, "target"));
		await restoreArchive(target, { path, kind: "backup", force: false, withoutKey: true, say: () => {} });
		const restored = join(target.dataDir, "sessions", "one");
		expect(readFileSync(join(restored, "plain"), "utf8")).to.equal("plain");
		expect(readFileSync(join(restored, "\ufffd"), "utf8")).to.equal("the replacement character");
		expect(existsSync(join(restored, "link"))).to.equal(false);
		expect(readdirSync(restored)).to.include("d".repeat(200));
	});
});
