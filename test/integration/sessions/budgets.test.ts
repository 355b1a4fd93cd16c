/** Reservations over real stores: concurrent turns never pass a limit, and every hold expires. */
import { expect } from "chai";
import { dayOf } from "#services/sessions/books/day-accounts.ts";
import { now, turnClock } from "#shared/base/clock.ts";
import type { ReservationRequest } from "#shared/contracts/sessions/budgets.ts";
import type { UsageReport } from "#shared/contracts/sessions/usage.ts";
import { ConflictError, NotFoundError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { failureOf } from "../../support/failure-of.ts";
import { fromNoonOn } from "../../support/machine/from-noon-on.ts";
import { insistently } from "../../support/insistently.ts";
import { laxStore } from "../../support/stores/lax-store.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";
import {
	ada,
	bob,
	bookTestCollections,
	openTestBooks,
	podOf,
	type TestBooks,
} from "../../support/platform/test-books.ts";

const user = { tenant: "acme", owner: "ada" };
const tenant = { tenant: "acme" };

const model = "claude-sonnet-4-6";
/** The call reads 16,000 tokens, priced like cache writes, and writes 4,000: 0.06 + 0.06 dollars. */
const turnMicros = 120_000;

function reserve(books: TestBooks, id: string, reservation_id: string, more: Partial<ReservationRequest> = {}) {
	return books.budgets.reserve(podOf(id), id, { reservation_id, model, ...more });
}

/** The price is 15 dollars per million tokens. */
function spent(tokens: number, reservation_id?: string): UsageReport {
	const report = {
		tokens,
		output_tokens: tokens,
		provider: "cloud",
		model,
		message_count: 1,
		source: "metered",
	} as const;
	return { ...report, ...(reservation_id !== undefined && { reservation_id }) };
}

/**
 * Makes 100 concurrent reservations, through two processes, in four sessions; resolves with the number of granted
 * ones.
 */
async function rush(store: DocumentStore, limits: { session?: number; user?: number; tenant?: number }) {
	const processes = [await openTestBooks(store), await openTestBooks(store)] as const;
	const [one] = processes;
	if (limits.user !== undefined) await one.limits.set(user, limits.user);
	if (limits.tenant !== undefined) await one.limits.set(tenant, limits.tenant);
	const dollars = limits.session === undefined ? null : limits.session / 1e6;
	const ids = await Promise.all([0, 1, 2, 3].map(() => one.session(ada, dollars)));
	const asked = Array.from({ length: 100 }, (_, n) =>
		insistently(() => reserve(processes[n % 2 === 0 ? 0 : 1], ids[n % 4] ?? "", `r${n}`)),
	);
	const granted = (await Promise.all(asked)).filter((answer) => answer.granted).length;
	const sessions = await Promise.all(ids.map((id) => one.of(id)));
	const totals = [await one.accounts.totals(user, dayOf(now())), await one.accounts.totals(tenant, dayOf(now()))];
	await Promise.all(processes.map((each) => each.stop()));
	return { granted, sessions, committed: totals.map(({ committed }) => committed) };
}

/** Begins 20 concurrent turns in a day with room for four, through two processes. */
async function holdAtOnce(store: DocumentStore, owner: string) {
	const processes = [await openTestBooks(store), await openTestBooks(store)] as const;
	const payer = { tenant: "acme", owner };
	const day = dayOf(now());
	const asked = Array.from({ length: 20 }, (_, n) => {
		const { accounts } = processes[n % 2 === 0 ? 0 : 1];
		return accounts.hold(payer, day, 4.5 * turnMicros, { id: `h${n}`, used: 0, next: turnMicros });
	});
	const granted = (await Promise.all(asked)).filter((by) => by !== undefined).length;
	await Promise.all(processes.map((each) => each.stop()));
	return { granted, committed: (await processes[0].accounts.totals(payer, day)).committed };
}

for (const [name, open] of [
	["embedded store", openEmbedded],
	["MongoDB", openOnEndpoint],
] as const) {
	describe(`budgets, ${name}`, function () {
		this.timeout(60_000);
		fromNoonOn();
		let opened: Awaited<ReturnType<typeof open>>;
		let books: TestBooks;

		beforeEach(async () => {
			opened = await open(bookTestCollections);
			books = await openTestBooks(opened.store);
		});
		afterEach(async () => {
			await books.stop();
			await opened.discard();
		});

		for (const scope of ["user", "tenant"] as const) {
			it(`grants as many concurrent turns as fit the day of a ${scope}, and no more`, async () => {
				const limit = 10 * turnMicros + turnMicros / 2;
				const { granted, committed } = await rush(opened.store, { [scope]: limit });
				expect(granted).to.equal(10);
				expect(committed[scope === "user" ? 0 : 1]).to.equal(10 * turnMicros);
			});
		}

		it("grants as many concurrent turns as fit each session", async () => {
			const { granted, sessions } = await rush(opened.store, { session: 3 * turnMicros });
			expect(granted).to.equal(12);
			for (const { budget } of sessions) expect(budget).to.include({ reserved: 0.36, paused: true });
		});

		it("releases the holds of session and user when the tenant has no room", async () => {
			const limits = { session: 100 * turnMicros, user: 100 * turnMicros, tenant: 5 * turnMicros };
			const { granted, sessions, committed } = await rush(opened.store, limits);
			expect(granted).to.equal(5);
			expect(committed).to.deep.equal([5 * turnMicros, 5 * turnMicros]);
			expect(sessions.reduce((sum, { budget }) => sum + budget.reserved, 0)).to.be.closeTo(0.6, 1e-9);
		});

		it("holds what fits a day without a read before, and fails with a store without protections", async () => {
			const expected = { granted: 4, committed: 4 * turnMicros };
			expect(await holdAtOnce(opened.store, "ada")).to.deep.equal(expected);
			expect((await holdAtOnce(laxStore(opened.store, "limits"), "bob")).granted).to.equal(20);
			expect(await holdAtOnce(laxStore(opened.store, "guards"), "eve")).to.not.deep.equal(expected);
		});

		it("pauses the session with a reason, once, and goes on when the limit is raised", async () => {
			const id = await books.session(ada, 0.1);
			const refused = await reserve(books, id, "a");
			expect(refused).to.deep.include({ granted: false, limited: true, amount: 0.12 });
			expect(refused.reason).to.deep.include({ code: "BUDGET_EXCEEDED", scope: "session" });
			expect(refused.reason?.message).to.include("$0.10").and.to.include("$0.12");
			const paused = await books.of(id);
			expect(paused.budget).to.deep.include({ paused: true, reason: refused.reason, limit: 0.1 });
			expect(paused.status_reason).to.include({ code: "BUDGET_EXCEEDED" });
			await reserve(books, id, "a");
			expect((await books.of(id)).rev, "asking again says nothing new").to.equal(paused.rev);
			await books.limit(id, 0.5);
			expect(await reserve(books, id, "a")).to.deep.include({ granted: true, amount: 0.12, reason: null });
			const going = await books.of(id);
			expect(going.budget).to.deep.equal({ limit: 0.5, spent: 0, reserved: 0.12, paused: false, reason: null });
			expect(going.status_reason).to.include({ code: "POD_READY" });
		});

		it("holds the same for a repetition, and more for used tokens and further calls", async () => {
			const id = await books.session(ada, 5);
			for (const _ of [1, 2]) expect(await reserve(books, id, "a")).to.deep.include({ amount: 0.12 });
			const used = [{ model, output_tokens: 10_000 }];
			const call = { model, input_tokens: 16_000, output_tokens: 4_000 };
			expect(await reserve(books, id, "a", { used })).to.deep.include({ amount: 0.27 });
			expect(await reserve(books, id, "a", { used, calls: [call, call] })).to.deep.include({ amount: 0.39 });
			await books.reports.take(podOf(id), id, spent(10_000, "a"));
			expect((await books.of(id)).budget).to.include({ spent: 0.15, reserved: 0.24 });
			expect(await reserve(books, id, "a", { used }), "what is booked is not held twice").to.include({ amount: 0.24 });
			await books.budgets.release(podOf(id), id, "a");
			expect((await books.of(id)).budget).to.include({ spent: 0.15, reserved: 0 });
			expect(await reserve(books, id, "b", { input_tokens: 1 })).to.include({ granted: true });
		});

		it("moves what is spent from the hold in every account", async () => {
			await books.limits.set(user, 1_000_000);
			await books.limits.set(tenant, 1_000_000);
			const id = await books.session(ada, 1);
			await reserve(books, id, "a");
			await books.reports.take(podOf(id), id, spent(4_000, "a"));
			for (const payer of [user, tenant])
				expect(await books.accounts.totals(payer, dayOf(now()))).to.include({ spent: 60_000, committed: turnMicros });
			await books.budgets.release(podOf(id), id, "a");
			await books.budgets.release(podOf(id), id, "a");
			for (const payer of [user, tenant])
				expect(await books.accounts.totals(payer, dayOf(now()))).to.include({ spent: 60_000, committed: 60_000 });
		});

		it("releases the hold of a killed agent after 10 min", async () => {
			await books.limits.set(user, turnMicros);
			const [id, other] = [await books.session(ada, 0.12), await books.session(ada)];
			expect(await reserve(books, id, "killed")).to.include({ granted: true });
			for (const session of [id, other]) expect(await reserve(books, session, "next")).to.include({ granted: false });
			const later = now() + 600_001;
			const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
			try {
				expect(await reserve(books, id, "next")).to.include({ granted: true });
				expect(await reserve(books, other, "next"), "taken now").to.include({ granted: false });
			} finally {
				turnBack();
			}
		});

		it("holds nothing for a session that has stopped", async () => {
			const id = await books.session(ada, 0.12);
			await reserve(books, id, "a");
			await reserve(books, id, "b");
			await books.enters(id, "stopping");
			expect((await books.of(id)).budget).to.deep.equal({
				limit: 0.12,
				spent: 0,
				reserved: 0,
				paused: false,
				reason: null,
			});
		});

		it("releases what the turns of a session hold in the day when its pod is gone, and nothing of others", async () => {
			await books.limits.set(user, 10 * turnMicros);
			await books.limits.set(tenant, 10 * turnMicros);
			const [lost, other] = [await books.session(ada), await books.session(ada)];
			for (const id of [lost, other]) for (const turn of ["a", "b"]) await reserve(books, id, turn);
			await books.reports.take(podOf(lost), lost, spent(4_000, "a"));
			await books.budgets.releaseAll({ id: lost, wire: "{}", ...user });
			await books.budgets.releaseAll({ id: lost, wire: "{}", ...user });
			for (const payer of [user, tenant])
				expect(await books.accounts.totals(payer, dayOf(now()))).to.include({
					spent: 60_000,
					committed: 60_000 + 2 * turnMicros,
				});
		});

		it("needs no hold for a session without limits and for models without a price", async () => {
			const id = await books.session(ada);
			expect(await reserve(books, id, "a")).to.include({ granted: true, limited: false, amount: 0 });
			await books.limits.set(tenant, 0);
			expect(await reserve(books, id, "a")).to.include({ granted: false, limited: true });
			expect(await reserve(books, id, "a", { model: "llama3.2:latest" })).to.include({ granted: true, amount: 0 });
			expect((await books.of(id)).budget).to.include({ paused: false });
		});

		it("lets a session with a limit call its own model and priced ones only, and pauses it for no other (H7)", async () => {
			const id = await books.session(ada, 5);
			const ask = (name: string) => reserve(books, id, "a", { model: name, calls: [{ model: name, input_tokens: 1 }] });
			const refused = await ask("nobody-prices-this");
			expect(refused).to.deep.include({ granted: false, limited: true });
			expect(refused.reason).to.include({ code: "MODEL_NOT_PRICED" });
			expect((await books.of(id)).budget).to.include({ paused: false, reserved: 0 });
			expect(await ask("claude-haiku-4-5-20251001")).to.include({ granted: true });
			expect(await ask(""), "its own, though it has none").to.include({ granted: true });
		});

		it("holds what each call may use at its own model's price, its window at most (H7)", async () => {
			const id = await books.session(ada, 5);
			const calls = [
				{ model, input_tokens: 16_000, output_tokens: 4_000 },
				{ model: "claude-opus-4-6", input_tokens: 16_000, output_tokens: 4_000 },
			];
			expect(await reserve(books, id, "a", { calls })).to.deep.include({ granted: true, amount: 0.32 });
			const boundless = await reserve(books, id, "b", { calls: [{ model }] });
			expect(boundless, "200,000 tokens each way").to.deep.include({ granted: true, amount: 3.75 });
			expect(await reserve(books, id, "c", { calls: [{ model }, { model }] })).to.deep.include({ granted: false });
			expect((await books.of(id)).budget, "it asks again alone").to.include({ paused: false });
		});

		it("counts the days of users separately, and accepts only the pod of the current launch", async () => {
			await books.limits.set(user, turnMicros);
			const [hers, his] = [await books.session(ada), await books.session(bob)];
			for (const id of [hers, his]) expect(await reserve(books, id, "a")).to.include({ granted: true });
			expect((await reserve(books, hers, "b")).reason).to.include({ scope: "user" });
			const request = { reservation_id: "c", model };
			expect(await failureOf(books.budgets.reserve(podOf(hers, 0), hers, request))).to.be.instanceOf(ConflictError);
			expect(await failureOf(books.budgets.reserve(podOf(his), hers, request))).to.be.instanceOf(NotFoundError);
		});

		it("takes limits from the configuration until an administrator says otherwise", async () => {
			const env = { BUDGETS__USER_DAILY_LIMIT: "0.05", BUDGETS__TENANT_DAILY_LIMIT: "0.5" };
			const configured = await openTestBooks(opened.store, env);
			const id = await configured.session(ada);
			expect((await reserve(configured, id, "a")).reason).to.include({ scope: "user" });
			await configured.limits.set(user, undefined);
			for (const reservation of ["a", "b", "c", "d"])
				expect(await reserve(configured, id, reservation)).to.include({ granted: true });
			expect((await reserve(configured, id, "e")).reason).to.include({ scope: "tenant" });
			await configured.limits.reset(user);
			expect((await reserve(configured, id, "f")).reason).to.include({ scope: "user" });
			await configured.stop();
		});
	});
}
