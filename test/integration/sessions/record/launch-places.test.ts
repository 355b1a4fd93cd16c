/** Claims over a real store: the concurrent starts of one owner are limited, and nobody else waits for them. */
import { expect } from "chai";
import { measureWaitingLaunches } from "#services/sessions/claims/waiting-launches.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import type { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import type { Principal } from "#shared/base/principal.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { Claim, Observation } from "#shared/contracts/sessions/session-work.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { alice, bob } from "../../../support/bus/test-brokers.ts";
import { Random } from "../../../faults/random.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

const ofOne = 2;
const reached = { ...seen("launching"), address: "http://127.0.0.1:1" };

describe("LaunchPlaces", () => {
	let opened: StoreUnderTest;
	let records: SessionRecords;
	let commands: SessionCommands;
	let claims: SessionClaims;
	let hints: string[];
	let laterMs: number;
	let putBack: () => void;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection]);
		records = new SessionRecords(opened.store, () => {});
		commands = commandsOver(records, opened.store);
		hints = [];
		claims = openClaims();
		laterMs = 0;
		putBack = turnClock({ now: () => Date.now() + laterMs, monotonic: () => performance.now() });
	});
	afterEach(async () => {
		putBack();
		await opened.discard();
	});

	/** Returns the claims of one process. */
	function openClaims(): SessionClaims {
		return new SessionClaims(opened.store, {
			records,
			workspaces: workspacesOver(opened.store),
			hint: (id) => hints.push(id),
			forget: async () => {},
		});
	}

	async function create(principal: Principal, count: number): Promise<string[]> {
		const ids: string[] = [];
		for (let n = 0; n < count; n++) {
			// Sessions of one millisecond have no order.
			laterMs++;
			const made = await commands.create({ principal }, { request: sessionCreate() });
			ids.push((JSON.parse(textOf(made)) as { id: string }).id);
		}
		return ids;
	}

	const claimDue = (limit = 16): Promise<Claim[]> => claims.claim(limit, undefined, { startingPerOwner: ofOne });

	/** Returns those of the sessions that wait for their start and are due. */
	async function mayStart(ids: readonly string[]): Promise<string[]> {
		const at = Date.now() + laterMs;
		const found = await Promise.all(ids.map((id) => opened.store.get(sessionCollection, id)));
		const waiting = found.filter((document) => document?.status === "starting" && (document.due_at ?? at) < at);
		return waiting.flatMap((document) => document?.id ?? []);
	}

	async function reasonOf(id: string): Promise<string | undefined> {
		return (await records.get(alice, id)).session.status_reason?.code;
	}

	function report(claim: Claim | undefined, observed: Observation): Promise<boolean> {
		if (!claim) throw new Error("There is no claim");
		return claims.report({ ...claim, observed, due_in_ms: 60_000 });
	}

	it("limits the concurrent starts of one owner, the longest waiting first, and not those of another", async () => {
		const hers = await create(alice, 5);
		const [his] = await create(bob, 1);
		const begun = (await claimDue()).map(({ id }) => id);
		expect(begun).to.have.members([hers[0], hers[1], his]);
		expect(await claimDue()).to.deep.equal([]);
		expect(await claims.claim(16, hers.slice(2), { startingPerOwner: ofOne }), "asked for by name").to.deep.equal([]);
	});

	it("finds another owner's session behind a crowd that waits for places", async () => {
		await Promise.all(Array.from({ length: 60 }, () => create(alice, 10)));
		await claimDue();
		const [his] = await create(bob, 1);
		expect((await claimDue()).map(({ id }) => id)).to.deep.equal([his]);
	});

	for (const phase of ["ready", "absent", "blocked"] as const) {
		it(`gives the place of a pod that is ${phase} to the next one, and says so`, async () => {
			const [, , third] = await create(alice, 3);
			const [first] = await claimDue();
			await claimDue();
			await report(first, seen(phase));
			expect(hints).to.deep.equal([first?.id]);
			expect((await claimDue()).map(({ id }) => id)).to.deep.equal([third]);
		});
	}

	for (const phase of ["launching", "failed", "leaving"] as const) {
		it(`keeps the place of a pod that is ${phase}`, async () => {
			await create(alice, 3);
			const [first, ...others] = await claimDue();
			await report(first, seen(phase));
			expect([others.length, (await claimDue()).length]).to.deep.equal([1, 0]);
		});
	}

	it("frees the place of a pod that can be reached and waits for its repository", async () => {
		const [, , third] = await create(alice, 3);
		const [first] = await claimDue();
		await report(first, reached);
		expect(await claimDue()).to.deep.equal([]);
		laterMs = 1_500;
		expect((await claimDue()).map(({ id }) => id)).to.deep.equal([third]);
	});

	it("frees places without reports", async () => {
		const [, , third] = await create(alice, 3);
		await claimDue();
		laterMs = 10_500;
		expect((await claimDue()).map(({ id }) => id)).to.include(third);
	});

	it("ends sessions without a place", async () => {
		const [, , third = "", fourth = ""] = await create(alice, 4);
		await claimDue();
		await commands.run({ principal: alice }, "stop", third);
		await commands.run({ principal: alice }, "delete", fourth);
		expect((await claimDue()).map(({ id }) => id)).to.have.members([third, fourth]);
	});

	it("says what a session waits for, once, and begins to count its time when it starts", async () => {
		const [, , third = ""] = await create(alice, 3);
		const [first] = await claimDue();
		expect(await reasonOf(third), "not at once").to.equal("LAUNCH_REQUESTED");
		laterMs = 1_500;
		await claimDue();
		expect(await reasonOf(third)).to.equal("LAUNCH_WAITS");
		const { rev } = (await records.get(alice, third)).session;
		await claimDue();
		expect((await records.get(alice, third)).session.rev).to.equal(rev);
		await report(first, seen("ready"));
		const begunAt = Date.now() + laterMs;
		await claimDue();
		const { deadline_at, waiting_reported } = (await records.get(alice, third)).document;
		expect(deadline_at).to.be.within(begunAt + 60_000, begunAt + 70_000);
		expect(waiting_reported).to.equal(undefined);
	});

	it("stops the clock of a launch that has to wait after its first look", async () => {
		const [first = "", second = ""] = await create(alice, 2);
		const [claim] = await claims.claim(1, [first], { startingPerOwner: 1 });
		await claims.report({ ...(claim ?? expect.fail()), observed: seen("blocked"), due_in_ms: 0 });
		await claims.claim(1, [second], { startingPerOwner: 1 });
		expect(await claims.claim(1, undefined, { startingPerOwner: 1 })).to.deep.equal([]);
		const { deadline_at, claimed_at } = (await records.get(alice, first)).document;
		expect([await reasonOf(first), deadline_at, claimed_at]).to.deep.equal(["LAUNCH_WAITS", undefined, undefined]);
	});

	it("gives the next place to the launch that was requested first, although its pod manager died with it", async () => {
		const [first, second, third, fourth, fifth] = await create(alice, 5);
		expect((await claimDue()).map(({ id }) => id)).to.deep.equal([first, second]);
		laterMs = 10_500;
		const next = await claimDue();
		expect(next.map(({ id }) => id)).to.deep.equal([third, fourth]);
		laterMs = 16_000;
		for (const claim of next) await report(claim, seen("ready"));
		expect((await claimDue()).map(({ id }) => id)).to.deep.equal([first, second]);
		laterMs = 33_000;
		expect((await claimDue()).map(({ id }) => id)).to.deep.equal([first, second]);
		expect((await records.get(alice, fifth ?? "")).session.status).to.equal("starting");
	});

	it("gives a session that is started again its turn behind those that were created before that", async () => {
		const [first = "", second, third] = await create(alice, 3);
		laterMs = 100;
		await commands.run({ principal: alice }, "stop", first);
		const [stop] = await claims.claim(1, [first], { startingPerOwner: 1 });
		await report(stop, seen("absent"));
		await commands.run({ principal: alice }, "start", first);
		for (const id of [second, third, first]) {
			const [claim, ...others] = await claims.claim(16, undefined, { startingPerOwner: 1 });
			expect([claim?.id, others.length]).to.deep.equal([id, 0]);
			await report(claim, seen("ready"));
		}
	});

	for (const seed of [1, 2])
		it(`starts sessions in order while two processes claim and passes fail, are lost or succeed (seed ${seed})`, async () => {
			const ids = await create(alice, 8);
			const processes = [claims, openClaims()];
			const random = new Random(seed);
			const statuses = async () => Promise.all(ids.map(async (id) => (await records.get(alice, id)).session.status));
			while ((await statuses()).includes("starting")) {
				laterMs += 1_000;
				const could = await mayStart(ids);
				const claimer = random.pick(processes);
				const got = await claimer.claim(16, undefined, { startingPerOwner: ofOne });
				const last = Math.max(-1, ...got.map(({ id }) => ids.indexOf(id)));
				const overtaken = could.filter((id) => ids.indexOf(id) < last && !got.some((claim) => claim.id === id));
				expect(overtaken, `after ${laterMs} ms`).to.deep.equal([]);
				for (const claim of got) {
					const fate = random.pick(["lost", "failed", "ready"]);
					const observed = seen(fate === "ready" ? "ready" : "absent");
					const due_in_ms = random.pick([1_000, 10_000, 30_000]);
					if (fate !== "lost") await claimer.report({ ...claim, observed, due_in_ms });
				}
			}
		});

	it("measures how many launches wait, and since when the oldest one does", async () => {
		const metrics = new Metrics();
		measureWaitingLaunches(metrics, opened.store);
		const shown = async () => {
			laterMs += 501;
			const found = (await exposition(metrics)).matchAll(/^(atelier_launches_waiting\w*) ([\d.]+)$/gm);
			return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]));
		};
		await create(bob, 1);
		await create(alice, 5);
		await claimDue();
		laterMs += 60_000;
		await claimDue();
		const { atelier_launches_waiting: count, atelier_launches_waiting_oldest_seconds: oldest } = await shown();
		expect([count, Math.round(oldest ?? 0)]).to.deep.equal([3, 61]);
	});
});
