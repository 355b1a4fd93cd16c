import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { SavedSession } from "#agent/coding-agents/saved-session.ts";

describe("SavedSession", () => {
	let folder: string;
	let file: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-kept-"));
		file = join(folder, "conversation.json");
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("returns the conversation of this agent in this folder, and no other", async () => {
		expect(await new SavedSession(file, "one").read("/ws")).to.equal(undefined);
		await new SavedSession(file, "one").write("/ws", "s-1");
		await new SavedSession(file, "one").write("/ws", "s-2");
		expect(await new SavedSession(file, "one").read("/ws")).to.equal("s-2");
		expect(await new SavedSession(file, "one").read("/ws/below")).to.equal(undefined);
		expect(await new SavedSession(file, "two").read("/ws")).to.equal(undefined);
	});

	it("treats an unreadable file as absent", async () => {
		writeFileSync(file, '{"agent":"one","fold');
		expect(await new SavedSession(file, "one").read("/ws")).to.equal(undefined);
	});
});
