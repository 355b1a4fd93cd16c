/**
 * Many turns of one tenant in three processes that share its budget, of which one is killed: the limit holds at every
 * moment, and each reservation and each report counts once.
 * Night: it starts a cluster and waits until calls of a killed process are over, which takes a minute.
 */
import { expect } from "chai";
import { sleep } from "#shared/base/clock.ts";
import type { DayBudget, Reservation } from "#shared/contracts/sessions/budgets.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { type Cluster, startCluster } from "../../support/cluster/start-cluster.ts";
import { sameDay } from "../../support/machine/same-day.ts";
import { createSession } from "../../support/platform/session-steps.ts";

const model = "claude-sonnet-4-6";
const sessions = 12;
const turnsEach = 10;
/** The amounts that a turn reserves and then spends, in micro-dollars. */
const held = 120_000;
const spent = 60_000;
/** The tokens of input that cost as much, at 3 dollars per million. */
const tokens = 20_000;
/** The budget has room for half of the turns. */
const room = (sessions * turnsEach) / 2;
const limit = (room * held) / 1e6;
/** The time in which every request has a decisive answer, in milliseconds. */
const decidedMs = 120_000;

interface Turn {
	readonly pod: ApiClient;
	readonly session: string;
	readonly id: string;
}

function micros(dollars: number): number {
	return Math.round(dollars * 1e6);
}

describe("a crowd of turns of one tenant", function () {
	this.timeout(300_000);
	let cluster: Cluster;
	let turns: Turn[];
	/** The count of answers with each status; `none` for requests without an answer. */
	const answers = new Map<number | "none", number>();

	before(async () => {
		cluster = await startCluster({ gateways: 1, cores: 3, env: sameDay() });
		// A gateway is ready when all services are there; without a pod manager, no agent has turns of its own.
		await cluster.member("pod-manager-1").kill();
		const key = openInstallationKey(cluster.platform.dataDir, "");
		const made = Array.from({ length: sessions }, async () => {
			const { id, generation } = await createSession(cluster.client());
			const pod = cluster.client("gateway-1", { authorization: `Bearer ${key.podToken(id, generation)}` });
			return Array.from({ length: turnsEach }, (_, n) => ({ pod, session: id, id: `turn-${n}` }));
		});
		turns = (await Promise.all(made)).flat();
		await cluster.client().put("/budgets/tenant", { limit });
	});
	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(Object.fromEntries(answers), cluster?.lastLines());
	});
	after(() => cluster?.[Symbol.asyncDispose]());

	/** Sends a request as pods do: until it has one of the expected answers. */
	async function decided<T>(expected: number, send: () => Promise<Answer<T>>): Promise<T> {
		const end = Date.now() + decidedMs;
		for (;;) {
			const answer = await send().catch(() => undefined);
			const status = answer?.status ?? "none";
			answers.set(status, (answers.get(status) ?? 0) + 1);
			if (answer?.status === expected) return answer.body;
			if (Date.now() > end) throw new Error(`The last answer was ${status}: ${answer?.text}`);
			await sleep(100);
		}
	}

	function reserve({ pod, session, id }: Turn): Promise<Reservation> {
		return decided(200, () => pod.post(`/sessions/${session}/reservations`, { reservation_id: id, model }));
	}

	/** Reports what the turn has spent. */
	async function report({ pod, session, id }: Turn): Promise<void> {
		const usage = { tokens, provider: "cloud", model, reservation_id: id, report_id: id };
		await decided(201, () => pod.post(`/sessions/${session}/usage`, usage));
	}

	async function release({ pod, session, id }: Turn): Promise<void> {
		await decided(204, () => pod.delete(`/sessions/${session}/reservations/${id}`));
	}

	async function day(): Promise<{ spent: number; reserved: number }> {
		const { tenant } = await decided<{ tenant: DayBudget }>(200, () => cluster.client().get("/budgets"));
		return { spent: micros(tenant.spent), reserved: micros(tenant.reserved) };
	}

	it("spends and reserves no more than the limit, and loses and doubles nothing, with a process killed", async () => {
		let isOver = false;
		let most = 0;
		const watching = (async () => {
			while (!isOver) {
				const now = await day();
				most = Math.max(most, now.spent + now.reserved);
				await sleep(20);
			}
		})();
		let done = 0;
		let killed: Promise<void> | undefined;
		const granted = new Set<Turn>();
		const run = async (turn: Turn) => {
			if ((await reserve(turn)).granted) {
				granted.add(turn);
				await report(turn);
			}
			if (++done === turns.length / 4) killed = cluster.member("core-2").kill();
		};
		await Promise.all(turns.map(run));
		await killed;
		await cluster.member("core-2").start();
		// A request beside others may be refused for a hold that is released a moment later.
		for (const turn of turns.filter((one) => !granted.has(one))) await run(turn);
		expect(granted.size, "turns that had room").to.equal(room);
		expect(await day()).to.deep.equal({ spent: room * spent, reserved: room * (held - spent) });

		await Promise.all([...granted].map(report));
		await Promise.all([...granted].map(release));
		expect(await day(), "reports that are repeated count once").to.deep.equal({ spent: room * spent, reserved: 0 });

		const later = turns.filter((one) => !granted.has(one));
		await Promise.all(later.map(run));
		for (const turn of later.filter((one) => !granted.has(one))) await run(turn);
		const remaining = Math.floor((room * held - room * spent) / held);
		expect(granted.size - room, "turns that have the room of what was released").to.equal(remaining);
		isOver = true;
		await watching;
		expect(most, "micro-dollars at any moment").to.be.within(room * held - held, room * held);

		for (const session of new Set(turns.map((turn) => turn.session))) {
			const its = [...granted].filter((turn) => turn.session === session).length;
			const { body } = await cluster.client().get<Session>(`/sessions/${session}`);
			expect(body).to.include({ tokens_used: its * tokens });
		}
		expect(answers.get("none"), "requests without an answer").to.equal(undefined);
		expect([200, 201, 204, 429, 503, 504]).to.include.members([...answers.keys()]);
	});
});
