/** Most interfaces and classes that a folder exports say in a comment what their types cannot say. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

const least = 0.6;

interface Shape {
	readonly name: string;
	readonly isDocumented: boolean;
}

/** The exported interfaces and classes of a source; a comment counts when it ends in the line above the declaration. */
function shapesOf(source: string): Shape[] {
	const shapes: Shape[] = [];
	let above = "";
	for (const line of source.split("\n")) {
		const name = /^export (?:abstract )?(?:class|interface) (\w+)/.exec(line)?.[1];
		if (name) shapes.push({ name, isDocumented: above.trimEnd().endsWith("*/") });
		above = line;
	}
	return shapes;
}

describe("the documentation of exported interfaces and classes", () => {
	const shapes = new Map(
		["agent", "cli", "host", "services", "shared"].map((folder) => [
			folder,
			trackedFiles(`${folder}/*.ts`).flatMap((file) => {
				const found = shapesOf(readFileSync(join(projectRoot, file), "utf8"));
				return found.map((shape) => ({ ...shape, name: `${file}: ${shape.name}` }));
			}),
		]),
	);

	it("covers at least 60 % of each folder", () => {
		for (const [folder, found] of shapes) {
			expect(found.length, folder).to.be.above(5);
			const bare = found.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name);
			const share = 1 - bare.length / found.length;
			expect(share, `Without a comment:\n${bare.join("\n")}`).to.be.at.least(least);
		}
	});

	it("is counted for a comment directly above a declaration only", () => {
		const source = [
			"/** The head of the file. */",
			'import { a } from "./a.ts";',
			"export interface Bare {}",
			"/** A comment. */",
			"export abstract class Documented {}",
			"class Local {}",
		].join("\n");
		expect(shapesOf(source)).to.deep.equal([
			{ name: "Bare", isDocumented: false },
			{ name: "Documented", isDocumented: true },
		]);
	});
});
