import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StatusFile } from "#agent/status-file.ts";
import { podWarnings } from "#shared/contracts/sessions/session-work.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";
import { useFolder } from "../../support/use-folder.ts";

describe("StatusFile", () => {
	const folder = useFolder();

	it("keeps the warnings of a launch through its phases, each one once and within bounds", () => {
		const path = join(folder(), "status.json");
		const file = new StatusFile(path);
		file.warn("first");
		file.enter("ready");
		file.warn("first");
		for (let more = 0; more < 20; more++) file.warn(`${more}`.padEnd(1_000, "x"));
		const { phase, warnings = [] } = JSON.parse(readFileSync(path, "utf8")) as PodStatus;
		expect(phase).to.equal("ready");
		expect(warnings).to.have.length(podWarnings.count);
		expect(warnings.slice(0, 2)).to.deep.equal(["first", "0".padEnd(podWarnings.length, "x")]);
	});
});
