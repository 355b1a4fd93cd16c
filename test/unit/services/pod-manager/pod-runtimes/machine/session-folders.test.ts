/** The folders of sessions after their removal. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionFolders } from "#services/pod-manager/pod-runtimes/machine/session-folders.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { useFolder } from "../../../../../support/use-folder.ts";

describe("SessionFolders", () => {
	const root = useFolder();

	it("leaves nothing that commands have put beside a workspace, although the records of its first session remain (X6)", async () => {
		const folders = new SessionFolders(root());
		const id = randomUUID();
		await folders.create(id, id);
		const beside = join(root(), id, "kept.bin");
		writeFileSync(beside, "x");
		mkdirSync(join(root(), id, "more", "deep"), { recursive: true });
		await folders.discardRecords(randomUUID());
		expect(existsSync(beside), "the workspace is there").to.equal(true);
		await folders.discardWorkspace(id);
		expect(readdirSync(join(root(), id))).to.deep.equal(["state"]);
		await folders.discardRecords(id);
		await eventually(() => readdirSync(root()).length === 0);
	});
});
