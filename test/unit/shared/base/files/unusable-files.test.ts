import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { exposedKeys, refuseUnusableFiles } from "#shared/base/files/unusable-files.ts";
import { StartError } from "#shared/base/start-error.ts";

const files = [
	"keys/installation",
	"host/id",
	"store/atelier.db",
	"store/atelier.db-wal",
	"credentials/user/ada",
] as const;

describe("the files of a data folder", () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-files-"));
		for (const file of files) {
			mkdirSync(dirname(join(folder, file)), { recursive: true });
			writeFileSync(join(folder, file), "", { mode: 0o600 });
		}
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("can be used by their owner, also beside files of others that the platform does not make", () => {
		mkdirSync(join(folder, "lost+found"), { mode: 0 });
		refuseUnusableFiles(folder);
		refuseUnusableFiles(join(folder, "absent"));
		chmodSync(join(folder, "lost+found"), 0o700);
	});

	for (const path of new Set([...files, ...files.map((file) => dirname(file))]))
		it(`are refused with the path, the owner and the remedy when one cannot be used: ${path}`, function () {
			// Nothing is refused to root.
			if (process.geteuid?.() === 0) this.skip();
			chmodSync(join(folder, path), 0o400);
			const isFolder = !files.some((file) => file === path);
			try {
				expect(() => refuseUnusableFiles(folder))
					.to.throw(StartError, `"${join(folder, path)}", which belongs to`)
					.with.property("message")
					.that.includes("chmod -R u+rwX");
			} finally {
				chmodSync(join(folder, path), isFolder ? 0o700 : 0o600);
			}
		});

	it("can be used whatever a session does with the rights of its own folder", () => {
		for (const path of ["sessions/s-1", "run/s-1-g1"]) {
			mkdirSync(join(folder, path), { recursive: true });
			chmodSync(join(folder, path), 0);
		}
		refuseUnusableFiles(folder);
		for (const path of ["sessions/s-1", "run/s-1-g1"]) chmodSync(join(folder, path), 0o700);
	});

	it("have keys that nobody else can read", () => {
		expect(exposedKeys(folder)).to.deep.equal([]);
		chmodSync(join(folder, "keys/installation"), 0o644);
		expect(exposedKeys(folder).join()).to.include("Every user of this machine can read").and.to.include("chmod 600");
	});
});
