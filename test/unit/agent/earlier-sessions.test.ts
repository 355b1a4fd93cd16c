import { expect } from "chai";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { earlierSessions, removeSessions } from "#agent/earlier-sessions.ts";

const [one, other] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];

describe("the records of earlier sessions", () => {
	const root = mkdtempSync(join(tmpdir(), "atelier-records-"));
	const folder = join(root, "state");
	const { signal } = new AbortController();

	beforeEach(() => {
		for (const name of [one, other, "of-somebody"]) mkdirSync(join(folder, name, "deep"), { recursive: true });
		writeFileSync(join(root, "kept"), "");
	});
	after(() => rmSync(root, { recursive: true }));

	it("are found by the form of their names", async () => {
		expect((await earlierSessions(folder)).toSorted()).to.deep.equal([one, other]);
		expect(await earlierSessions(join(root, "missing"))).to.deep.equal([]);
	});

	it("are removed for the named sessions only, and a link in their place is not followed", async () => {
		rmSync(join(folder, one), { recursive: true });
		symlinkSync(root, join(folder, one));
		await removeSessions(folder, [one, "of-somebody", "..", "../kept"], signal);
		expect(readdirSync(folder).toSorted()).to.deep.equal([other, "of-somebody"]);
		expect(existsSync(join(root, "kept"))).to.equal(true);
	});

	it("stay when the session ends first", async () => {
		await removeSessions(folder, [other], AbortSignal.abort());
		expect(existsSync(join(folder, other))).to.equal(true);
	});
});
