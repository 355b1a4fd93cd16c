/**
 * The books of a platform that is killed in the middle of a report or a reservation: everything counts once.
 * Long: it kills and starts the platform at every step of a report.
 */
import { expect } from "chai";
import type { DayBudget } from "#shared/contracts/sessions/budgets.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Stats, UsageRecord } from "#shared/contracts/sessions/usage.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { createSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const model = "claude-sonnet-4-6";
/** The price is 3 dollars per million tokens. */
const report = { tokens: 1_000, provider: "cloud", model };
const cost = 0.003;

describe("books after a kill", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let pod: ApiClient;
	let id: string;
	let count = 0;

	before(async () => {
		platform = await startPlatform({ env: sameDay() });
		api = platform.client();
		({ id } = await createSession(api));
		await api.put(`/sessions/${id}`, { budget: { limit: 10 } });
		const token = openInstallationKey(platform.dataDir, "").podToken(id, (await session()).generation);
		pod = platform.client({ authorization: `Bearer ${token}` });
		await api.put("/budgets/tenant", { limit: 10 });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	/** Kills the platform when it first passes the point, and starts it again without the failpoint. */
	async function killedAt(point: string, request: () => Promise<unknown>): Promise<void> {
		await platform.stop();
		platform.processes = [platform.startProcess([], { ATELIER_FAILPOINTS: `${point}=kill` })];
		await platform.ready();
		const outcome = await request().then(
			() => "answered",
			() => "lost",
		);
		expect(outcome).to.equal("lost");
		await eventually(() => platform.processes.every(({ hasEnded }) => hasEnded));
		await platform.start();
	}

	async function session(): Promise<Session> {
		return (await api.get<Session>(`/sessions/${id}`)).body;
	}

	for (const point of ["usage.kept", "usage.session-booked", "usage.owner-booked", "usage.tenant-booked"]) {
		it(`count a report once in all accounts, killed at ${point}`, async () => {
			const sent = { ...report, report_id: `killed-${++count}` };
			const post = () => pod.post<UsageRecord>(`/sessions/${id}/usage`, sent);
			await killedAt(point, post);
			const numbers = async () => {
				const { tokens_used, message_count, budget } = await session();
				const { tokens_today, cost_today } = (await api.get<Stats>("/stats")).body;
				const { tenant, user } = (await api.get<{ tenant: DayBudget; user: DayBudget }>("/budgets")).body;
				// These reports have no reservation.
				const sums = [budget.spent, cost_today, tenant.unreserved, user.spent];
				const spent = sums.map((dollars) => Math.round(dollars * 1e6));
				return { tokens_used, message_count, tokens_today, spent };
			};
			const all = 1_000 * count;
			const expected = {
				tokens_used: all,
				message_count: count,
				tokens_today: all,
				spent: Array.from({ length: 4 }, () => Math.round(cost * 1e6) * count),
			};
			// No report is repeated, so the platform has to find the interrupted one itself.
			await eventually(async () => (await session()).tokens_used === all, { withinMs: 15_000 });
			expect(await numbers()).to.deep.equal(expected);
			const again = await post();
			expect(again.status).to.equal(201);
			expect(again.body).to.include({ tokens: 1_000, cost });
			expect(await numbers()).to.deep.equal(expected);
		});
	}

	for (const point of ["budgets.session-held", "budgets.day-held"]) {
		it(`hold a reservation once, killed at ${point}`, async () => {
			const reserve = () =>
				pod.post(`/sessions/${id}/reservations`, { reservation_id: `held-at-${point.length}`, model });
			await killedAt(point, reserve);
			const answer = await reserve();
			expect(answer.body).to.deep.include({ granted: true, amount: 0.12 });
			const held = async () => {
				const { tenant } = (await api.get<{ tenant: DayBudget }>("/budgets")).body;
				return [(await session()).budget.reserved, tenant.reserved];
			};
			expect(await held()).to.deep.equal([0.12, 0.12]);
			expect((await pod.delete(`/sessions/${id}/reservations/held-at-${point.length}`)).status).to.equal(204);
			expect(await held()).to.deep.equal([0, 0]);
		});
	}
});
