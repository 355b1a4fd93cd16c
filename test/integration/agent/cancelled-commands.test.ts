/** The processes that remain after a cancelled turn, with an agent that does not end its commands itself. */
import { expect } from "chai";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentUpdate, CodingAgent } from "#agent/coding-agents/coding-agent.ts";
import { startTimeOf } from "#shared/base/files/process-files.ts";
import { eventually } from "../../support/eventually.ts";
import { openAgent, scriptedRecord } from "../../support/agents/open-agent.ts";

describe("a cancelled turn", function () {
	this.timeout(60_000);
	let folder: string;
	let agent: CodingAgent;
	let said: string;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-cancelled-"));
		agent = await openAgent({ ...scriptedRecord(), late_update_ms: 0 }, folder);
		said = "";
	});
	afterEach(async () => {
		await agent.close();
		rmSync(folder, { recursive: true });
	});

	const keep = (update: AgentUpdate): void => void (update.type === "text" && (said += update.text));
	/** A process whose exit status alone remains has ended. */
	const isAlive = (pid: number): boolean => startTimeOf(pid) !== undefined;
	const helpers = (): number[] => said.trim().split(" ").map(Number);

	/** A command line that writes its process id into a file, and goes on. */
	const running = (name: string, more = ""): string =>
		`${more} echo $$ > ${join(folder, name)}.new; mv ${join(folder, name)}.new ${join(folder, name)}; while :; do sleep 1; done`;
	async function pidIn(name: string): Promise<number> {
		const file = join(folder, name);
		await eventually(() => existsSync(file), { what: `${name} runs` });
		return Number(readFileSync(file, "utf8"));
	}

	/** Returns the commands that still run. @param names The names of all commands that the message starts. */
	async function leftOf(message: string, names: readonly string[]): Promise<number[]> {
		const turn = agent.prompt(message, keep);
		const pids = await Promise.all(names.map(pidIn));
		expect(pids.map(isAlive)).to.not.include(false);
		agent.cancel();
		expect(await turn).to.equal("cancelled");
		return pids.filter(isAlive);
	}

	it("ends the running command and its processes, and no server of the agent", async () => {
		const command = `setsid sh -c '${running("child")}' & ${running("own")}`;
		expect(await leftOf(`helper\nhelper piped\ncommand ${command}\nhang`, ["own", "child"])).to.deep.equal([]);
		expect(helpers().map(isAlive)).to.deep.equal([true, true]);
	});

	it("ends a command that was reported after its start, and one that ignores SIGTERM", async () => {
		const command = running("own", "trap '' TERM;");
		expect(await leftOf(`helper piped\nunasked ${command}\nhang`, ["own"])).to.deep.equal([]);
		expect(helpers().map(isAlive)).to.deep.equal([true]);
	});

	it("ends nothing when no command is running, and no process of earlier turns", async () => {
		await agent.prompt(`command ${running("before")}`, keep);
		const before = await pidIn("before");
		await agent.prompt("helper", keep);
		const turn = agent.prompt("helper\nhang", keep);
		await eventually(() => helpers().length === 2);
		agent.cancel();
		await turn;
		expect([before, ...helpers()].map(isAlive)).to.deep.equal([true, true, true]);
	});
});
