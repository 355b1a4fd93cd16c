import { expect } from "chai";
import { fillRecord, readAgentRecord } from "#agent/agent-record.ts";
import { LaunchFailure } from "#agent/launch-failure.ts";

const nowhere = { model: "", compile_cache: "" };

describe("readAgentRecord()", () => {
	it("knows the built-in agent, on any machine", async () => {
		const {
			id,
			command,
			env,
			late_update_ms: late,
		} = await readAgentRecord("builtin", { model: "m1", compile_cache: "" });
		expect([id, command[0], env, late]).to.deep.equal(["builtin", process.execPath, { ATELIER_MODEL: "m1" }, 0]);
	});

	it("names the agents there are when there is none of that name", async () => {
		const failure = await readAgentRecord("nobody", nowhere).catch((error: unknown) => error);
		expect(failure)
			.to.be.instanceOf(LaunchFailure)
			.with.property("message", 'There is no coding agent "nobody"; known: builtin');
	});
});

describe("fillRecord()", () => {
	const record = { id: "x", title: "X", command: ["{node}", "{unknown}", "a{model}b"], env: { M: "{model}", N: "n" } };

	it("fills the places it knows and leaves out variables that stay empty", () => {
		const { command, env, late_update_ms: late } = fillRecord(record, { node: "/bin/node", model: "" });
		expect([command, env, late]).to.deep.equal([["/bin/node", "{unknown}", "ab"], { N: "n" }, 300]);
	});

	const broken: unknown[] = [
		undefined,
		[],
		{ ...record, command: [] },
		{ ...record, command: "x" },
		{ ...record, env: { A: 1 } },
	];
	for (const wrong of [...broken, { ...record, id: 1 }, { ...record, late_update_ms: "1" }]) {
		it(`refuses ${JSON.stringify(wrong)}`, () => expect(() => fillRecord(wrong, {})).to.throw(LaunchFailure));
	}
});
