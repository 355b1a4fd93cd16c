/** A process that hides its environment keeps what is no secret. It is a process of its own here. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const program = `
import { environment, hideEnvironment } from ${JSON.stringify(join(projectRoot, "shared/config/environment.ts"))};
hideEnvironment(process.argv.slice(1));
console.log(JSON.stringify({ kept: process.env, all: environment() }));
`;

interface Seen {
	readonly kept: Readonly<Record<string, string>>;
	readonly all: Readonly<Record<string, string>>;
}

describe("hideEnvironment()", () => {
	let folder = "";
	before(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-environment-"));
		writeFileSync(join(folder, "program.mts"), program);
	});
	after(() => rmSync(folder, { recursive: true }));

	function seenWith(env: Readonly<Record<string, string>>): Seen {
		const { PATH = "" } = process.env;
		const options = { env: { PATH, ...env }, encoding: "utf8" } as const;
		return JSON.parse(execFileSync(process.execPath, [join(folder, "program.mts")], options)) as Seen;
	}

	it("keeps the proxy that Node's own requests need", () => {
		const proxy = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: "one.example" };
		const { kept, all } = seenWith({ ...proxy, HTTP_PROXY: "http://proxy.example:3128", ONE_KEY: "secret" });
		expect(kept).to.include(proxy);
		expect(kept).to.not.have.any.keys("ONE_KEY", "HTTP_PROXY");
		expect(all).to.include({ ...proxy, ONE_KEY: "secret" });
	});

	it("keeps none with a user or a password in it", () => {
		const { kept, all } = seenWith({ NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://ada:secret@proxy.example:3128" });
		expect(kept).to.include({ NODE_USE_ENV_PROXY: "1" }).and.not.have.property("HTTPS_PROXY");
		expect(all).to.include({ HTTPS_PROXY: "http://ada:secret@proxy.example:3128" });
	});
});
