import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { exposedKeys, refuseUnusableFiles } from "#shared/base/files/unusable-files.ts";
import { StartError } from "#shared/base/start-error.ts";
import { eventually } from "../../../../support/eventually.ts";
import { isMounted, makeReadOnly, unmount } from "../../../../support/machine/mounted-folder.ts";
import { folderForAll, giveAway, isRoot, nobody, printedAsUser } from "../../../../support/machine/ordinary-user.ts";

const check = `import { refuseUnusableFiles } from "#shared/base/files/unusable-files.ts"; refuseUnusableFiles(process.argv[1]);`;

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
		folder = folderForAll("files");
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
			giveAway(folder);
			chmodSync(join(folder, path), 0o400);
			const printed = printedAsUser(check, folder) ?? this.skip();
			chmodSync(join(folder, path), 0o700);
			expect(printed)
				.to.include(`"${join(folder, path)}", which belongs to it`)
				.and.to.include("chmod -R u+rwX");
		});

	it("are refused to root when they belong to another user, also behind a link", function () {
		if (!isRoot) return this.skip();
		chownSync(folder, nobody, nobody);
		const link = `${folder}-link`;
		symlinkSync(folder, link);
		try {
			for (const path of [folder, link])
				expect(() => refuseUnusableFiles(path)).to.throw(
					StartError,
					`as root: it belongs to the user with the id ${nobody}`,
				);
		} finally {
			rmSync(link);
		}
	});

	it("are refused with another remedy where the file system cannot be written (if it may mount)", function () {
		if (!isMounted(folder)) return this.skip();
		try {
			mkdirSync(join(folder, "store"));
			makeReadOnly(folder);
			expect(() => refuseUnusableFiles(folder)).to.throw(StartError, "is mounted read-only: mount it for writing");
		} finally {
			unmount(folder);
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

	it("can be used while another process makes one and renames it", async () => {
		const renamer = `const fs = require("node:fs"), [file] = process.argv.slice(1);
			for (;;) { fs.writeFileSync(file + ".tmp", ""); fs.renameSync(file + ".tmp", file); }`;
		const child = spawn(process.execPath, ["-e", renamer, join(folder, "host/id")], { stdio: "ignore" });
		const exit = once(child, "exit");
		try {
			const seen = () => readdirSync(join(folder, "host")).includes("id.tmp");
			await eventually(seen, { withinMs: 20_000, everyMs: 1, what: "the other process works" });
			for (let count = 0; count < 3_000; count++) refuseUnusableFiles(folder);
		} finally {
			child.kill("SIGKILL");
			await exit;
		}
	});

	it("have keys that nobody else can read", () => {
		expect(exposedKeys(folder)).to.deep.equal([]);
		chmodSync(join(folder, "keys/installation"), 0o644);
		expect(exposedKeys(folder).join()).to.include("Every user of this machine can read").and.to.include("chmod 600");
	});
});
