/** The requested resources hold for the coding agent and its commands, with the real shell and, where it is installed, `taskset`. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { expect } from "chai";
import { limitedCommand } from "#agent/coding-agents/limited-command.ts";
import { TestSession } from "../../../support/pods/test-pod.ts";

const seen = "$ ulimit -d; nproc";

describe("resources of a session", function () {
	this.timeout(60_000);

	it("bound the memory of each process, and the processors", async function () {
		if (availableParallelism() < 2) this.skip();
		await using session = new TestSession();
		const pod = await session.start({ resource_config: { cpu: "500m", memory: "1Gi" } });
		const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;
		expect((await pod.ask(seen)).content).to.equal(`1048576\n${hasTaskset ? 1 : availableParallelism()}\n`);
		const allocate = (bytes: number) => `$ node -e 'Buffer.alloc(${bytes})' 2> /dev/null && echo yes || echo no`;
		expect((await pod.ask(allocate(1.5 * 2 ** 30))).content).to.equal("no\n");
		expect((await pod.ask(allocate(2 ** 28))).content).to.equal("yes\n");
		const [warning = ""] = pod.status?.warnings ?? [];
		expect(warning).to.include("memory holds for each process").and.include("nothing limits this session as a whole");
	});

	it("are those of the machine for a session that asks for none", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		expect((await pod.ask(seen)).content).to.equal(`unlimited\n${availableParallelism()}\n`);
		expect(pod.status?.warnings ?? []).to.deep.equal([]);
	});

	it("without `taskset` let the agent start, with a warning", async function () {
		if (availableParallelism() < 2) this.skip();
		const command = ["node", "a b.js"];
		const limited = await limitedCommand(command, { processors: 1 }, { id: "a", path: "/nonexistent:relative" });
		expect(limited.command).to.deep.equal(command);
		expect(limited.warnings).to.deep.equal(['The session\'s processors are not limited: "taskset" is not installed']);
	});
});
