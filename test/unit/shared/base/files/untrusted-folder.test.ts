import { expect } from "chai";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readUntrusted, UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { oddFiles, putOdd } from "../../../../support/hostile/odd-files.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("a folder that is not trusted", () => {
	const folder = useFolder();
	const path = () => join(folder(), "f");

	for (const kind of Object.keys(oddFiles).filter((one) => one !== "a folder")) {
		it(`is not entered when it is ${kind} (H3)`, async () => {
			await putOdd(kind, path());
			expect(await failureOf(UntrustedFolder.open(path()))).to.be.instanceOf(UntrustedFileError);
		});
	}

	it("is not entered through a link (H3)", async () => {
		mkdirSync(join(folder(), "real"));
		symlinkSync(join(folder(), "real"), path());
		expect(await failureOf(UntrustedFolder.open(path()))).to.be.instanceOf(UntrustedFileError);
		expect(await UntrustedFolder.open(join(folder(), "none"))).to.equal(undefined);
	});

	it("remains the opened one when another takes its name", async () => {
		for (const name of ["f", "other"]) {
			mkdirSync(join(folder(), name));
			writeFileSync(join(folder(), name, "word"), name);
		}
		await using opened = await UntrustedFolder.open(path());
		renameSync(path(), join(folder(), "gone"));
		symlinkSync(join(folder(), "other"), path());
		expect((await readUntrusted(opened?.path("word") ?? "", 10))?.toString()).to.equal("f");
	});
});
