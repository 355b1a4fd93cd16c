import { expect } from "chai";
import { chownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForeignFolders } from "#services/pod-manager/pod-runtimes/local-process/foreign-folders.ts";
import { SessionFolders } from "#services/pod-manager/pod-runtimes/machine/session-folders.ts";
import { failureOf } from "../../../../../support/failure-of.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

const id = "3f0c2a11-0000-4000-8000-000000000001";
const self = process.getuid?.() ?? 0;

describe("ForeignFolders", () => {
	const folder = useFolder();
	/** A user that is neither root nor that of this test. */
	const other = { user: 54_321, group: 54_322 };

	beforeEach(() => {
		mkdirSync(join(folder(), id, "workspace"), { recursive: true });
		writeFileSync(join(folder(), id, "workspace", "file"), "");
	});

	const seenBy = (own?: typeof other) => new ForeignFolders(folder(), new SessionFolders(folder()), own);

	it("says at a start whose files they are, and the command for root", async () => {
		const sentence = (await seenBy(other).sentence()) ?? "";
		expect(sentence)
			.to.include(`belong to the user ${self}`)
			.and.include(`"chown -R 54321:54322 ${folder()}"`)
			.and.include("docs/session-containers.md#another-runtime");
	});

	it("refuses a session that it cannot use, for good, with the command and without a path", async () => {
		const error = await failureOf<Error>(seenBy(other).take(id));
		expect(error).to.include({ name: "PodRefused", code: "VOLUME_MOUNT_FAILED", final: true });
		expect(error.message).to.include('"chown -R 54321:54322"').and.not.include(folder());
	});

	it("has nothing to say of files of the platform's own user, and of sessions that have none", async () => {
		const own = { user: self, group: process.getgid?.() ?? 0 };
		expect(await seenBy(own).sentence()).to.equal(undefined);
		await seenBy(own).take(id);
		await seenBy(other).take("3f0c2a11-0000-4000-8000-000000000002");
	});

	it("takes the files as root, and follows no link", async function () {
		if (self !== 0) return this.skip();
		const outside = join(folder(), "outside");
		writeFileSync(outside, "");
		const inner = join(folder(), id, "workspace");
		symlinkSync(outside, join(inner, "link"));
		for (const path of [inner, join(inner, "file"), outside]) chownSync(path, 231_001, 231_001);
		expect(await seenBy().sentence()).to.equal(undefined);
		await seenBy().take(id);
		const owners = [inner, join(inner, "file"), outside].map((path) => lstatSync(path).uid);
		expect(owners).to.deep.equal([0, 0, 231_001]);
	});
});
