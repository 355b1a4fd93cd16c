/** A reader knows where a file belongs before looking: small folders, wiring at the root of a service, tests beside their source. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const most = 20;

/** Tests that belong to no single file of the product. */
const withoutSource = ["test/unit/docs/", "test/unit/project/", "test/unit/test/"];

describe("the layout of the project", () => {
	const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.js"], {
		cwd: projectRoot,
		encoding: "utf8",
	}).split("\n");
	const product = files.filter((file) => /^(agent|cli|host|services|shared)\//.test(file));

	it("has no folder of the product or its tests with more than twenty files", () => {
		const folders = Map.groupBy(
			files.filter((file) => product.includes(file) || file.startsWith("test/")),
			dirname,
		);
		const piles = [...folders].filter(([, inside]) => inside.length > most);
		expect(piles.map(([folder, inside]) => `${folder}: ${inside.length}`)).to.deep.equal([]);
		expect(folders.size).to.be.above(100);
	});

	it("has the wiring of services at the root of their folder, which has a compose.ts", () => {
		const wiring = files.filter((file) => file.endsWith(".service.ts") && file.startsWith("services/"));
		expect(wiring.filter((file) => dirname(dirname(file)) !== "services")).to.deep.equal([]);
		const folders = new Set(
			product.filter((file) => /^services\/[^/]+\//.test(file)).map((file) => file.split("/")[1]),
		);
		const composed = [...folders].filter((folder) => files.includes(`services/${folder}/compose.ts`));
		expect(composed).to.deep.equal([...folders]);
	});

	it("has a source for every unit test, at the same place", () => {
		const tests = files.filter((file) => file.startsWith("test/unit/") && file.endsWith(".test.ts"));
		const strays = tests.filter((file) => {
			const source = join(dirname(file).slice("test/unit/".length), basename(file, ".test.ts"));
			const isThere = files.includes(`${source}.ts`) || files.includes(`${source}.js`);
			return !isThere && !withoutSource.some((folder) => file.startsWith(folder));
		});
		expect(strays).to.deep.equal([]);
	});
});
