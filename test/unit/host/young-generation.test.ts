import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/**
 * Makes 20 MB of objects that survive twice, with the young generation kept small and released, and prints its sizes in MB. Node's
 * own start must not have made it larger before, so V8's factor is set when the module has been loaded.
 */
const program = `
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { keepYoungGenerationSmall, releaseYoungGeneration } from ${JSON.stringify(join(projectRoot, "host/young-generation.ts"))};
const kept = [];
function sizeAfterSurvivors() {
	for (let n = 0; n < 400_000; n++) kept.push({ n, text: "x" + n });
	gc({ type: "minor" });
	return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size / 2 ** 20;
}
setFlagsFromString("--semi-space-growth-factor=2");
keepYoungGenerationSmall();
const small = sizeAfterSurvivors();
releaseYoungGeneration();
console.log(JSON.stringify({ small, released: sizeAfterSurvivors() }));`;

describe("the young generation", () => {
	it("stays at its least size although everything survives, and grows when it is released", () => {
		const flags = ["--semi-space-growth-factor=1", "--expose-gc", "--input-type=module"];
		const printed = execFileSync(process.execPath, [...flags, "-e", program], { encoding: "utf8" });
		const { small, released } = JSON.parse(printed) as { small: number; released: number };
		expect(small).to.be.at.most(4);
		expect(released).to.be.at.least(16);
	});
});
