import { expect } from "chai";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keepMark, markFile, readMark, removeMark } from "#services/pod-manager/runtime-change/runtime-mark.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("the mark of a proven engine", () => {
	const folder = useFolder();

	it("is kept, replaced and removed", async () => {
		expect(await readMark(folder())).to.equal(undefined);
		await removeMark(folder());
		await keepMark(folder(), { socket: "/run/one.sock" });
		await keepMark(folder(), { socket: "/run/other.sock" });
		expect(await readMark(folder())).to.deep.equal({ socket: "/run/other.sock" });
		await removeMark(folder());
		expect(await readMark(folder())).to.equal(undefined);
	});

	it("is known in its earlier form, and is not taken for missing when it cannot be read", async () => {
		mkdirSync(join(folder(), "host"));
		const read = (content: string) => {
			writeFileSync(markFile(folder()), content);
			return readMark(folder());
		};
		expect(await read("containers")).to.deep.equal({ socket: "/var/run/docker.sock" });
		for (const content of ["", "processes", "{}", '{"socket":1}', '{"socket":"engine.sock"}', "x".repeat(9_000)])
			expect(await failureOf<Error>(read(content)), content.slice(0, 20)).to.be.an("error");
	});
});
