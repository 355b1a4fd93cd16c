/** The session agent's own records, which its coding agent can replace by anything: nothing makes it wait. */
import { expect } from "chai";
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Journal } from "#shared/base/files/journal.ts";
import { SavedSession } from "#agent/coding-agents/saved-session.ts";
import { StatusKeeper } from "#agent/status-keeper.ts";
import { replaceFileSync } from "#shared/base/files/replaced-file.ts";
import { readMemory, writeMemory } from "#agent/timeline/timeline-memory.ts";
import { UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { failureOf } from "../../support/failure-of.ts";
import { oddFiles, putOdd, releasePipes } from "../../support/hostile/odd-files.ts";
import { SmallDisk } from "../../support/hostile/small-disk.ts";
import { useFolder } from "../../support/use-folder.ts";

const kinds = Object.keys(oddFiles);
const replaceable = kinds.filter((kind) => kind !== "a folder");

describe("records of a session agent", () => {
	afterEach(() => releasePipes(folder()));
	const folder = useFolder();
	const path = () => join(folder(), "f");

	for (const kind of kinds) {
		it(`a journal is not read from ${kind} (H3)`, async () => {
			await putOdd(kind, path());
			expect(await failureOf(Journal.open(path()))).to.be.instanceOf(UntrustedFileError);
		});

		it(`what is remembered is not read from ${kind} (H3)`, async () => {
			await putOdd(kind, path());
			expect(await readMemory(path())).to.equal(undefined);
			expect(await new SavedSession(path(), "one").read("/ws")).to.equal(undefined);
		});
	}

	for (const kind of replaceable) {
		it(`what is remembered takes the place of ${kind} (H3)`, async () => {
			for (const name of ["f", "f.tmp", "f.next"]) await putOdd(kind, join(folder(), name));
			await writeMemory(path(), { heads: {}, seconds: 5 });
			expect(await readMemory(path())).to.deep.equal({ heads: {}, seconds: 5 });
			await new SavedSession(path(), "one").write("/ws", "s-1");
			expect(await new SavedSession(path(), "one").read("/ws")).to.equal("s-1");
		});

		it(`a status takes the place of ${kind} (H3)`, async () => {
			await putOdd(kind, path());
			new StatusKeeper((content) => replaceFileSync(path(), content)).enter("ready");
			expect(lstatSync(path()).isFile()).to.equal(true);
			expect(JSON.parse(readFileSync(path(), "utf8"))).to.include({ phase: "ready" });
		});

		it(`a rewritten journal replaces ${kind}, and goes on (H3)`, async () => {
			const { journal } = await Journal.open(path());
			await journal.append({ n: 1 });
			for (const name of ["f", "f.tmp"]) await putOdd(kind, join(folder(), name));
			await journal.rewrite(() => [{ n: 2 }]);
			await journal.append({ n: 3 });
			await journal.close();
			const again = await Journal.open(path());
			expect(again.records).to.deep.equal([{ n: 2 }, { n: 3 }]);
			await again.journal.close();
		});
	}

	it("does not write through a link under the name of a temporary file (H3)", async () => {
		const precious = join(folder(), "precious");
		writeFileSync(precious, "stays");
		for (const suffix of ["tmp", "next"]) symlinkSync(precious, `${path()}.${suffix}`);
		new StatusKeeper((content) => replaceFileSync(path(), content)).enter("ready");
		await writeMemory(path(), { heads: {}, seconds: 5 });
		await new SavedSession(path(), "one").write("/ws", "s-1");
		expect(readFileSync(precious, "utf8")).to.equal("stays");
	});

	it("a journal without room for a rewrite is unchanged, and goes on (if it may mount)", async function () {
		using disk = SmallDisk.mount(2);
		if (!disk) return this.skip();
		const file = join(disk.folder, "f");
		const { journal } = await Journal.open(file);
		await journal.append({ n: 1 });
		disk.fill();
		expect(await failureOf(journal.rewrite(() => [{ text: "x".repeat(1_048_576) }]))).to.have.property(
			"code",
			"ENOSPC",
		);
		expect(readdirSync(disk.folder).toSorted()).to.deep.equal(["ballast", "f"]);
		disk.empty();
		await journal.append({ n: 2 });
		await journal.close();
		const again = await Journal.open(file);
		expect(again.records).to.deep.equal([{ n: 1 }, { n: 2 }]);
		await again.journal.close();
	});
});
