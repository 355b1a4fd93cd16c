/** Several processes on one folder of credentials. */
import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileCredentials } from "#services/credentials/credential-stores/file.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const alice = personOf({ tenant: "default", id: "alice" });
const program = join(projectRoot, "test/support/stores/credential-writer.ts");

describe("processes with one folder of credentials", function () {
	this.timeout(60_000);
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-credentials-"));
	});

	afterEach(() => {
		rmSync(folder, { recursive: true, force: true });
	});

	function writer(prefix: string, count: number): ChildProcess {
		return spawn(process.execPath, [program, folder, prefix, String(count)], { stdio: ["ignore", "pipe", "inherit"] });
	}

	async function names(): Promise<string[]> {
		return (await new FileCredentials({ default_dir: folder }).list(alice)).map(({ name }) => name);
	}

	it("lose no change of each other", async () => {
		const writers = ["a", "b", "c"].map((prefix) => writer(prefix, 12));
		const codes = await Promise.all(writers.map((child) => once(child, "exit")));
		expect(codes.map(([code]) => code)).to.deep.equal([0, 0, 0]);
		expect(await names()).to.have.length(36);
	});

	it("go on when one of them is killed while it writes, and lose nothing that it had stored", async () => {
		const doomed = writer("a", 90);
		let said = "";
		doomed.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
		for await (const _ of doomed.stdout ?? []) if (said.split("\n").length > 10) break;
		doomed.kill("SIGKILL");
		const [code] = await once(writer("b", 5), "exit");
		expect(code).to.equal(0);
		const stored = await names();
		expect(stored).to.include.members(said.split("\n").slice(0, 10));
		expect(stored).to.include.members(["b-0", "b-4"]);
		const files = readdirSync(join(folder, "user/alice"));
		expect(files.filter((name) => name.endsWith(".tmp"))).to.deep.equal([]);
		expect(files.toSorted()).to.deep.equal([...stored.map((name) => `${name}.json`), "credentials.json"].toSorted());
	});
});
