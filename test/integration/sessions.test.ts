/** Session records and commands over the bus and a real store, without pods: the test plays the pod manager. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { ServiceBroker } from "moleculer";
import type { Principal } from "#shared/bus/principal.ts";
import { eventLog, type LogEntry } from "#shared/contracts/event-log.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import { type Claim, type ObservedPhase, sessionWork } from "#shared/contracts/session-work.ts";
import { sessions } from "#shared/contracts/sessions.ts";
import {
	ConflictError,
	ForbiddenError,
	InvalidParametersError,
	NotFoundError,
	UnprocessableError,
} from "#shared/errors.ts";
import { eventually } from "../support/eventually.ts";
import { startSessions } from "../support/sessions-part.ts";
import { alice, bob, callAs, carol, job, root } from "../support/test-brokers.ts";

const { actions } = sessions;

function seen(phase: ObservedPhase) {
	return { phase, timings: {}, purged: false };
}

type Started = Awaited<ReturnType<typeof startSessions>>;

for (const count of [1, 2] as const) {
	describe(`sessions with ${count} broker(s)`, () => {
		let started: Started;
		let near: ServiceBroker;
		/** A person of their own for every test, so that tests do not see each other's sessions. */
		let ada: Principal;

		before(async () => {
			started = await startSessions(count);
			near = started.near;
		});
		beforeEach(() => {
			ada = { ...alice, id: randomUUID() };
		});
		after(() => started.stop());

		const create = (principal: Principal, more: object = {}, key?: string) =>
			callAs(
				near,
				principal,
				actions.create,
				{ name: "a", ...more },
				key === undefined ? {} : { idempotency_key: key },
			);
		const get = (id: string, principal = ada) => callAs(near, principal, actions.get, { session_id: id });
		const claim = (id: string) =>
			callAs(near, job, sessionWork.actions.claim_due, { holder: "t", limit: 1, ids: [id] });
		const observe = ({ id, fence, generation }: Claim, phase: ObservedPhase, due_in_ms = 0) =>
			callAs(near, job, sessionWork.actions.observe, { id, fence, generation, observed: seen(phase), due_in_ms });

		/** One pass of the pod manager that sees `phase`. */
		async function pass(id: string, phase: ObservedPhase): Promise<Claim> {
			const [taken] = await claim(id);
			expect(await observe(taken!, phase)).to.equal(true);
			return taken!;
		}

		async function running(principal = ada): Promise<Session> {
			const { id } = await create(principal);
			await pass(id, "ready");
			return get(id, principal);
		}

		async function stopped(principal = ada): Promise<Session> {
			const { id } = await running(principal);
			await callAs(near, principal, actions.stop, { session_id: id });
			await pass(id, "absent");
			return get(id, principal);
		}

		async function events(id: string): Promise<LogEntry[]> {
			const entries: LogEntry[] = [];
			for (let after = 0; ; after = entries.at(-1)!.seq) {
				const more = await callAs(near, job, eventLog.actions.read, { after, limit: 500 });
				if (more.length === 0) return entries.filter(({ data }) => data.includes(id));
				entries.push(...more);
			}
		}

		it("creates a session that is starting, for its owner", async () => {
			const session = await create(ada, { repo: "https://example.org/a.git", branch: "dev", model: "m" });
			expect(session).to.include({
				status: "starting",
				generation: 1,
				rev: 1,
				owner_id: ada.id,
				tenant_id: "acme",
				model: "m",
			});
			expect(session.source).to.deep.equal({
				type: "git",
				repo: "https://example.org/a.git",
				branch: "dev",
				base_branch: "",
			});
			expect(session).to.include({ repo: "https://example.org/a.git", branch: "dev" });
			expect(await get(session.id)).to.deep.equal(session);
		});

		it("lets `source` win over the flat form", async () => {
			const source = { type: "git", repo: "https://example.org/b.git", base_branch: "base" };
			const session = await create(ada, { source, repo: "https://example.org/a.git", branch: "dev" });
			expect(session).to.include({ repo: "https://example.org/b.git", branch: "main" });
		});

		it("takes repository, branch and model from the template, where the request has none", async () => {
			const session = await create(ada, { template_name: "node-service" });
			expect(session).to.include({ template_name: "node-service", branch: "master" });
			expect(session.repo).to.match(/^https:/);
			const own = await create(ada, { template_name: "node-service", repo: "https://example.org/a.git" });
			expect(own).to.include({ repo: "https://example.org/a.git", branch: "main" });
		});

		const refused: Record<string, [object, RegExp]> = {
			"an unknown template": [{ template_name: "nope" }, /Template "nope" does not exist/],
			"an unknown profile": [{ profile_name: "nope" }, /Profile "nope" does not exist/],
			"an unknown preset": [{ preset_id: "0b6f5c1e-6d0f-4a6e-9d53-0d9f3f1f8a01" }, /Preset .* does not exist/],
			"a local mount": [
				{ source: { type: "local_mount", paths: [{ host_path: "/", mount_path: "/" }] } },
				/Local mounts/,
			],
			"a transport of git's own": [{ repo: "ext::sh -c id" }, /repository URL/],
			"a repository that begins with a dash": [{ repo: "--upload-pack=id" }, /begins with a dash/],
			"a branch that is an option": [{ branch: "--upload-pack=id" }, /cannot be the name of a branch/],
			"a branch with dots": [{ branch: "a..b" }, /cannot be the name of a branch/],
		};
		for (const [what, [body, sentence]] of Object.entries(refused)) {
			it(`refuses ${what}, naming it`, async () => {
				const error: Error = await create(ada, body).then(
					() => expect.fail("it was created"),
					(e: Error) => e,
				);
				expect(error).to.be.instanceOf(UnprocessableError);
				expect(error.message).to.match(sentence);
			});
		}

		it("lists by status in either case, by shelf, newest first, page by page", async () => {
			const made = [await stopped(), await stopped(), await running(), await running(), await running()];
			await callAs(near, ada, actions.archive, { session_id: made[1]!.id });
			const ids = async (params: object) => {
				const seen: string[] = [];
				let cursor: string | undefined;
				do {
					const page = await callAs(near, ada, actions.list, { limit: 2, ...(cursor && { cursor }), ...params });
					seen.push(...page.items.map(({ id }) => made.findIndex((one) => one.id === id).toString()));
					cursor = page.next;
				} while (cursor);
				return seen.join("");
			};
			expect(await ids({})).to.equal("4320");
			expect(await ids({ include_archived: true })).to.equal("43210");
			expect(await ids({ status: "running" })).to.equal("432");
			expect(await ids({ status: "RUNNING" })).to.equal("432");
			expect(await ids({ status: "archived" })).to.equal("1");
			const wrong = await callAs(near, ada, actions.list, { status: "nope" }).catch((e: Error) => e);
			expect(wrong).to.be.instanceOf(InvalidParametersError);
		});

		it("does not exist for anybody but its owner and administrators of the tenant", async () => {
			const { id } = await running();
			const calls = [
				actions.get,
				actions.start,
				actions.stop,
				actions.archive,
				actions.restore,
				actions.logs,
				actions.conversation,
				actions.diff,
			];
			const strangers: Principal[] = [
				bob,
				carol,
				{ kind: "pod", id: randomUUID(), tenant: "", roles: [], generation: 1 },
			];
			for (const stranger of strangers) {
				for (const action of stranger.kind === "pod" ? [] : calls) {
					const error = await callAs<{ session_id: string }, unknown>(near, stranger, action, { session_id: id }).catch(
						(e: Error) => e,
					);
					expect(error, action.name).to.be.instanceOf(NotFoundError);
				}
				const activity = callAs(near, stranger, actions.activity, { session_id: id, state: "idle" });
				expect(await activity.catch((e: Error) => e)).to.be.instanceOf(NotFoundError);
			}
			expect((await callAs(near, bob, actions.list, {})).items.filter((one) => one.id === id)).to.deep.equal([]);
			expect(await get(id, root)).to.include({ id });
			const speak = callAs(near, root, actions.messages, { session_id: id, content: "x" });
			expect(await speak.catch((e: Error) => e), "even an administrator").to.be.instanceOf(ForbiddenError);
		});

		it("lets exactly one of eight equal commands through", async () => {
			const { id } = await running();
			const stops = Array.from({ length: 8 }, () => callAs(near, ada, actions.stop, { session_id: id }));
			const results = await Promise.allSettled(stops);
			const lost = results.filter((result) => result.status === "rejected");
			expect(results.length - lost.length).to.equal(1);
			for (const { reason } of lost) expect(reason).to.be.instanceOf(ConflictError);
			const names = (await eventually(async () => {
				const found = await events(id);
				return found.length === 3 && found;
			})) as LogEntry[];
			expect(names.map(({ data }) => (JSON.parse(data) as Session).status)).to.deep.equal([
				"starting",
				"running",
				"stopping",
			]);
		});

		it("gives a repeated command with the same key its first answer, and refuses the key for another request", async () => {
			const first = await create(ada, {}, "one");
			await pass(first.id, "ready");
			expect(await create(ada, {}, "one")).to.deep.equal(first);
			expect((await create(bob, {}, "one")).id).not.to.equal(first.id);
			const other = await create(ada, { name: "b" }, "one").catch((e: Error) => e);
			expect(other).to.be.instanceOf(UnprocessableError);
			const stop = () => callAs(near, ada, actions.stop, { session_id: first.id }, { idempotency_key: "two" });
			const answer = await stop();
			await pass(first.id, "absent");
			expect(await stop()).to.deep.equal(answer);
			expect(await get(first.id)).to.include({ status: "stopped" });
			const plain = await callAs(near, ada, actions.stop, { session_id: first.id }).catch((e: Error) => e);
			expect(plain).to.be.instanceOf(ConflictError);
		});

		it("creates one session for eight requests with one key", async () => {
			const made = await Promise.all(Array.from({ length: 8 }, () => create(ada, {}, "same")));
			expect(new Set(made.map(({ id }) => id)).size).to.equal(1);
			expect((await callAs(near, ada, actions.list, {})).items).to.have.length(1);
		});

		it("leases a session to one pass at a time, and believes only the newest", async () => {
			const { id } = await create(ada);
			const [taken] = await claim(id);
			expect(await claim(id), "while leased").to.deep.equal([]);
			expect(await observe({ ...taken!, fence: taken!.fence - 1 }, "ready"), "an old fence").to.equal(false);
			expect(await get(id)).to.include({ status: "starting" });
			expect(await observe(taken!, "ready")).to.equal(true);
			expect(await observe(taken!, "failed"), "the lease is used up but nobody else has one").to.equal(true);
		});

		it("stays due when a command comes during a pass, and ignores what the pass says about an older launch", async () => {
			const { id } = await running();
			const [taken] = await claim(id);
			await callAs(near, ada, actions.stop, { session_id: id });
			await observe(taken!, "ready", 60_000);
			const [again] = await callAs(near, job, sessionWork.actions.claim_due, { holder: "t", limit: 64 }).then((all) =>
				all.filter((one) => one.id === id),
			);
			expect(again).to.include({ id, desired: "stop" });
			await observe(again!, "absent");
			const [late] = await claim(id);
			await callAs(near, ada, actions.start, { session_id: id });
			await observe(late!, "failed");
			expect(await get(id)).to.include({ status: "starting", generation: 2 });
		});

		it("hides a deleted session at once and removes it when its pod is gone", async () => {
			const { id } = await running();
			await callAs(near, ada, actions.delete, { session_id: id, cleanup: ["workspace_storage"] });
			expect(await get(id).catch((e: Error) => e)).to.be.instanceOf(NotFoundError);
			expect((await callAs(near, ada, actions.list, { include_archived: true })).items).to.deep.equal([]);
			const [taken] = await claim(id);
			expect(taken).to.include({ desired: "purge" });
			await observe(taken!, "leaving");
			await eventually(async () => {
				const [open] = await claim(id);
				if (open) {
					const { fence, generation } = open;
					await callAs(near, job, sessionWork.actions.observe, {
						id,
						fence,
						generation,
						observed: { ...seen("absent"), purged: true },
						due_in_ms: 0,
					});
				}
				return open === undefined && (await claim(id)).length === 0;
			});
			expect((await events(id)).at(-1)).to.include({
				type: "session_deleted",
				data: JSON.stringify({ id }),
				owner: ada.id,
			});
		});

		it("archives the caller's stopped sessions only", async () => {
			const mine = [await stopped(), await stopped()];
			const [theirs, busy] = [await stopped({ ...bob, id: randomUUID() }), await running()];
			const archived = await callAs(near, ada, actions.archive_stopped, {});
			expect(archived.toSorted()).to.deep.equal(mine.map(({ id }) => id).toSorted());
			expect(await get(theirs.id, root)).to.include({ status: "stopped" });
			expect(await get(busy.id)).to.include({ status: "running" });
		});

		it("records activity of the present launch and refuses that of an older one", async () => {
			const { id } = await running();
			const pod = (generation: number): Principal => ({ kind: "pod", id, tenant: "", roles: [], generation });
			const report = (generation: number, state: string) =>
				callAs(near, pod(generation), actions.activity, { session_id: id, state, metadata: { turn_count: 1 } });
			await report(1, "active");
			expect(await get(id)).to.deep.include({ activity_state: "active", activity_metadata: { turn_count: 1 } });
			expect(await report(1, "dancing").catch((e: Error) => e)).to.be.instanceOf(UnprocessableError);
			expect(await report(0, "idle").catch((e: ConflictError) => e.type)).to.equal("STALE_GENERATION");
			const entry = (await eventually(async () =>
				(await events(id)).find(({ type }) => type === "session_activity"),
			)) as LogEntry;
			expect(JSON.parse(entry.data)).to.deep.equal({
				session_id: id,
				state: "active",
				metadata: { turn_count: 1 },
				owner_id: ada.id,
			});
		});

		it("numbers events without gaps and in the order of each session's revisions", async () => {
			const made = await Promise.all(Array.from({ length: 20 }, () => running()));
			const all = await eventually(async () => {
				const found = await Promise.all(made.map(({ id }) => events(id)));
				return found.every((list) => list.length === 2) && found;
			});
			for (const list of all) {
				expect(list.map(({ data }) => (JSON.parse(data) as Session).rev)).to.deep.equal([1, 2]);
				expect(list[0]!.seq).to.be.lessThan(list[1]!.seq);
			}
		});
	});
}
