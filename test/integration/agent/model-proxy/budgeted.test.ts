/** The model proxy of a session with a budget: the terms of calls, and the booking of calls that hide their usage. */
import { expect } from "chai";
import type { CallUnderWay } from "#shared/model-proxy/metering/metered-call.ts";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { totalTokens } from "#shared/wire/models/token-counts.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Script } from "../../../support/model-server/answer.ts";
import { askModel, userMessage } from "../../../support/model-server/simple-caller.ts";
import { ProxiedModel } from "../../../support/agents/open-proxy.ts";

const asked = { ...userMessage("hi"), isStreaming: true };

function budgeted(script: Script, more: Partial<ModelCallsDependencies> = {}): Promise<ProxiedModel> {
	return ProxiedModel.open(script, { isLimited: () => true, ...more });
}

describe("model proxy: with a budget", function () {
	this.timeout(30_000);

	for (const wire of modelWires) {
		it(`reads the usage of a stream whose caller has disconnected: ${wire} (H7)`, async () => {
			await using model = await budgeted(() => ({ text: "one two three", fault: { kind: "slow", everyMs: 20 } }));
			const leaving = new AbortController();
			const onText = (): void => leaving.abort();
			await askModel(model.access, wire, { ...asked, signal: leaving.signal, onText }).catch(() => undefined);
			const metered = await eventually(() => model.metered[0]);
			expect(metered).to.deep.include({ end: "whole", isEstimated: false, counts: model.server.billed.total });
			expect(model.server.billed.calls[0]?.end).to.equal("whole");
		});
	}

	it("reads such a stream for 5 s at most, and few at once, and books the rest at an estimate (H7)", async () => {
		await using model = await budgeted(() => ({ text: "hello", fault: { kind: "stall", after: 1 } }));
		const leaving = new AbortController();
		const asking = Array.from({ length: 12 }, () =>
			askModel(model.access, "openai-chat", { ...asked, signal: leaving.signal }).catch(() => undefined),
		);
		await eventually(() => model.server.billed.calls.length === 12);
		const since = performance.now();
		leaving.abort();
		await Promise.all(asking);
		await eventually(() => model.metered.length >= 4, { what: "those beyond eight end at once" });
		await eventually(() => model.metered.length === 12, { withinMs: 15_000 });
		console.log(`      listened for ${Math.round(performance.now() - since)} ms`);
		for (const { isEstimated, counts, end } of model.metered) {
			expect([isEstimated, end]).to.deep.equal([true, "left"]);
			expect(counts?.output).to.equal(4_000);
			expect(counts?.input).to.be.within(10, 1_000);
		}
		expect(model.logged.at(-1)).to.contain("was not reported completely: it is estimated");
	});

	it("books a call whose provider reports no usage at an estimate, also before its end (H7)", async () => {
		const begun: CallUnderWay[] = [];
		await using model = await budgeted(() => ({ text: "x".repeat(100_000), isSilent: true }), {
			onBegun: async (call) => void begun.push(call),
		});
		for (const wire of modelWires) {
			for (const isStreaming of [true, false]) await askModel(model.access, wire, { ...asked, isStreaming });
		}
		expect(model.metered).to.have.length(8);
		for (const { wire, isEstimated, counts } of model.metered) {
			expect(isEstimated).to.equal(true);
			// The caller of this wire has to name its limit: 1,000.
			if (wire === "anthropic") expect(counts?.output).to.equal(1_000);
			else expect(counts?.output, "a quarter of the bytes at least").to.be.within(25_000, 128_000);
		}
		expect(begun.map(({ isEstimated, id }) => [isEstimated, id])).to.deep.equal(
			model.metered.map(({ id }) => [true, id]),
		);
	});

	it("books nothing for a call that was not sent, or was refused (H7)", async () => {
		await using model = await budgeted(() => ({ text: "hello" }));
		for (const status of [400, 429, 500]) {
			model.server.failNext({ kind: "status", status });
			await askModel(model.access, "anthropic", asked);
		}
		const endpoints = { anthropic: "http://127.0.0.1:9" };
		await using nowhere = await budgeted(() => ({}), { access: model.server.access({ endpoints }) });
		expect((await askModel(nowhere.access, "anthropic", asked)).status).to.equal(502);
		expect([...model.metered, ...nowhere.metered].map(({ counts }) => counts)).to.deep.equal(Array(4).fill(undefined));
	});

	it("sends the body as it was parsed: no member occurs twice (H7)", async () => {
		await using model = await budgeted(() => ({ text: "hello" }));
		const body = '{"model":"dear","max_tokens":60000,"messages":[],"model":"scripted-1","max_tokens":5}';
		const headers = { "x-api-key": model.access.key };
		const { status } = await fetch(`${model.access.endpoints.anthropic}/v1/messages`, {
			method: "POST",
			headers,
			body,
		});
		expect(status).to.equal(200);
		const [request] = model.server.requests;
		expect(Number(request?.headers["content-length"])).to.equal(
			JSON.stringify({ model: "scripted-1", max_tokens: 5, messages: [] }).length,
		);
		expect(request?.body).to.deep.equal({ model: "scripted-1", max_tokens: 5, messages: [] });
	});

	it("ends at once while streams are read, and reports all calls", async () => {
		const model = await budgeted(() => ({ text: "hello", fault: { kind: "stall", after: 1 } }));
		const leaving = new AbortController();
		const asking = askModel(model.access, "openai-chat", { ...asked, signal: leaving.signal }).catch(() => undefined);
		await eventually(() => model.server.billed.calls.length === 1);
		leaving.abort();
		await asking;
		const since = performance.now();
		await model[Symbol.asyncDispose]();
		expect(performance.now() - since).to.be.below(4_000);
		expect(totalTokens(model.counts)).to.be.above(4_000);
	});
});
