import { expect } from "chai";
import { agentTitle, launchNameIn, waitingArgument, waitingTitle } from "#shared/wire/pod/agent-title.ts";

const marked = { session_id: "6f1c0d52-0000-4000-8000-000000000001", generation: 2_147_483_647, proof: "p".repeat(22) };

describe("the title of a session agent", () => {
	it("names the launch and its proof, and is read from a command line", () => {
		const name = `${marked.session_id}-g${marked.generation}.${marked.proof}`;
		expect(launchNameIn(`${agentTitle(marked)}\0\0\0`)).to.equal(name);
		expect(launchNameIn("/usr/bin/node\0agent/main.ts\0")).to.equal(undefined);
		expect(launchNameIn(`/bin/x\0${agentTitle(marked)}`)).to.equal(undefined);
		expect(launchNameIn("")).to.equal(undefined);
	});

	it("fits into the arguments of a waiting agent", () => {
		expect(waitingArgument.length).to.be.at.least(agentTitle(marked).length);
		expect(waitingArgument.length).to.be.at.least(waitingTitle.length);
	});
});
