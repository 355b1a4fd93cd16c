/** Evaluations and webhooks over real stores: who sees what, what becomes of pull requests, and messages that come twice. */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import { collections } from "#services/git/compose.ts";
import { Calibration } from "#services/git/confidence/calibration/calibration.ts";
import type { FindRepository } from "#services/git/confidence/evaluate/confidence-evaluation.ts";
import { EvaluationRecords, type NewEvaluation } from "#services/git/confidence/record/evaluation-records.ts";
import type { PullRequest } from "#services/git/providers/git-provider.ts";
import { PullRecords } from "#services/git/pulls/pull-records.ts";
import { sweepAll } from "#shared/base/concurrency/sweep-all.ts";
import { deliveryCollection } from "#services/git/webhooks/delivery-collection.ts";
import { DeliveryRecords } from "#services/git/webhooks/delivery-records.ts";
import type { PullEvent } from "#services/git/providers/webhooks.ts";
import { WebhookReceiver } from "#services/git/webhooks/webhook-receiver.ts";
import type { Principal } from "#shared/base/principal.ts";
import { withValues } from "#shared/base/schema/json-text.ts";
import { isoTime, now, turnClock } from "#shared/base/clock.ts";
import type { Evaluation } from "#shared/contracts/git/confidence.ts";
import { NotFoundError, UnavailableError, UnauthorizedError, UnprocessableError } from "#shared/base/errors.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import { webhooksOf } from "../../support/providers/webhooks-of.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const bob: Principal = { ...alice, id: "bob" };
const admin: Principal = { ...alice, id: "dora", roles: ["admin"] };
const foreignAdmin: Principal = { ...admin, tenant: "other" };
const pod: Principal = { kind: "pod", id: "alice", tenant: "acme", roles: [] };
const everybody = [alice, bob, admin, foreignAdmin, pod];

const repo_url = "https://git.example/org/shop";
const head_sha = "a".repeat(40);
const merge_sha = "b".repeat(40);
const secret = "the secret of the webhooks";
const day = 86_400_000;

function made(number: number | null, score = 0.955): NewEvaluation {
	const judged = { score, factors: {}, action: "auto_merge", reason: "It is good", evidence: [] } as const;
	const named = number === null ? { repo_url: null, head_sha: null } : { repo_url, head_sha };
	return { ...judged, evidence: [], number, ...named };
}

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`evaluations and webhooks on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let records: EvaluationRecords;

		beforeEach(async () => {
			opened = await open();
			records = new EvaluationRecords(opened.store);
		});
		afterEach(() => opened.discard());

		async function add(principal: Principal, number: number | null, score?: number): Promise<Evaluation> {
			return JSON.parse(await records.add(principal, made(number, score), { request: { number } }));
		}

		async function listed(principal: Principal, query: object = {}): Promise<string[]> {
			const { items } = withValues(await records.list(principal, { limit: 10, ...query }));
			return (items as unknown as Evaluation[]).map(({ id }) => id);
		}

		it("are seen by those who asked for them, and by the administrators of their tenant", async () => {
			const one = await add(alice, 1);
			const facts = await add(alice, null);
			const other = await add(bob, 1);
			const outcomes = await Promise.all(
				everybody.map((principal) => records.get(principal, one.id).then(JSON.parse, (error: unknown) => error)),
			);
			expect(outcomes.map((outcome) => (outcome instanceof NotFoundError ? 404 : outcome.id))).to.deep.equal([
				one.id,
				404,
				one.id,
				404,
				404,
			]);
			expect(await listed(alice)).to.have.members([facts.id, one.id]);
			expect(await listed(bob)).to.deep.equal([other.id]);
			expect(await listed(admin)).to.have.members([other.id, facts.id, one.id]);
			expect(await listed(foreignAdmin)).to.deep.equal([]);
			expect(await listed(alice, { repo_url: "git@git.example:org/shop.git" })).to.deep.equal([one.id]);
			expect(await listed(admin, { repo_url })).to.have.members([other.id, one.id]);
			expect(await listed(admin, { repo_url: "https://git.example/org/other" })).to.deep.equal([]);
		});

		it("are made once by the same key, also when two requests race", async () => {
			const asked = { request: { number: 1 }, key: "the-same" };
			const both = await Promise.all([1, 2].map(() => records.add(alice, made(1), asked)));
			expect(both[0]).to.equal(both[1]);
			expect(await records.repeated(alice, asked)).to.equal(both[0]);
			expect(await records.repeated(bob, asked)).to.equal(undefined);
			const another = records.repeated(alice, { ...asked, request: { number: 2 } });
			expect(await failureOf(another)).to.be.instanceOf(UnprocessableError);
		});

		it("are removed when they are old", async () => {
			const old = await add(alice, 1);
			const turnBack = turnClock({ now: () => Date.now() + 401 * day, monotonic: () => performance.now() });
			try {
				const young = await add(alice, 2);
				expect(await records.sweep()).to.equal(1);
				expect(await listed(alice)).to.deep.equal([young.id]);
				expect(await failureOf(records.get(alice, old.id))).to.be.instanceOf(NotFoundError);
			} finally {
				turnBack();
			}
		});

		describe("a calibration", () => {
			const pulls = new Map<number, Partial<PullRequest>>();
			let asked: number;
			let isAway: boolean;

			beforeEach(() => {
				pulls.clear();
				asked = 0;
				isAway = false;
			});

			const find: FindRepository = async () => ({
				place: { owner: "org", name: "shop" },
				provider: {
					async pull(_place, number) {
						asked++;
						if (isAway) throw new UnavailableError("The provider is away");
						const base = { number, head_sha, merge_sha: null, source_branch: "work", target_branch: "main" };
						return { ...base, status: "open", ...pulls.get(number) } as PullRequest;
					},
					pulls: async () => [],
					evidence: () => Promise.reject(new Error("Nobody asks for evidence")),
					commitsSince: async () => [
						{
							sha: "c".repeat(40),
							message: `Revert "Add"\n\nThis reverts commit ${merge_sha}.`,
							at: isoTime(now() + day),
							url: `${repo_url}/commit/c`,
						},
					],
				},
			});
			const report = async (principal = alice, days = 90) => {
				const log = { error: () => {} };
				const { bands, more } = await new Calibration({ records, find, log }).report(principal, { days });
				const { evaluated, merged, reverted, unchecked, revert_rate } = bands.at(-1) ?? expect.fail("no bands");
				return { evaluated, merged, reverted, unchecked, revert_rate, more };
			};

			it("finds what was merged and what was reverted, and asks no more than it has to", async () => {
				const at = isoTime(now() + 1_000);
				pulls.set(1, { status: "merged", merge_sha, merged_at: at });
				pulls.set(2, { status: "merged", merge_sha: "d".repeat(40), head_sha: "e".repeat(40), merged_at: at });
				for (const number of [1, 2, 3]) await add(alice, number);
				// The evaluation of pull request 1 names the head that was merged, as all do here; 2 has another one.
				await add(alice, null);
				const expected = { evaluated: 3, merged: 2, reverted: 1, unchecked: 0, revert_rate: 0.5, more: false };
				expect(await report()).to.deep.equal(expected);
				expect(asked).to.equal(3);
				expect(await report()).to.deep.equal(expected);
				expect(asked, "it is remembered").to.equal(3);
				expect((await report(bob)).evaluated).to.equal(0);
				expect((await report(admin)).evaluated).to.equal(3);
				expect((await report(foreignAdmin)).evaluated).to.equal(0);
			});

			it("asks again after ten minutes, unless the fate is final", async () => {
				pulls.set(1, { status: "merged", merge_sha, merged_at: isoTime(now() + 1_000) });
				await add(alice, 1);
				await add(alice, 2);
				await report();
				const turnBack = turnClock({ now: () => Date.now() + 601_000, monotonic: () => performance.now() });
				try {
					await report();
				} finally {
					turnBack();
				}
				expect(asked, "only the open one again").to.equal(3);
			});

			it("looks up twenty at a time, and says what it could not look up", async () => {
				for (let number = 1; number <= 105; number++) await add(alice, number);
				isAway = true;
				expect(await report()).to.include({ evaluated: 105, unchecked: 105, merged: 0 });
				expect(asked, "one failure ends the repository").to.equal(1);
				isAway = false;
				expect(await report()).to.include({ evaluated: 105, unchecked: 85 });
				expect(await report()).to.include({ evaluated: 105, unchecked: 65 });
			});
		});

		describe("a webhook", () => {
			let observed: PullEvent[];
			let isBroken: boolean;
			let receiver: WebhookReceiver;
			let deliveries: DeliveryRecords;

			beforeEach(() => {
				observed = [];
				isBroken = false;
				deliveries = new DeliveryRecords(opened.store);
				const isHome = (url: string) => url.startsWith("https://git.example/");
				receiver = new WebhookReceiver({
					deliveries,
					sources: new Map([
						["hub", { webhooks: webhooksOf.github, secret, isHome }],
						["silent", { webhooks: webhooksOf.github, secret: "", isHome }],
					]),
					async observe(event) {
						if (isBroken) throw new UnavailableError("The store is away");
						observed.push(event);
						await records.observe(event);
					},
				});
			});

			const message = (changed: object = {}, url = repo_url) =>
				JSON.stringify({
					pull_request: {
						number: 7,
						state: "closed",
						merged: true,
						merge_commit_sha: merge_sha,
						head: { sha: head_sha },
						updated_at: isoTime(now() + 5_000),
						...changed,
					},
					repository: { html_url: url },
				});
			const send = (body: string, id = "d-1", key = secret, provider = "hub") => {
				const signature = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
				const headers = { "x-hub-signature-256": signature, "x-github-event": "pull_request", "x-github-delivery": id };
				return receiver.receive(provider, { headers, body });
			};

			it("takes effect once, by its id and by its content", async () => {
				const body = message();
				await send(body);
				await send(body);
				await send(body, "d-2");
				await send(message({ updated_at: isoTime(now() + 9_000) }), "d-1");
				expect(observed).to.have.length(1);
				await send(message({ updated_at: isoTime(now() + 9_000) }), "d-3");
				expect(observed).to.have.length(2);
			});

			it("has no effect with a wrong signature, and the refusals are the same", async () => {
				const refusals = [send(message(), "d-1", "wrong"), send(message(), "d-1", secret, "nobody")];
				const errors = await Promise.all(
					[...refusals, send(message(), "d-1", "", "silent")].map((one) => failureOf(one)),
				);
				for (const error of errors) expect(error).to.be.instanceOf(UnauthorizedError);
				expect(new Set(errors.map(String)).size).to.equal(1);
				expect(observed).to.deep.equal([]);
				await send(message());
				expect(observed, "a refused message leaves no trace").to.have.length(1);
			});

			it("comes again when its effect was lost", async () => {
				isBroken = true;
				expect(await failureOf(send(message()))).to.be.instanceOf(UnavailableError);
				isBroken = false;
				await send(message());
				expect(observed).to.have.length(1);
			});

			it("about a repository elsewhere has no effect", async () => {
				await send(message({}, "https://evil.example/org/shop"));
				expect(observed).to.deep.equal([]);
			});

			it("tells what became of an evaluated pull request, in whatever order messages come", async () => {
				const { id } = await add(alice, 7);
				const outcomeNow = async () => (JSON.parse(await records.get(alice, id)) as Evaluation).outcome;
				await send(message({ merged: false, updated_at: isoTime(now() + 20_000) }), "d-closed");
				await send(message({ merged: false, state: "open", updated_at: isoTime(now() + 10_000) }), "d-older");
				expect(await outcomeNow(), "an older message comes later").to.include({ state: "closed" });
				await send(message({ updated_at: isoTime(now() + 60_000) }), "d-1");
				const merged = await outcomeNow();
				expect(merged).to.include({ state: "merged", reverted: false });
				await send(message({ merged: false, updated_at: isoTime(now() + 30_000) }), "d-2");
				await send(message({ merged: false, state: "open", updated_at: isoTime(now() + 90_000) }), "d-3");
				expect(await outcomeNow()).to.deep.equal(merged);
			});

			it("is forgotten after a week, however many there are", async () => {
				await send(message());
				const names = Array.from({ length: 520 }, (_, n) => ({ id: `many-${n}`, digest: `digest-${n}` }));
				for (const name of names) await deliveries.remember(name);
				const turnBack = turnClock({ now: () => Date.now() + 8 * day, monotonic: () => performance.now() });
				try {
					await sweepAll(deliveries);
				} finally {
					turnBack();
				}
				expect(await opened.store.count(deliveryCollection, "by_age", { equals: [] })).to.equal(0);
			});

			it("without an effect leaves no trace, so that it uses up no id", async () => {
				await send(message({}, "https://evil.example/org/shop"), "d-1");
				await send("{}", "d-1");
				expect(await opened.store.count(deliveryCollection, "by_age", { equals: [] })).to.equal(0);
				await send(message(), "d-1");
				expect(observed).to.have.length(1);
			});

			it("from the far future does not keep what is true from being told", async () => {
				const { id } = await add(alice, 7);
				await send(message({ merged: false, state: "open", updated_at: "9999-12-31T00:00:00Z" }), "d-far");
				await send(message({ updated_at: isoTime(now() + 60_000) }), "d-true");
				expect((JSON.parse(await records.get(alice, id)) as Evaluation).outcome).to.include({ state: "merged" });
			});

			it("of a merge becomes one event of the session's pull request", async () => {
				const pulls = new PullRecords(opened.store, () => {});
				const state = { state: "open", merge_method: null, merge_sha: null, created_at: isoTime() } as const;
				const repo = "git.example/org/shop";
				const named = { session_id: "s", repo, repo_url, provider: "hub", number: 7, url: `${repo_url}/pull/7` };
				await pulls.opened(alice, { ...named, ...state, head: "work", base: "main", head_sha });
				for (let times = 0; times < 3; times++) await pulls.told({ repo, number: 7 }, "merged", merge_sha);
				const [collection] = collections;
				const entries = (await opened.store.outbox(collection, 10)).flatMap((document) => document.entries);
				expect(entries.map(({ type }) => type)).to.deep.equal(["pr_created", "pr_merged"]);
			});
		});
	});
}
