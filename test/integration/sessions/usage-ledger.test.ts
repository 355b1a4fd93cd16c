/** Reports of usage over real stores: exact to the micro-dollar with concurrent reports, and each counts once. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { dayOf } from "#services/sessions/books/day-accounts.ts";
import { ledgerCollection } from "#services/sessions/books/ledger-collection.ts";
import { isoTime, now, turnClock } from "#shared/base/clock.ts";
import type { UsageReport } from "#shared/contracts/sessions/usage.ts";
import { ConflictError, ForbiddenError, NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
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
	root,
	type TestBooks,
} from "../../support/platform/test-books.ts";

/** Micro-dollars per million tokens, as in config/models.yaml; they are repeated here, so that both must be right. */
const prices = {
	"claude-opus-4-6": [5_000_000n, 25_000_000n, 500_000n, 6_250_000n],
	"claude-sonnet-4-6": [3_000_000n, 15_000_000n, 300_000n, 3_750_000n],
} as const;

const plain = { provider: "cloud", model: "claude-sonnet-4-6", message_count: 1, source: "metered" } as const;

function report(more: Partial<UsageReport> = {}): UsageReport {
	return { ...plain, tokens: 1_000, ...more };
}

/** The numbers of tokens are odd, so costs have to be rounded. */
function numbered(n: number): UsageReport {
	const [input, output, read, write] = [(n * 7_919) % 4_001, (n * 104_729) % 997, (n * 31) % 20_011, (n * 17) % 503];
	return report({
		report_id: `r${n}`,
		model: n % 3 === 0 ? "claude-opus-4-6" : "claude-sonnet-4-6",
		tokens: input + output + read + write + 1,
		input_tokens: input + 1,
		output_tokens: output,
		cache_read_tokens: read,
		cache_write_tokens: write,
	});
}

function microsOf(sent: UsageReport): number {
	const [input, output, read, write] =
		prices[sent.model === "claude-opus-4-6" ? "claude-opus-4-6" : "claude-sonnet-4-6"];
	const { input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 } = sent;
	const exact =
		BigInt(input_tokens) * input +
		BigInt(output_tokens) * output +
		BigInt(cache_read_tokens) * read +
		BigInt(cache_write_tokens) * write;
	return Number((exact * 2n + 1_000_000n) / 2_000_000n);
}

/** Sends `count` concurrent reports through two processes, a tenth of them twice; resolves with all totals. */
async function storm(store: DocumentStore, count: number) {
	const processes = [await openTestBooks(store), await openTestBooks(store)] as const;
	const [one] = processes;
	const id = await one.session(ada);
	const sent = Array.from({ length: count }, (_, n) => numbered(n));
	const all = [...sent, ...sent.filter((_, n) => n % 10 === 0)].toSorted((a, b) => microsOf(a) - microsOf(b));
	const began = performance.now();
	const outcomes = await Promise.allSettled(
		all.map((each, n) => insistently(() => processes[n % 2 === 0 ? 0 : 1].reports.take(podOf(id), id, each))),
	);
	const ms = performance.now() - began;
	await Promise.all(processes.map((each) => each.stop()));
	const session = await one.of(id);
	const [own, tenant] = [await one.stats(ada), await one.stats(root)];
	const tokens = sent.reduce((sum, each) => sum + each.tokens, 0);
	const cost = sent.reduce((sum, each) => sum + microsOf(each), 0) / 1e6;
	const of = (numbers: typeof own) => ({ tokens: numbers.tokens_today, cost: numbers.cost_today });
	return {
		ms,
		failed: outcomes.filter(({ status }) => status === "rejected").length,
		expected: {
			session: { tokens, cost, messages: count },
			owner: { tokens, cost },
			tenant: { tokens, cost },
			rows: count,
		},
		found: {
			session: { tokens: session.tokens_used, cost: session.budget.spent, messages: session.message_count },
			owner: of(own),
			tenant: of(tenant),
			rows: await store.count(ledgerCollection, "of_session", { equals: [id] }),
		},
	};
}

for (const [name, open] of [
	["embedded store", openEmbedded],
	["MongoDB", openOnEndpoint],
] as const) {
	describe(`usage ledger, ${name}`, function () {
		this.timeout(120_000);
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

		it("is exact for 1,000 reports at once, a tenth of them repeats, over two processes", async () => {
			const { found, expected, failed, ms } = await storm(opened.store, 1_000);
			expect(failed).to.equal(0);
			expect(found).to.deep.equal(expected);
			console.log(`      1,100 reports in ${Math.round(ms)} ms: $${expected.session.cost}`);
		});

		it("is not exact with a store that treats every report as a new one (control)", async () => {
			const { found, expected } = await storm(laxStore(opened.store, "names"), 200);
			expect(found.session.tokens).to.be.above(expected.session.tokens);
			// A report that is repeated because the store is too busy is new as well.
			expect(found.rows).to.be.at.least(220);
		});

		it("repeats the answer to a repeated report, and refuses a different report under the same id", async () => {
			const id = await books.session(ada);
			const first = await books.reports.take(podOf(id), id, report({ report_id: "a" }));
			expect(await books.reports.take(podOf(id), id, report({ report_id: "a" }))).to.deep.equal(first);
			const other = await failureOf(books.reports.take(podOf(id), id, report({ report_id: "a", tokens: 999 })));
			expect(other).to.be.instanceOf(ConflictError).and.to.include({ type: "REPORT_ID_REUSED" });
			expect(await books.of(id)).to.include({ tokens_used: 1_000, message_count: 1 });
			expect(await exposition(books.metrics)).to.match(/^atelier_model_tokens_total\{kind="input"\} 1000$/m);
			const second = await books.session(ada);
			await books.reports.take(podOf(second), second, report({ report_id: "a" }));
			expect(await books.of(second), "ids belong to a session").to.include({ tokens_used: 1_000 });
		});

		it("prices known models, uses the reported cost for others, and says when the cost is unknown", async () => {
			const id = await books.session(ada);
			const costs = [
				report(),
				report({ cost: 99 }),
				report({ model: "unknown" }),
				report({ model: "unknown", cost: 0.25 }),
				report({ provider: "local", model: "claude-sonnet-4-6" }),
			].map(async (each) => (await books.reports.take(podOf(id), id, each)).cost);
			expect(await Promise.all(costs)).to.deep.equal([0.003, 0.003, null, 0.25, null]);
			const { budget } = await books.of(id);
			expect(budget.spent).to.equal(0.256);
			expect(await books.stats(ada)).to.include({ local_tokens: 1_000, cloud_tokens: 4_000, cost_today: 0.256 });
		});

		it("counts an owner's report as tokens of the session, and not as money (H5)", async () => {
			const id = await books.session(ada, 50);
			await books.limits.set({ tenant: "acme" }, 50_000_000);
			const poison = report({ tokens: 1, model: "nobody-knows", cost: 1_000_000, source: "metered" });
			const { source } = await books.reports.take(ada, id, poison);
			expect(source, "whatever it calls itself").to.equal("user");
			const priced = report({ tokens: 100_000_000, output_tokens: 100_000_000, reservation_id: "a" });
			await books.reports.take(ada, id, priced);
			expect(await books.of(id)).to.include({ tokens_used: 100_000_001, message_count: 2 });
			expect((await books.of(id)).budget).to.include({ spent: 0, reserved: 0 });
			for (const principal of [ada, root])
				expect(await books.stats(principal)).to.include({ tokens_today: 0, cloud_tokens: 0, cost_today: 0 });
			const asked = { reservation_id: "a", model: "claude-sonnet-4-6" };
			expect(await books.budgets.reserve(podOf(id), id, asked)).to.include({ granted: true, limited: true });
		});

		it("books to the tenant at most what a session has reserved, whatever its pod reports (X3)", async () => {
			const [forger, other] = [await books.session(ada), await books.session(bob)];
			await books.limits.set({ tenant: "acme", owner: "ada" }, 5_000_000);
			await books.limits.set({ tenant: "acme" }, 50_000_000);
			const asked = { reservation_id: "a", model: "claude-sonnet-4-6" };
			expect(await books.budgets.reserve(podOf(forger), forger, asked)).to.include({ granted: true, amount: 0.12 });
			const forged = [
				report({ tokens: 1_000, model: "nope", cost: 1_000 }),
				report({ tokens: 1_000, model: "nope", cost: 1_000, reservation_id: "a" }),
				report({ tokens: 100_000_000 }),
				report({ tokens: 100_000_000, reservation_id: "a" }),
				report({ tokens: 100_000_000, reservation_id: "a" }),
			];
			for (const each of forged) await books.reports.take(podOf(forger), forger, each);
			const day = dayOf(now());
			expect(await books.accounts.totals({ tenant: "acme" }, day)).to.include({
				spent: 120_000,
				committed: 120_000,
				unreserved: 2_900_000_000 - 120_000,
			});
			expect((await books.accounts.totals({ tenant: "acme", owner: "ada" }, day)).spent).to.equal(2_900_000_000);
			expect((await books.of(forger)).budget.spent).to.equal(2_900);
			expect((await books.stats(root)).cost_today, "all that was reported").to.equal(2_900);
			expect(await books.budgets.reserve(podOf(other), other, asked)).to.include({ granted: true });
			const again = await books.budgets.reserve(podOf(forger), forger, { ...asked, reservation_id: "b" });
			expect(again.reason).to.include({ scope: "user" });
			await books.corrections.take(root, "ada", { amount: -2_900, reason: "Forged", correction_id: "c" });
			expect(await books.accounts.totals({ tenant: "acme" }, day)).to.include({ spent: 0, unreserved: 0 });
		});

		it("is corrected by rows that say who, why and how much, each once (H5)", async () => {
			const id = await books.session(ada);
			await books.reports.take(podOf(id), id, report({ tokens: 1_000_000 }));
			const request = { amount: -2.5, reason: "Reported by a broken agent", session_id: id, correction_id: "c" };
			const first = await books.corrections.take(root, "ada", request);
			expect(first).to.deep.include({ user_id: "ada", session_id: id, amount: -2.5, corrected_by: "root" });
			expect(await books.corrections.take(root, "ada", request), "a repeat").to.deep.equal(first);
			const other = await failureOf(books.corrections.take(root, "ada", { ...request, amount: -1 }));
			expect(other).to.be.instanceOf(ConflictError);
			for (const principal of [ada, root]) expect((await books.stats(principal)).cost_today).to.equal(0.5);
			expect(await books.of(id)).to.deep.include({ tokens_used: 1_000_000, message_count: 1 });
			expect((await books.of(id)).budget.spent).to.equal(0.5);
			expect((await books.ledger.get(first.id))?.wire).to.equal(JSON.stringify(first));
			expect(await failureOf(books.corrections.take(root, "bob", request))).to.be.instanceOf(NotFoundError);
			await books.enters(id, "deleted");
			await books.corrections.take(root, "ada", { amount: -100, reason: "Too much", correction_id: "d" });
			expect((await books.stats(root)).cost_today, "no less than nothing").to.equal(0);
		});

		it("refuses buckets that are not the whole, and launches that never were", async () => {
			const id = await books.session(ada);
			for (const wrong of [report({ input_tokens: 999 }), report({ launch: 2 })])
				expect(await failureOf(books.reports.take(podOf(id), id, wrong))).to.be.instanceOf(UnprocessableError);
			expect(await books.of(id)).to.include({ tokens_used: 0 });
		});

		it("is written by the pod and the owner, and by nobody else", async () => {
			const id = await books.session(ada);
			expect(await failureOf(books.reports.take(bob, id, report()))).to.be.instanceOf(NotFoundError);
			expect(await failureOf(books.reports.take(root, id, report()))).to.be.instanceOf(ForbiddenError);
			expect(await failureOf(books.reports.take(podOf(randomUUID()), id, report()))).to.be.instanceOf(NotFoundError);
			await books.reports.take(ada, id, report());
			expect(await books.of(id)).to.include({ tokens_used: 1_000 });
		});

		it("accepts reports of a launch for a day after its end", async () => {
			const id = await books.session(ada);
			await books.enters(id, "stopped");
			await books.reports.take(podOf(id), id, report());
			const later = now() + 24 * 3_600_000 + 60_000;
			const turnBack = turnClock({ now: () => later, monotonic: () => performance.now() });
			try {
				expect(await failureOf(books.reports.take(podOf(id), id, report()))).to.be.instanceOf(ForbiddenError);
				await books.reports.take(ada, id, report());
			} finally {
				turnBack();
			}
			expect(await books.of(id)).to.include({ tokens_used: 2_000 });
		});

		it("keeps the rows of a deleted session in the accounts of its owner and tenant", async () => {
			const id = await books.session(ada);
			await books.reports.take(podOf(id), id, report());
			await books.enters(id, "deleted");
			expect(await failureOf(books.reports.take(podOf(id), id, report()))).to.be.instanceOf(NotFoundError);
			await books.logged();
			for (const principal of [ada, root])
				expect(await books.stats(principal)).to.include({
					tokens_today: 1_000,
					cost_today: 0.003,
					total_sessions: 0,
				});
		});

		it("begins a new day at 00:00 UTC", async () => {
			const id = await books.session(ada);
			const midnight = Date.parse(isoTime(now()).slice(0, 10)) + 24 * 3_600_000;
			for (const [ms, tokens] of [
				[midnight - 1, 1],
				[midnight, 10],
				[midnight + 1, 100],
			] as const) {
				const turnBack = turnClock({ now: () => ms, monotonic: () => performance.now() });
				await books.reports.take(podOf(id), id, report({ tokens }));
				const { tokens_today } = await books.stats(ada).finally(turnBack);
				expect(tokens_today).to.equal(ms < midnight ? 1 : tokens === 10 ? 10 : 110);
			}
			expect(await books.of(id)).to.include({ tokens_used: 111 });
		});

		it("completes the rows of a process that died, also without another report", async () => {
			const id = await books.session(ada);
			const { wire: _wire, ...left } = (await rowOf(books, id)) ?? expect.fail("no row");
			await opened.store.append(ledgerCollection, [
				{ ...left, id: randomUUID(), wire: "{}", seq: 2, pending_at: now() - 5_000, tokens: 7 },
			]);
			books.bookkeeper.start();
			await books.bookkeeper.stop();
			expect(await books.of(id)).to.include({ tokens_used: 1_007, message_count: 2 });
			expect(await books.stats(root)).to.include({ tokens_today: 1_007 });
			expect(await opened.store.count(ledgerCollection, "pending", { equals: [] })).to.equal(0);
		});
	});
}
async function rowOf(books: TestBooks, id: string) {
	const { id: row } = await books.reports.take(podOf(id), id, report());
	return books.ledger.get(row);
}
