import { expect } from "chai";
import { spawn } from "node:child_process";
import { exitOf } from "#agent/io/child-exit.ts";
import { signalGroup } from "#agent/io/process-group.ts";

describe("exitOf()", function () {
	this.timeout(60_000);

	let leader: number | undefined;

	afterEach(() => {
		signalGroup(leader, "SIGKILL");
		leader = undefined;
	});

	function run(script: string) {
		const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"], detached: true });
		leader = child.pid;
		return child;
	}

	it("comes with the exit code when all output is there", async () => {
		const child = run("printf all; exit 3");
		let output = "";
		child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
		expect(await exitOf(child)).to.equal(3);
		expect(output).to.equal("all");
	});

	it("reports a signal like a shell", async () => {
		const child = run("kill -KILL $$");
		child.stdout.resume();
		expect(await exitOf(child)).to.equal(137);
	});

	it("does not wait for a remaining process that holds the output open", async () => {
		const child = run("sleep 600 & exit 4");
		child.stdout.resume();
		expect(await exitOf(child)).to.equal(4);
		expect(child.stdout.closed).to.equal(false);
	});

	it("fails when the program cannot be started", async () => {
		const failure = await exitOf(spawn("/nowhere")).catch((error: unknown) => error);
		expect(failure).to.have.property("code", "ENOENT");
	});
});
