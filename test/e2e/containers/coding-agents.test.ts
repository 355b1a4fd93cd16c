/**
 * The real programs of coding agents in an image of sessions that has them, without a network and with a read-only root, with a
 * scripted model that bills. Every row of the table of agents in containers is a test.
 * Night: it starts a Docker engine, installs the agents and builds an image with them.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import type { Agent } from "#shared/contracts/agents.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { AgentStage, script } from "../../agents/agent-stage.ts";
import { AgentsTable } from "../../agents/agents-table.ts";
import { containedChecks, namelessRow } from "../../agents/contained-checks.ts";
import { describeChecks } from "../../agents/described-checks.ts";
import { type AgentPlatform, modelOf } from "../../support/agents/agent-platform.ts";
import { installTestedAgents, testedAgents } from "../../support/agents/proven-agents.ts";
import { ContainedAgents } from "../../support/containers/contained-agents.ts";
import { sessionImage } from "../../support/containers/session-image.ts";
import { eventually } from "../../support/eventually.ts";
import { say } from "../../support/model-server/script.ts";

const ids = testedAgents.map(({ id }) => id);
const installed = testedAgents.filter(({ install }) => install).map(({ id }) => id);

describe("coding agents in an image of sessions", function () {
	this.timeout(900_000);
	let world: ContainedAgents;
	let testbed: AgentPlatform;
	const table = new AgentsTable("contained", [...containedChecks.map(({ row }) => row), namelessRow]);

	before(installTestedAgents);
	before(async () => {
		world = await ContainedAgents.start(installed);
		testbed = await world.open(ids, script);
	});
	after(async () => {
		await world?.[Symbol.asyncDispose]();
		console.log(`\n${table.text()}\n`);
		if (process.env["ATELIER_RECORD_AGENTS"]) table.keep();
	});

	describeChecks(testedAgents, { checks: containedChecks, table, testbed: () => testbed });

	describe("as a user without a name in the image", () => {
		let nameless: AgentPlatform;

		before(async () => {
			nameless = await world.open(ids, script, { user: 300_001 });
		});

		for (const agent of testedAgents)
			it(`${agent.id} answers`, async () => {
				table.set(agent.id, namelessRow, "FAILED");
				await using stage = new AgentStage(agent, nameless);
				const session = await stage.trusted();
				expect((await session.does("NAMELESS", [say("Here I am.")])).content).to.include("Here I am.");
				table.set(agent.id, namelessRow, "+");
			});
	});

	it("are told to lack in another image, with where to read on", async () => {
		const [agent = ""] = installed;
		const api = testbed.platform.client();
		const preset = { name: "bare", workload_config: { image: sessionImage } };
		const { body: made } = await api.post<{ id: string }>("/presets", preset);
		const wanted = { name: "bare", agent, model: modelOf(agent), preset_id: made.id };
		const { body: created } = await api.post<Session>("/sessions", wanted);
		const { error } = await eventually(
			async () => {
				const { body: now } = await api.get<Session>(`/sessions/${created.id}`);
				return now.status === "failed" && now;
			},
			{ withinMs: 60_000, what: "the session has failed" },
		);
		expect(error).to.include(`lacks the coding agent "${agent}"; docs/session-containers.md`);
		const { body } = await api.get<Agent[]>("/agents");
		expect(body.find((one) => one.id === agent)).to.include({ installed_version: null, install_command: null });
	});
});
