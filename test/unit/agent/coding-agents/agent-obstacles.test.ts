import { expect } from "chai";
import { agentObstacles, modelObstacles } from "#agent/coding-agents/agent-obstacles.ts";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { useFolder } from "../../../support/use-folder.ts";

describe("what keeps an agent from its start", () => {
	const folder = useFolder();
	const records = [...readAgentRecords().values()];
	const needing =
		records.find(({ needs_model, install }) => needs_model && install) ?? expect.fail("no agent needs a model");
	const builtin = records.find(({ id }) => id === "builtin") ?? expect.fail("no built-in agent");
	const spoken = modelWires.filter((wire) => wire in needing.wires);

	it("is everything at once, with the command to type last", () => {
		const obstacles = agentObstacles(needing, undefined, folder());
		expect(obstacles).to.have.length(2);
		expect(obstacles[0]).to.include("needs a model");
		expect(obstacles[1]).to.include("npm run agents -- install");
	});

	it("is nothing for the built-in agent, which needs neither", () => {
		expect(agentObstacles(builtin, undefined, folder())).to.deep.equal([]);
	});

	it("is a model that speaks no format of the agent, unless nobody knows what it speaks", () => {
		expect(modelObstacles(needing, { model: "m", wires: spoken })).to.deep.equal([]);
		expect(modelObstacles(needing, { model: "m", wires: [] })).to.deep.equal([]);
		const silent = { ...needing, wires: {} };
		expect(modelObstacles(silent, { model: "m", wires: ["gemini"] })).to.have.length(1);
		expect(modelObstacles(silent, { model: "m", wires: ["gemini"], reason: "No key" })[0]).to.equal("No key");
	});
});
