import { expect } from "chai";
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFile, replaceFile, replaceFileSync } from "#shared/base/files/replaced-file.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { oddFiles, putOdd, releasePipes } from "../../../../support/hostile/odd-files.ts";
import { SmallDisk } from "../../../../support/hostile/small-disk.ts";
import { useFolder } from "../../../../support/use-folder.ts";

const ways = {
	"replaceFile()": replaceFile,
	"replaceFileSync()": async (path: string, content: string) => replaceFileSync(path, content),
};

describe("a file that is written whole", () => {
	afterEach(() => releasePipes(folder()));
	const folder = useFolder();
	const path = () => join(folder(), "f");

	for (const [way, replace] of Object.entries(ways)) {
		for (const kind of Object.keys(oddFiles).filter((one) => one !== "a folder")) {
			it(`takes the place of ${kind}: ${way} (H3)`, async () => {
				await putOdd(kind, path());
				await replace(path(), "content");
				expect(readFileSync(path(), "utf8")).to.equal("content");
				expect(statSync(path()).mode & 0o777).to.equal(0o600);
			});
		}

		it(`writes through no link, and leaves nothing beside itself: ${way}`, async () => {
			const elsewhere = join(folder(), "elsewhere");
			writeFileSync(elsewhere, "stays");
			symlinkSync(elsewhere, path());
			await replace(path(), "content");
			expect(readFileSync(elsewhere, "utf8")).to.equal("stays");
			expect(readdirSync(folder()).toSorted()).to.deep.equal(["elsewhere", "f"]);
		});

		it(`leaves the former one whole on a full disk, and nothing beside it (where it may mount): ${way}`, async function () {
			using disk = SmallDisk.mount(2);
			if (!disk) return this.skip();
			const file = join(disk.folder, "f");
			await replace(file, "former");
			disk.fill();
			const failure = await failureOf(replace(file, "x".repeat(1_048_576)));
			expect(failure).to.be.an("error").with.property("code", "ENOSPC");
			expect(readFileSync(file, "utf8")).to.equal("former");
			expect(readdirSync(disk.folder).toSorted()).to.deep.equal(["ballast", "f"]);
		});
	}

	it("is made once: an existing file is kept (H3)", async () => {
		expect(await createFile(path(), "first")).to.equal(true);
		expect(await createFile(path(), "second")).to.equal(false);
		expect(readFileSync(path(), "utf8")).to.equal("first");
		for (const kind of Object.keys(oddFiles)) {
			await putOdd(kind, path());
			expect(await createFile(path(), "content"), kind).to.equal(false);
			releasePipes(folder());
			rmSync(`${path()}.end`, { force: true });
		}
	});
});
