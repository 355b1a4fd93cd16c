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

describe("holds that a pod returns", () => {
	let bank: ReservationBank;
	let gate: BudgetGate;
	const { signal } = new AbortController();

	beforeEach(async () => {
		bank = new ReservationBank(await freePort());
	});
	afterEach(async () => {
		await gate.close();
		bank.close();
	});

	/** The gate of a session with a budget. */
	function openGate(): void {
		const launch = { platform_url: bank.url, session_id: "s", pod_token: "t", budgeted: true } as LaunchDocument;
		const log = new LogBuffer([]);
		gate = new BudgetGate({ launch, log, reported: async () => true, model: () => "large" });
	}

	/** Gives the platform room for one reservation, and makes it slow to accept a returned one. */
	function giveRoomForOne(): void {
		bank.grants = ({ reservation_id: id }) => bank.held.size === 0 || bank.held.has(String(id));
		bank.returnMs = 300;
		bank.granted = true;
	}

	it("refuses no call because of its own hold for a question about a pause", async () => {
		await bank.open();
		bank.granted = false;
		openGate();
		expect(await gate.admit(call("a"), signal)).to.equal("The budget is too small");
		await eventually(() => bank.count("POST") === 2, { what: "it asks whether the pause is over" });
		giveRoomForOne();
		await eventually(() => bank.held.size === 1, { what: "the pause is over", everyMs: 1 });
		expect(await gate.admit(call("b"), signal)).to.equal(undefined);
	});

	it("lets no turn wait because of its own hold for a question about a pause", async () => {
		await bank.open();
		bank.granted = false;
		openGate();
		await gate.admit(call("a"), signal);
		await eventually(() => bank.count("POST") === 2, { what: "it asks whether the pause is over" });
		giveRoomForOne();
		await eventually(() => bank.held.size === 1, { what: "the pause is over", everyMs: 1 });
		const refused = bank.refused;
		await gate.pass(message, signal);
		expect(bank.refused).to.equal(refused);
	});

	it("refuses no call because of a returned hold", async () => {
		await bank.open();
		openGate();
		giveRoomForOne();
		await gate.admit(call("a"), signal);
		gate.used({ id: "a", model: "large", counts });
		await eventually(() => bank.count("DELETE") === 1, { everyMs: 1 });
		expect(await gate.admit(call("b"), signal)).to.equal(undefined);
		expect(bank.asked.at(-1)?.body["used"], "under a reservation of its own").to.deep.equal([]);
	});

	it("makes a new reservation when the earlier one may have expired, so nothing is counted twice", async () => {
		await bank.open();
		let at = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + at });
		try {
			openGate();
			await gate.pass(message, signal);
			const id = gate.reservationId;
			await gate.admit(call("a"), signal);
			gate.used({ id: "a", model: "large", counts });
			at = 200_000;
			await gate.admit(call("b"), signal);
			expect(gate.reservationId, "not after minutes").to.equal(id);
			gate.used({ id: "b", model: "large", counts });
			giveRoomForOne();
			at = 600_000;
			expect(await gate.admit(call("c"), signal)).to.equal(undefined);
			expect(gate.reservationId).not.to.equal(id);
			expect(bank.asked.at(-1)).to.deep.nested.include({ id: gate.reservationId, "body.used": [] });
			expect(bank.asked.at(-2)).to.include({ method: "DELETE", id });
		} finally {
			turnBack();
		}
	});

	it("finds the end of a pause even if no call waits", async () => {
		await bank.open();
		bank.granted = false;
		openGate();
		await gate.admit(call("a"), signal);
		await eventually(() => bank.count("POST") === 2, { what: "it asks whether the pause is over" });
		await gate.admit(call("b"), AbortSignal.timeout(1));
		giveRoomForOne();
		await eventually(() => bank.held.size === 1, { what: "the pause is over" });
		await eventually(() => bank.held.size === 0, { what: "what was only asked for is returned" });
	});
});
