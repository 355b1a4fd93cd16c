/**
 * The suite of every coding agent, for the real programs whose records say that they are proven.
 * Long: it installs coding agents and starts each of them again and again.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareAgentHome } from "#agent/coding-agents/agent-home.ts";
import { readAgentRecord } from "#agent/coding-agents/agent-record.ts";
import { agentCache } from "../support/agents/install-agents.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { say, shell, turns } from "../support/model-server/script.ts";
import { openAgent } from "../support/agents/open-agent.ts";
import { installTestedAgents, testedAgents } from "../support/agents/proven-agents.ts";
import { waitCommand } from "../support/agents/wait-command.ts";
import { describeCodingAgent } from "./coding-agent.contract.ts";

/**
 * Kills the process that the agent has started: some agents run commands in children of theirs. Some refuse `$(…)`.
 */
const killAgent = `node -e "${[
	"let [pid, parent] = [process.pid, process.ppid];",
	"const statusOf = (one) => require('node:fs').readFileSync('/proc/' + one + '/status', 'utf8');",
	`while (![1, ${process.pid}].includes(parent)) [pid, parent] = [parent, Number(/PPid:[^0-9]*([0-9]+)/.exec(statusOf(parent))[1])];`,
	"process.kill(pid, 'SIGKILL');",
].join(" ")}"`;

describe("real agents", function () {
	this.timeout(180_000);
	let folder: string;
	let model: ModelServer;
	let opened = 0;

	before(installTestedAgents);
	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-real-agents-"));
		const script = turns({
			GREET: [say("hello")],
			WAIT: [shell(waitCommand(join(folder, "waiting.pid"))), say("never")],
			DIE: [shell(`${killAgent}; sleep 5`), say("never")],
		});
		model = await ModelServer.listen({ script });
	});
	after(async () => {
		await model?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	for (const { id } of testedAgents) {
		describeCodingAgent(id, {
			async open() {
				const home = join(folder, String(++opened));
				mkdirSync(home);
				const { endpoints, key } = model;
				const proxy = { token: key, url: (wire: keyof typeof endpoints): string => endpoints[wire] };
				const record = await readAgentRecord(id, {
					model: model.model,
					compile_cache: "",
					home,
					state: join(home, "state"),
					agents: join(agentCache, "agents"),
					reachable: { model: model.model, context_window: 128_000, proxy },
				});
				await prepareAgentHome(record, home, join(home, "state"));
				return openAgent(record, home);
			},
			hello: "GREET me",
			endless: "WAIT for me",
			deadly: "DIE now",
		});
	}
});
