import { expect } from "chai";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import type { Installed } from "#shared/wire/agents/installed-agent.ts";
import { agentTable } from "../../../../cli/agents/agent-table.ts";

describe("agentTable()", () => {
	const records = [...readAgentRecords().values()];
	const [first] = records.filter(({ install }) => install !== undefined);
	const version = first?.install?.version ?? "";

	function stateOf(found?: Partial<Installed>): string {
		const installed = found && { package: "p", version, lock: "", size_mb: 1, ...found };
		const lines = agentTable(records, (id) => (id === first?.id ? installed : undefined)).split("\n");
		return (
			lines
				.find((line) => line.startsWith(`${first?.id} `))
				?.split(/ {2,}/)
				.at(-1) ?? ""
		);
	}

	it("has a line for every agent, with aligned columns", () => {
		const lines = agentTable(records, () => undefined).split("\n");
		expect(lines).to.have.length(records.length + 1);
		const start = lines[0]?.indexOf("STATE") ?? 0;
		for (const line of lines) expect(line.slice(start - 2, start + 1)).to.match(/^ {2}\S$/);
	});

	it("says what is installed, and whether it is the version that is wanted", () => {
		expect(stateOf()).to.equal("not installed");
		expect(stateOf({})).to.equal("installed");
		expect(stateOf({ version: "0.0.1" })).to.equal("installed in version 0.0.1: install it again");
	});
});
