/** Every server hears its errors (shared/net/sockets/listen.ts). */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

/** The files that let a server listen themselves; the second one needs no success. */
const own = ["shared/net/sockets/listen.ts", "shared/store/embedded/embedded-copies.ts"];
const listens = /(?:[sS]erver|[dD]oor)\.listen\(/;

describe("the servers of the project", () => {
	it("listen by the one function that keeps a listener for their errors", () => {
		const files = trackedFiles("agent/**/*.ts", "cli/**/*.ts", "host/**/*.ts", "services/**/*.ts", "shared/**/*.ts");
		const found = files.filter((file) => listens.test(readFileSync(join(projectRoot, file), "utf8")));
		expect(found).to.have.members(own);
	});
});
