import { expect } from "chai";
import { ToolPermissions } from "#agent/builtin/tools/tool-permissions.ts";

type Client = ConstructorParameters<typeof ToolPermissions>[0];

const call = { toolCallId: "c" };
const need = { key: "write", always: "Always allow writing" };
const { signal } = new AbortController();

describe("ToolPermissions", () => {
	let asked: number;
	let answer: () => Promise<unknown>;
	const permissions = () =>
		new ToolPermissions({
			requestPermission: () => {
				asked++;
				return answer();
			},
		} as Pick<Client, "requestPermission"> as Client);

	const chosen = (optionId: string) => async () => ({ outcome: { outcome: "selected", optionId } });

	beforeEach(() => {
		asked = 0;
		answer = chosen("allow_once");
	});

	it("asks each time, until the answer is always, which holds for that need alone", async () => {
		const one = permissions();
		expect([await one.ask(call, need, signal), await one.ask(call, need, signal), asked]).to.deep.equal([
			"allowed",
			"allowed",
			2,
		]);
		answer = chosen("allow_always");
		await one.ask(call, need, signal);
		answer = chosen("reject_once");
		expect(await one.ask(call, need, signal)).to.equal("allowed");
		expect(asked).to.equal(3);
		expect(await one.ask(call, { ...need, key: "run" }, signal)).to.equal("rejected");
	});

	it("asks nobody in the mode that needs no permission", async () => {
		const one = permissions();
		one.mode = "auto";
		expect([await one.ask(call, need, signal), asked]).to.deep.equal(["allowed", 0]);
	});

	it("permits nothing when the client fails, or answers what was not offered", async () => {
		const odd: unknown[] = [undefined, "selected", {}, { outcome: "selected", optionId: "other" }];
		for (const outcome of odd) {
			answer = async () => ({ outcome });
			expect(await permissions().ask(call, need, signal), JSON.stringify(outcome)).to.equal("rejected");
		}
		answer = () => Promise.reject(new Error("gone"));
		expect(await permissions().ask(call, need, signal)).to.equal("rejected");
	});

	it("is cancelled with its turn, while the question is open and before", async () => {
		answer = () => new Promise(() => {});
		const turn = new AbortController();
		const asking = permissions().ask(call, need, turn.signal);
		turn.abort();
		expect(await asking).to.equal("cancelled");
		expect(await permissions().ask(call, need, turn.signal)).to.equal("cancelled");
		answer = async () => ({ outcome: { outcome: "cancelled" } });
		expect(await permissions().ask(call, need, signal)).to.equal("cancelled");
	});
});
