import { expect } from "chai";
import { BudgetGate } from "#shared/model-proxy/books/budget-gate.ts";
import { turnClock } from "#shared/base/clock.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import {
	askingCall as call,
	ReservationBank,
	usedTokens as counts,
	waitingMessage as message,
} from "../../../../support/agents/reservation-bank.ts";
import { eventually } from "../../../../support/eventually.ts";
import { freePort } from "../../../../support/machine/free-port.ts";

describe("BudgetGate", () => {
	let bank: ReservationBank;
	let gate: BudgetGate;
	let log: LogBuffer;
	let reported: number;
	let isReported: boolean;
	const { signal } = new AbortController();

	beforeEach(async () => {
		bank = new ReservationBank(await freePort());
		log = new LogBuffer([]);
		reported = 0;
		isReported = true;
	});
	afterEach(async () => {
		await gate.close();
		bank.close();
	});

	function openGate(more: Partial<LaunchDocument>): BudgetGate {
		const launch = { platform_url: bank.url, session_id: "s", pod_token: "t", ...more } as LaunchDocument;
		const told = async () => {
			reported++;
			return isReported;
		};
		gate = new BudgetGate({ launch, log, reported: told, model: () => launch.model_access?.model });
		return gate;
	}

	const model = { model_access: { model: "large" } } as Pick<LaunchDocument, "model_access">;

	it("lets a session without limits go on while the platform cannot be reached", async () => {
		openGate(model);
		const since = performance.now();
		await gate.pass(message, signal);
		expect(await gate.admit(call("a"), signal)).to.equal(undefined);
		expect(performance.now() - since, "2 s are promised").to.be.below(6_000);
		expect(gate.reservationId).to.equal(undefined);
	});

	it("asks nobody when there is neither a model nor a limit", async () => {
		await bank.open();
		openGate({});
		await gate.pass(message, signal);
		expect(bank.asked).to.deep.equal([]);
	});

	it("lets no turn of a session with a limit begin while the platform cannot be reached", async () => {
		openGate({ ...model, budgeted: true });
		let isOpen = false;
		const passing = gate.pass(message, signal).then(() => (isOpen = true));
		await eventually(() => log.after(0).some((entry) => entry.message.includes("does not answer")));
		expect(isOpen).to.equal(false);
		await bank.open();
		await passing;
		expect(gate.reservationId).to.equal(bank.asked.at(-1)?.id);
	});

	for (const nonsense of [
		{ status: 200, text: "<html>" },
		{ status: 500, text: '{"granted":true,"limited":false}' },
		{ status: 302, text: '{"granted":true,"limited":false}' },
	]) {
		it(`takes ${nonsense.status} with ${nonsense.text} for no answer`, async () => {
			await bank.open();
			bank.nonsense = nonsense;
			openGate({ ...model, budgeted: true });
			const passing = gate.pass(message, signal);
			await eventually(() => log.after(0).some((entry) => entry.message.includes("does not answer")));
			expect(gate.reservationId).to.equal(undefined);
			bank.nonsense = undefined;
			await passing;
			expect(gate.reservationId).to.equal(bank.asked.at(-1)?.id);
		});
	}

	it("waits while it is refused, says why once, and goes on within a second after the raise", async () => {
		await bank.open();
		bank.granted = false;
		openGate(model);
		let isOpen = false;
		const passing = gate.pass(message, signal).then(() => (isOpen = true));
		await eventually(() => bank.count("POST") >= 2);
		expect(isOpen).to.equal(false);
		bank.granted = true;
		const since = performance.now();
		await passing;
		const ms = performance.now() - since;
		expect(ms).to.be.below(3_000);
		console.log(`      went on ${Math.round(ms)} ms after the raise`);
		expect(log.after(0).filter((entry) => entry.message.includes("too small"))).to.have.length(1);
		expect(new Set(bank.asked.map(({ id }) => id)), "always the same reservation").to.have.property("size", 1);
	});

	it("reserves before each call for the turn's usage and calls, and returns the rest when that is reported", async () => {
		await bank.open();
		openGate(model);
		await gate.pass(message, signal);
		expect(await gate.admit(call("a"), signal)).to.equal(undefined);
		const alone = { model: "large", input_tokens: 30, output_tokens: 40 };
		expect(bank.asked.at(-1)?.body, "alone: what is likely").to.deep.include({ calls: [alone], used: [] });
		expect(await gate.admit(call("b", Infinity), signal)).to.equal(undefined);
		const most = { model: "large", input_tokens: 300, output_tokens: 400 };
		expect(bank.asked.at(-1)?.body, "beside others: the most").to.deep.include({
			calls: [most, { model: "large", output_tokens: 400 }],
		});
		gate.used({ id: "a", model: "large", counts });
		gate.used({ id: "b", model: "large", counts: undefined });
		expect(await gate.admit(call("c"), signal)).to.equal(undefined);
		const used = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 5, cache_write_tokens: 1 };
		expect(bank.asked.at(-1)?.body).to.deep.include({
			calls: [{ ...alone, input_tokens: 116 }],
			used: [{ model: "large", ...used }],
		});
		gate.used({ id: "c", model: "large", counts: undefined });
		const id = gate.reservationId;
		gate.ended();
		await gate.pass(message, signal);
		expect(reported).to.equal(1);
		expect(bank.asked.slice(-2).map(({ method }) => method)).to.deep.equal(["DELETE", "POST"]);
		expect(bank.asked.at(-2)?.id).to.equal(id);
		expect(gate.reservationId).to.not.equal(id);
	});

	it("refuses a call with a sentence, and asks until the pause can end", async () => {
		await bank.open();
		openGate(model);
		await gate.pass(message, signal);
		bank.granted = false;
		expect(await gate.admit(call("a"), signal)).to.equal("The budget is too small");
		gate.ended();
		await eventually(() => bank.count("DELETE") === 1);
		bank.granted = true;
		await eventually(() => bank.count("DELETE") === 2, { what: "what was only asked for is given back" });
		const asked = bank.asked.length;
		await gate.pass(message, signal);
		expect(bank.asked).to.have.length(asked + 1);
	});

	it("lets a turn wait that could not make the call which was refused last", async () => {
		await bank.open();
		openGate(model);
		await gate.pass(message, signal);
		const isSmall = ({ calls = [] }: { calls?: { input_tokens: number }[] }) => (calls[0]?.input_tokens ?? 0) < 500;
		bank.grants = isSmall;
		const large = { ...call("a"), bounds: { likely: { input: 500, output: 40 }, atMost: { input: 600, output: 400 } } };
		expect(await gate.admit(large, signal)).to.equal("The budget is too small");
		gate.ended();
		const turn = gate.pass({ ...message, id: "n" }, signal);
		await eventually(
			() => bank.asked.filter(({ body }) => JSON.stringify(body).includes('"input_tokens":500')).length > 2,
		);
		expect(bank.asked.at(-1)?.body).to.deep.include({
			calls: [{ model: "large", input_tokens: 500, output_tokens: 40 }],
		});
		bank.grants = () => true;
		await turn;
		expect(await gate.admit(call("b"), signal)).to.equal(undefined);
	});

	it("runs concurrent calls without enough room one after the other (H7)", async () => {
		await bank.open();
		bank.grants = ({ calls }) => !Array.isArray(calls) || calls.length === 1;
		openGate(model);
		await gate.pass(message, signal);
		expect(await gate.admit(call("a"), signal)).to.equal(undefined);
		const order: string[] = [];
		const others = ["b", "c"].map(async (id) => {
			expect(await gate.admit(call(id), signal)).to.equal(undefined);
			order.push(id);
			gate.used({ id, model: "large", counts: undefined });
		});
		await eventually(() => bank.count("POST") >= 4, { what: "both have asked beside the first" });
		expect(order, "as long as the first one is under way").to.deep.equal([]);
		gate.used({ id: "a", model: "large", counts: undefined });
		await Promise.all(others);
		expect(order).to.have.members(["b", "c"]);
	});

	it("keeps its hold while a call is under way, also after its turn (H7)", async () => {
		await bank.open();
		openGate(model);
		await gate.pass(message, signal);
		await gate.admit(call("a"), signal);
		const id = gate.reservationId;
		gate.ended();
		await gate.pass(message, signal);
		expect([bank.count("DELETE"), gate.reservationId]).to.deep.equal([0, id]);
		gate.ended();
		gate.used({ id: "a", model: "large", counts });
		await eventually(() => bank.count("DELETE") === 1);
	});

	it("counts usage until the platform has acknowledged it (H7)", async () => {
		await bank.open();
		openGate({ ...model, budgeted: true });
		isReported = false;
		await gate.admit(call("a"), signal);
		gate.used({ id: "a", model: "large", counts });
		await eventually(() => reported === 1);
		await gate.admit(call("b"), signal);
		expect(bank.asked.at(-1)?.body["used"]).to.have.length(1);
		expect(new Set(bank.asked.map(({ id }) => id)), "one reservation").to.have.property("size", 1);
		isReported = true;
		gate.used({ id: "b", model: "large", counts });
		await eventually(() => bank.count("DELETE") === 1);
	});

	it("learns of a limit that is set in the middle of a turn (H7)", async () => {
		await bank.open();
		bank.limited = false;
		let at = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + at });
		try {
			openGate(model);
			await gate.pass(message, signal);
			bank.limited = true;
			at = 10_000;
			expect(await gate.admit(call("a"), signal), "nothing waits for the answer").to.equal(undefined);
			await eventually(() => gate.isLimited);
			bank.granted = false;
			expect(await gate.admit(call("b"), signal)).to.equal("The budget is too small");
		} finally {
			turnBack();
		}
	});

	it("ends its wait with the dialogue", async () => {
		await bank.open();
		bank.granted = false;
		openGate(model);
		const ending = new AbortController();
		const passing = gate.pass(message, ending.signal).then(
			() => "open",
			() => "over",
		);
		await eventually(() => bank.count("POST") > 0);
		ending.abort();
		expect(await passing).to.equal("over");
	});
});
