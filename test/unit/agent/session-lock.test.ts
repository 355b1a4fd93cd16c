import { expect } from "chai";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";

/** The path is longer than that of a socket may be. */
const longName = "d".repeat(120);

describe("holdSession() (L1)", function () {
	this.timeout(60_000);
	let root: string;
	let folder: string;
	const children: ChildProcess[] = [];

	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), "atelier-lock-"));
		folder = join(root, longName, "state");
	});
	afterEach(async () => {
		for (const child of children.splice(0)) {
			if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
		}
		rmSync(root, { recursive: true, force: true });
	});

	/** A process that tries to lock the session once the file `go` exists, and reports whether it has the lock. */
	function contender(
		go = join(root, "go"),
		before = "",
	): ChildProcess & { said: Promise<string>; loaded: Promise<unknown> } {
		const program = `import { existsSync } from "node:fs";
			import { holdSession } from ${JSON.stringify(join(projectRoot, "agent/session-lock.ts"))};
			console.log("loaded");
			while (!existsSync(${JSON.stringify(go)}));
			const has = holdSession(${JSON.stringify(folder)});
			${before}
			console.log(has ? "mine" : "taken");
			setInterval(() => {}, 60_000);`;
		const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "-e", program], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		children.push(child);
		let output = "";
		child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
		const has = (word: RegExp) => () => word.exec(output)?.[0];
		return Object.assign(child, {
			loaded: eventually(has(/loaded/), { withinMs: 20_000, what: "it is loaded" }),
			get said() {
				return eventually(has(/mine|taken/), { withinMs: 20_000, what: "it has tried" });
			},
		});
	}

	function go(): void {
		writeFileSync(join(root, "go"), "");
	}

	it("gives the session to exactly one of several that begin at the same moment, with paths of any length", async () => {
		const all = Array.from({ length: 4 }, () => contender());
		await Promise.all(all.map(({ loaded }) => loaded));
		go();
		const said = await Promise.all(all.map((one) => one.said));
		expect(said.toSorted()).to.deep.equal(["mine", "taken", "taken", "taken"]);
		expect(Buffer.byteLength(folder)).to.be.above(108);
	});

	it("is free at once when its holder was killed, even if its children live on", async () => {
		go();
		const childFile = join(root, "child");
		const spawnChild = `(await import("node:child_process")).spawn("sh", ["-c", "echo $$ > ${childFile}; exec sleep 60"], { detached: true, stdio: "ignore" });`;
		const first = contender(undefined, spawnChild);
		expect(await first.said).to.equal("mine");
		await eventually(() => existsSync(childFile) && statSync(childFile).size > 0);
		first.kill("SIGKILL");
		await once(first, "exit");
		try {
			expect(await contender().said).to.equal("mine");
		} finally {
			process.kill(Number(readFileSync(childFile, "utf8")), "SIGKILL");
		}
	});

	it("stays with its holder after a garbage collection", async () => {
		go();
		expect(await contender(undefined, "globalThis.gc();").said).to.equal("mine");
		expect(await contender().said).to.equal("taken");
	});

	it("is a file that nobody else can open", async () => {
		go();
		expect(await contender().said).to.equal("mine");
		expect(statSync(folder).mode & 0o777).to.equal(0o700);
	});
});
