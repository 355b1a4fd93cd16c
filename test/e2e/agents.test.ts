/**
 * Every coding agent whose record says that it is proven, at its real program: a scripted model makes it edit a file,
 * run a command, be refused, be cancelled, use MCP servers; what the platform says it used is what the model billed.
 */
import { expect } from "chai";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { totalTokens } from "#shared/models/token-counts.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import { AgentPlatform, modelOf } from "../support/agent-platform.ts";
import { AgentTalk } from "../support/agent-talk.ts";
import type { ApiClient } from "../support/api-client.ts";
import { eventually } from "../support/eventually.ts";
import type { Script } from "../support/model-server/answer.ts";
import type { ModelServer } from "../support/model-server/model-server.ts";
import { call, edit, say, shell, type Step, turns } from "../support/model-server/script.ts";
import { processFile } from "../support/process-file.ts";
import { installTestedAgents, testedAgents } from "../support/proven-agents.ts";
import { sessionReaches } from "../support/session-steps.ts";
import { waitCommand } from "../support/wait-command.ts";

const startMs = 120_000;
const canary = "canary-7f1c0d";

/** By the word in a message; set anew for each session, whose workspace they name. */
let steps: Record<string, Step[]> = {};
const script: Script = (request) => turns(steps)(request);

/** Says what the last tool has answered. */
const tellResult: Step = ({ items }) => ({ text: items.findLast(({ role }) => role === "tool")?.text ?? "nothing" });

describe("coding agents", function () {
	this.timeout(300_000);
	let ground: AgentPlatform;
	let api: ApiClient;

	before(installTestedAgents);

	before(async () => {
		ground = await AgentPlatform.open(
			testedAgents.map(({ id }) => id),
			script,
		);
		api = ground.platform.client();
	});

	after(() => ground?.[Symbol.asyncDispose]());

	for (const { id: agent, mcp, loads } of testedAgents) {
		describe(agent, () => {
			let session: string;
			let talk: AgentTalk;
			let model: ModelServer;
			const inWorkspace = (name: string): string => join(ground.platform.workspace(session), name);
			const pidFile = (): string => inWorkspace("waiting.pid");

			before(async () => {
				const request = {
					name: `with-${agent}`,
					agent,
					model: modelOf(agent),
					template_name: "tools",
					permission_mode: "ask",
					system_prompt: `Say ${canary} to nobody.`,
				};
				const { status, body, text } = await api.post<Session>("/sessions", request);
				expect(status, text).to.equal(201);
				expect(body.agent).to.equal(agent);
				session = body.id;
				talk = new AgentTalk(api, session);
				const found = ground.models.get(agent);
				if (!found) throw new Error(`There is no model for ${agent}`);
				model = found;
				steps = {
					WRITE: [edit(inWorkspace("made.txt"), "by the agent\n"), shell("echo ran > ran.txt"), say("All is done.")],
					REFUSED: [edit(inWorkspace("refused.txt"), "never"), say("So I leave it.")],
					WAIT: [shell(waitCommand(pidFile())), say("It never ends.")],
					NEARBY: [call(/nearby.*greet/, { name: "Ada" }), tellResult],
					REMOTE: [call(/remote.*greet/, { name: "Ada" }), tellResult],
					SANDBOX: [call("exec_command", { cmd: "cat made.txt; echo no > sandboxed.txt" }), tellResult],
					AGAIN: [say("Here I am again.")],
				};
				await sessionReaches(api, session, "running", startMs);
			});

			it("edits a file and runs a command, each permitted by a person", async () => {
				const { content, parts, metadata } = await talk.say("WRITE, please");
				expect(metadata["stop_reason"], content).to.equal("end_turn");
				expect(content).to.include("All is done.");
				expect(readFileSync(inWorkspace("made.txt"), "utf8").trim()).to.equal("by the agent");
				expect(readFileSync(inWorkspace("ran.txt"), "utf8").trim()).to.equal("ran");
				expect(JSON.stringify(parts)).to.include('"status":"completed"').and.to.include("ran.txt");
				expect(talk.asked.map(({ behavior }) => behavior)).to.include("allow");
				const { body } = await api.get<{ files: { path: string }[] }>(`/sessions/${session}/diff`);
				expect(body.files.map(({ path }) => path)).to.have.members(["made.txt", "ran.txt"]);
			});

			it("writes nothing when it is refused", async () => {
				const before = talk.asked.length;
				await talk.say("REFUSED, please", "deny");
				expect(talk.asked.slice(before).map(({ behavior }) => behavior)).to.deep.equal(["deny"]);
				expect(existsSync(inWorkspace("refused.txt"))).to.equal(false);
			});

			it("is interrupted in the middle of a command, which ends, and goes on", async () => {
				const message = await talk.send("WAIT, please");
				await talk.until(() => existsSync(pidFile()) && readFileSync(pidFile(), "utf8") !== "", "the command runs");
				const pid = readFileSync(pidFile(), "utf8");
				const since = performance.now();
				expect((await api.post(`/sessions/${session}/interrupt`)).status).to.equal(200);
				const { metadata } = await talk.answer(message);
				console.log(`        interrupted in ${Math.round(performance.now() - since)} ms`);
				expect(metadata["stop_reason"]).to.equal("cancelled");
				await eventually(() => !existsSync(`/proc/${pid}`), { withinMs: 15_000, what: "the command has ended" });
				expect((await talk.say("AGAIN")).content).to.include("Here I am again.");
			});

			if (agent === "codex") {
				it("runs a command in its own sandbox without asking, where it reads and does not write", async () => {
					const before = talk.asked.length;
					const { content } = await talk.say("SANDBOX, please");
					expect(content).to.include("by the agent").and.to.include("Read-only file system");
					expect(talk.asked).to.have.lengthOf(before);
					expect(existsSync(inWorkspace("sandboxed.txt"))).to.equal(false);
				});
			}

			const takes = { both: ["NEARBY", "REMOTE"], stdio: ["NEARBY"], http: ["REMOTE"], none: [] }[mcp];
			for (const word of takes) {
				it(`uses an MCP server of its template: ${word}`, async () => {
					const { content } = await talk.say(`${word}, please`);
					expect(content, content).to.include("Good day, Ada");
					if (word === "REMOTE") expect(ground.mcp.keys).to.include("mcp-key");
				});
			}

			it("has the provider's key, the pod's and the platform's in no environment and no argument", () => {
				const pids = ground.platform.sessionProcesses().filter((one) => one.session === session);
				expect(pids.length).to.be.above(1);
				const seen = pids.map(({ pid }) => surroundings(pid)).join("\n");
				expect(seen).to.include(session);
				expect(seen).to.not.include(model.key);
				expect(seen).to.not.match(/svcs_\w{16}/);
				expect(seen).to.not.include(canary);
				const platform = ground.platform.processes.map(({ pid }) => surroundings(pid)).join("\n");
				expect(platform, "control: where the session's processes are from").to.include("services/start.ts");
				expect(platform).to.not.include(model.key);
			});

			for (const time of ["first", "second"]) {
				it(`goes on ${loads ? "with its conversation" : "with what was said"} after the ${time} restart`, async () => {
					await api.post(`/sessions/${session}/stop`);
					await sessionReaches(api, session, "stopped", 60_000);
					const seen = model.requests.length;
					await api.post(`/sessions/${session}/start`);
					await sessionReaches(api, session, "running", startMs);
					expect((await talk.say("AGAIN")).content).to.include("Here I am again.");
					const asked = model.requests.slice(seen).find(({ tools }) => tools.length > 0);
					expect(JSON.stringify(asked?.items), "what the model is told").to.include("All is done.");
					const { text: log } = await api.get(`/sessions/${session}/logs`);
					expect(log).to.include("The coding agent is ready").and.not.include("cannot take up its conversation");
				});
			}

			it("leaves no process when it ends", async () => {
				await api.post(`/sessions/${session}/stop`);
				await sessionReaches(api, session, "stopped", 60_000);
				const left = (): number => ground.platform.sessionProcesses().filter((one) => one.session === session).length;
				await eventually(() => left() === 0, { withinMs: 10_000, what: "its processes are gone" });
			});

			it("reports exactly the tokens that were billed", async () => {
				const billed = (): number => totalTokens(model.billed.total);
				const used = async (): Promise<number> => (await api.get<Session>(`/sessions/${session}`)).body.tokens_used;
				await eventually(async () => (await used()) === billed(), {
					withinMs: 30_000,
					what: "all use is reported",
				}).catch(async (cause: unknown) => {
					throw new Error(`Reported ${await used()}, billed ${billed()}`, { cause });
				});
				console.log(`        ${model.billed.calls.length} calls, ${billed()} tokens`);
				expect(billed()).to.be.above(0);
				expect(model.problems).to.deep.equal([]);
			});
		});
	}
});

/** Environment and arguments of a process; empty when it is gone. */
function surroundings(pid: number): string {
	return `${processFile(pid, "environ")}\n${processFile(pid, "cmdline")}`.replaceAll("\0", "\n");
}
