/** The folder that an image of somebody else gets, made as an init container makes it. */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

describe("the delivered session agent", function () {
	this.timeout(120_000);
	const folder = mkdtempSync(join(tmpdir(), "atelier-delivered-"));
	after(() => rmSync(folder, { recursive: true }));

	const deliver = (...words: string[]) => {
		const program = join(projectRoot, "agent/deliver.ts");
		return spawnSync(process.execPath, [program, ...words], { encoding: "utf8", env: { PATH: process.env["PATH"] } });
	};

	it("has the program, Node.js with its loader and libraries, and the names of its user", () => {
		const { status, stderr } = deliver(folder, "231002");
		expect([status, stderr]).to.deep.equal([0, ""]);
		expect(statSync(join(folder, "lib/node")).size).to.equal(statSync(process.execPath).size);
		expect(readFileSync(join(folder, "bin/node"), "utf8")).to.match(/^#!\/bin\/sh\nexec \/opt\/atelier\/lib\/ld-/);
		expect(readFileSync(join(folder, "etc/passwd"), "utf8")).to.include("agent:x:231002:231002::/home/agent:/bin/sh\n");
		for (const path of ["agent/main.ts", "agent/enter-image.sh", "node_modules/ws/package.json"])
			expect(statSync(join(folder, path)).mode & 0o444, path).to.equal(0o444);
	});

	it("begins to work in a folder of its own, by the loader that it has brought", () => {
		const [loader] = /\/lib\/(ld-\S+)/.exec(readFileSync(join(folder, "bin/node"), "utf8"))?.slice(1) ?? [];
		const lib = join(folder, "lib");
		const words = ["--library-path", lib, join(lib, "node"), "--version"];
		const { stdout } = spawnSync(join(lib, loader ?? ""), words, { encoding: "utf8" });
		expect(stdout.trim()).to.equal(process.version);
	});

	it("is not made without a folder and the number of a user", () => {
		const missing = join(folder, "missing");
		for (const words of [[], [missing], [missing, "agent"]]) {
			expect(deliver(...words).status).to.equal(1);
			expect(existsSync(missing)).to.equal(false);
		}
	});
});
