/**
 * kill -9 in the middle of a report, a reservation and the parking of holds: everything counts once, in all accounts.
 * Night: it kills and starts the platform at every step of a report.
 */
import { expect } from "chai";
import type { DayBudget } from "#shared/contracts/sessions/budgets.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Stats, UsageRecord } from "#shared/contracts/sessions/usage.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { type CrashRow, testCrashes } from "../../support/crash-rows.ts";
import { eventually } from "../../support/eventually.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { createSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const model = "claude-sonnet-4-6";
/** The cost of a report in millionths of a dollar; the price is 3 dollars per million tokens. */
const cost = 3_000;
/** The price of a turn in dollars: 16,000 tokens of input and 4,000 of output. */
const turn = 0.12;
const turns = Array.from({ length: 40 }, (_, n) => `turn-${n}`);

const micros = (dollars: number) => Math.round(dollars * 1e6);

describe("kill -9 in the middle of a change of the books", function () {
	this.timeout(180_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let pod: ApiClient;
	let id: string;

	before(async () => {
		platform = await startPlatform({ env: sameDay() });
		api = platform.client();
		({ id } = await createSession(api));
		await api.put(`/sessions/${id}`, { budget: { limit: 10 } });
		await api.put("/budgets/tenant", { limit: 10 });
		const token = openInstallationKey(platform.dataDir, "").podToken(id, (await session()).generation);
		pod = platform.client({ authorization: `Bearer ${token}` });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	const session = async () => (await api.get<Session>(`/sessions/${id}`)).body;
	const budgets = async () => (await api.get<{ tenant: DayBudget; user: DayBudget }>("/budgets")).body;

	const reportPoints = ["usage.kept", "usage.session-booked", "usage.owner-booked", "usage.tenant-booked"];
	const reportRows = reportPoints.map((point, index): CrashRow => {
		const count = index + 1;
		const report = { tokens: 1_000, provider: "cloud", model, report_id: `killed-${count}` };
		const send = () => pod.post<UsageRecord>(`/sessions/${id}/usage`, report);
		const expectCounted = async () => {
			const { tokens_used, message_count, budget } = await session();
			const { tokens_today, cost_today } = (await api.get<Stats>("/stats")).body;
			const { tenant, user } = await budgets();
			expect({ tokens_used, message_count, tokens_today }).to.deep.equal({
				tokens_used: 1_000 * count,
				message_count: count,
				tokens_today: 1_000 * count,
			});
			// These reports have no reservation.
			const sums = [budget.spent, cost_today, tenant.unreserved, user.spent];
			expect(sums.map(micros)).to.deep.equal(sums.map(() => cost * count));
		};
		return {
			change: "a report",
			point,
			send,
			allows: async () => {
				// No report is repeated, so the platform has to find the interrupted one itself.
				await eventually(() => expectCounted().then(() => true), { withinMs: 15_000, what: "the report is counted" });
				const again = await send();
				expect(again.status).to.equal(201);
				expect(again.body).to.include({ tokens: 1_000, cost: cost / 1e6 });
				await expectCounted();
			},
		};
	});

	const reserve = (reservation_id: string) => pod.post(`/sessions/${id}/reservations`, { reservation_id, model });
	const release = async (name: string) =>
		expect((await pod.delete(`/sessions/${id}/reservations/${name}`)).status).to.equal(204);
	const reserved = async () => [(await session()).budget.reserved, (await budgets()).tenant.reserved];

	const reservationRows = ["budgets.session-held", "budgets.day-held"].map((point): CrashRow => {
		const name = `held-at-${point.length}`;
		return {
			change: "a reservation",
			point,
			send: () => reserve(name),
			allows: async () => {
				expect((await reserve(name)).body).to.deep.include({ granted: true, amount: turn });
				expect(await reserved()).to.deep.equal([turn, turn]);
				await release(name);
				expect(await reserved()).to.deep.equal([0, 0]);
			},
		};
	});

	const held = async () => Math.round((await budgets()).tenant.reserved / turn);
	let acknowledged = 0;
	const parking: CrashRow = {
		change: "the parking of holds",
		point: "budgets.holds-parked",
		send: async () => {
			for (const name of turns) {
				if ((await reserve(name)).status !== 200) break;
				acknowledged++;
			}
		},
		shows: async () => {
			expect(acknowledged).to.be.within(17, 39);
			expect(await held()).to.be.within(acknowledged, acknowledged + 1);
		},
		allows: async () => {
			for (const name of turns) expect((await reserve(name)).body).to.deep.include({ granted: true });
			expect(await held()).to.equal(turns.length);
			for (const name of turns) await release(name);
			expect(await held()).to.equal(0);
		},
	};

	testCrashes(() => platform, [...reportRows, ...reservationRows, parking]);
});
