/**
 * The coding agents start in an image of sessions that has them, without a network and with a read-only root, and answer with a model.
 * Night: it starts a Docker engine, installs the agents and builds an image with them.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import type { Agent } from "#shared/contracts/agents.ts";
import { agentCache } from "../../support/agents/install-agents.ts";
import { installTestedAgents, testedAgents } from "../../support/agents/proven-agents.ts";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { buildAgentsImage, sessionImage } from "../../support/containers/session-image.ts";
import { eventually } from "../../support/eventually.ts";
import { say, turns } from "../../support/model-server/script.ts";
import { ask } from "../../support/platform/session-steps.ts";

const installed = testedAgents.filter(({ install }) => install).map(({ id }) => id);

describe("coding agents in an image of sessions", function () {
	this.timeout(900_000);
	let world: ContainedPlatform;

	before(installTestedAgents);
	before(async () => {
		const image = (engine: ContainedPlatform["engine"]) => buildAgentsImage(engine, agentCache, installed);
		const script = turns({ turn: [say("It turns.")] });
		world = await ContainedPlatform.start({ image, kwargs: { images: [sessionImage] }, script });
	});
	after(() => world?.[Symbol.asyncDispose]());

	for (const { id: agent } of testedAgents)
		it(`${agent} answers`, async () => {
			const id = await world.running({ agent });
			expect(await ask(world.api, id, "turn the key")).to.include("It turns.");
			expect((await world.session(id)).warnings).to.deep.equal([]);
			await world.api.delete(`/sessions/${id}`);
		});

	it("are told to lack in another image, with where to read on", async () => {
		const [agent = ""] = installed;
		const preset = { name: "bare", workload_config: { image: sessionImage } };
		const { body: made } = await world.api.post<{ id: string }>("/presets", preset);
		const id = await world.create({ agent, preset_id: made.id });
		const { error } = await eventually(
			async () => {
				const now = await world.session(id);
				return now.status === "failed" && now;
			},
			{ withinMs: 60_000, what: "the session has failed" },
		);
		expect(error).to.include(`lacks the coding agent "${agent}"; docs/session-containers.md`);
		const { body } = await world.api.get<Agent[]>("/agents");
		expect(body.find((one) => one.id === agent)).to.include({ installed_version: null, install_command: null });
	});
});
