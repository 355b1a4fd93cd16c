import { expect } from "chai";
import { constants, existsSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	copyUntrusted,
	openUntrusted,
	readUntrusted,
	trimUntrusted,
	UntrustedFileError,
} from "#shared/base/files/untrusted-file.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { oddFiles, putOdd, releasePipes } from "../../../../support/hostile/odd-files.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("a file that is not trusted", () => {
	afterEach(() => releasePipes(folder()));
	const folder = useFolder();
	const path = () => join(folder(), "f");

	for (const kind of Object.keys(oddFiles)) {
		it(`is not read, copied, opened or emptied when it is ${kind} (H3)`, async () => {
			await putOdd(kind, path());
			expect(await failureOf(readUntrusted(path(), 1_000))).to.be.instanceOf(UntrustedFileError);
			expect(await failureOf(copyUntrusted(path(), `${path()}.copy`, 1_000))).to.be.instanceOf(UntrustedFileError);
			expect(existsSync(`${path()}.copy`)).to.equal(false);
			if (kind === "a huge file") return;
			const append = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
			expect(await failureOf(openUntrusted(path(), append))).to.be.instanceOf(UntrustedFileError);
			await trimUntrusted(path(), 0);
		});
	}

	it("is read completely up to its bound, and not at all beyond", async () => {
		expect(await readUntrusted(path(), 5)).to.equal(undefined);
		for (const content of ["", "four", "fives"]) {
			writeFileSync(path(), content);
			expect((await readUntrusted(path(), 5))?.toString()).to.equal(content);
		}
		writeFileSync(path(), "sixsix");
		expect(await failureOf(readUntrusted(path(), 5))).to.be.instanceOf(UntrustedFileError);
	});

	it("is bounded even if it reports no size", async () => {
		expect(await failureOf(readUntrusted("/proc/self/mountinfo", 0))).to.be.instanceOf(UntrustedFileError);
	});

	it("is copied with its time, and replaces anything", async () => {
		const content = "0123456789".repeat(250_000);
		writeFileSync(path(), content);
		utimesSync(path(), 1_000, 1_000);
		const elsewhere = join(folder(), "elsewhere");
		writeFileSync(elsewhere, "stays");
		symlinkSync(elsewhere, `${path()}.copy`);
		expect(await copyUntrusted(path(), `${path()}.copy`, content.length)).to.equal(1_000_000);
		expect(readFileSync(`${path()}.copy`, "utf8")).to.equal(content);
		expect(readFileSync(elsewhere, "utf8")).to.equal("stays");
		expect(await copyUntrusted(join(folder(), "none"), `${path()}.copy`, 1)).to.equal(undefined);
	});

	it("is emptied above its bound only", async () => {
		writeFileSync(path(), "12345");
		await trimUntrusted(path(), 5);
		expect(statSync(path()).size).to.equal(5);
		await trimUntrusted(path(), 4);
		expect(statSync(path()).size).to.equal(0);
		await trimUntrusted(join(folder(), "none"), 4);
	});
});
