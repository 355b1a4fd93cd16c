/** Moves of issues over real stores: events are read again, processes compete, trackers fail. */
import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { EventFollower } from "#services/tracker/issue-moves/event-follower.ts";
import { IssueMover, maxAttempts } from "#services/tracker/issue-moves/issue-mover.ts";
import { IssueMoves } from "#services/tracker/issue-moves/issue-moves.ts";
import { followedCollection, moveCollection } from "#services/tracker/issue-moves/move-collection.ts";
import type { TrackerConnection } from "#services/tracker/trackers/connected-trackers.ts";
import type { IssueTracker } from "#services/tracker/trackers/issue-tracker.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { IssueMove } from "#shared/contracts/tracker/issues.ts";
import type { Mapping } from "#shared/contracts/tracker/mappings.ts";
import { UnavailableError, UnprocessableError } from "#shared/base/errors.ts";
import { eventLogCollection, eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { unknownId } from "../../support/conformance/request.ts";
import { type StoppedClock, stopClock } from "../../support/machine/stopped-clock.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";

const repo = "https://git.example/org/shop";
const mapping: Mapping = {
	id: unknownId,
	repo_url: repo,
	project_id: "ENG",
	project_name: "",
	tracker: null,
	connection_id: null,
	on_start: "In Progress",
	on_merge: "Done",
	created_at: "2026-11-20T20:00:00Z",
};
const createdAt = Date.parse(mapping.created_at);
const ada: Principal = { kind: "user", id: "ada", tenant: "acme", roles: [] };
const connection: TrackerConnection = { id: "c1", slug: "linear", adapter: "linear", config: {}, credential: {} };
const collections = [eventLogCollection, eventLogNameCollection, moveCollection, followedCollection];

/** A tracker that notes what it was asked, and fails as often as it is told. */
class NotingTracker {
	readonly moved: string[] = [];
	readonly failures: Error[] = [];
	readonly warnings: string[] = [];
	/** Holds all answers until it is resolved. */
	held: Promise<void> = Promise.resolve();

	of() {
		return Promise.resolve({ connections: [connection], warnings: this.warnings });
	}

	open(person: { id: string }): Promise<IssueTracker> {
		const setStatus = async (id: string, status: string) => {
			await this.held;
			const failure = this.failures.shift();
			if (failure) throw failure;
			this.moved.push(`${person.id}: ${id} ${status}`);
			return { id, identifier: id, title: "", status, assignee: null, labels: [], priority: 0, url: "" };
		};
		const unasked = () => Promise.reject(new Error("not asked"));
		return Promise.resolve({
			name: "noting",
			status: unasked,
			search: unasked,
			recent: unasked,
			issue: unasked,
			setStatus,
		});
	}
}

for (const [name, open] of [
	["embedded store", openEmbedded],
	["MongoDB", openOnEndpoint],
] as const) {
	describe(`moves of issues, ${name}`, () => {
		let opened: Awaited<ReturnType<typeof open>>;
		let store: DocumentStore;
		let log: EventLog;
		let tracker: NotingTracker;
		let clock: StoppedClock;
		let events = 0;
		/** The issues of sessions, as the sessions service knows them. */
		let issues: Map<string, string>;

		beforeEach(async () => {
			clock = stopClock();
			opened = await open(collections);
			({ store } = opened);
			log = new EventLog(store);
			tracker = new NotingTracker();
			issues = new Map();
			await aProcess().follower.open();
		});
		afterEach(async () => {
			clock[Symbol.dispose]();
			await opened.discard();
		});

		function aProcess() {
			const mappingOf = (_place: object, of: string) => Promise.resolve(of === repo ? mapping : undefined);
			const moves = new IssueMoves(store, mappingOf);
			const mover = new IssueMover({
				moves,
				trackers: tracker,
				issueOf: (_person, session) => Promise.resolve(issues.get(session)),
				onError(error) {
					throw error;
				},
			});
			return { moves, mover, follower: new EventFollower(store, log, (entry) => moves.note(entry)) };
		}

		async function happens(type: string, data: object, owner: string | undefined = "ada", at?: number): Promise<void> {
			const audience = { tenant: "acme", ...(owner !== undefined && { owner }) };
			const n = ++events;
			await log.append([
				{ key: `k${n}`, entry: { n, type, data: JSON.stringify(data), audience, at: at ?? createdAt + n } },
			]);
		}

		const started = (id: string, more: object = {}) => ({
			id,
			repo,
			status: "running",
			tracker_issue_id: `ENG-${id}`,
			...more,
		});

		async function work(one = aProcess()): Promise<void> {
			await one.follower.follow();
			await one.mover.look();
			await one.mover.settled();
		}

		async function movesOf(session: string, principal = ada): Promise<Pick<IssueMove, "event" | "state" | "error">[]> {
			const found = await aProcess().moves.ofSession(principal, session);
			return found.map(({ event, state, error }) => ({ event, state, error }));
		}

		it("follow from the first time that a session runs, and from no other event", async () => {
			await happens("session_created", started("1", { status: "starting" }));
			await happens("session_updated", started("1", { status: "starting" }));
			await happens("session_updated", started("2", { tracker_issue_id: null }));
			await happens("session_updated", started("3", { repo: "https://git.example/org/other" }));
			await happens("session_activity", started("4"));
			await work();
			expect(tracker.moved).to.deep.equal([]);
			await happens("session_updated", started("1"));
			await happens("session_updated", started("1", { name: "renamed" }));
			await work();
			await happens("session_updated", started("1", { status: "stopped" }));
			await happens("session_updated", started("1"));
			await work();
			expect(tracker.moved).to.deep.equal(["ada: ENG-1 In Progress"]);
			expect(await movesOf("1")).to.deep.equal([{ event: "start", state: "done", error: null }]);
			expect(await movesOf("1", { ...ada, tenant: "other" }), "another tenant").to.deep.equal([]);
		});

		it("follow from no start and no merge before the mapping was made, also when the session changes later", async () => {
			const before = { timings: { requested: new Date(createdAt - 1_000).toISOString() } };
			await happens("session_updated", started("1", before));
			await happens("session_updated", started("1", { ...before, tracker_issue_id: "private/secret#1" }));
			await happens("pr_merged", { session_id: "2", pr_number: 7, repo_url: repo }, "ada", createdAt - 1);
			issues.set("2", "ENG-2");
			await work();
			expect(tracker.moved).to.deep.equal([]);
			const after = { timings: { requested: new Date(createdAt + 1_000).toISOString() } };
			await happens("session_updated", started("1", after));
			await work();
			expect(tracker.moved, "of the next launch").to.deep.equal(["ada: ENG-1 In Progress"]);
		});

		it("follow from the merge of a session's pull request", async () => {
			issues.set("1", "ENG-1");
			for (const session_id of ["1", "without-issue"])
				await happens("pr_merged", { session_id, pr_number: 7, repo_url: repo, merge_method: "squash" });
			await happens("pr_merged", { pr_number: 8, repo_url: repo, merge_method: "squash" });
			await work();
			await work();
			expect(tracker.moved).to.deep.equal(["ada: ENG-1 Done"]);
			expect(await movesOf("1")).to.deep.equal([{ event: "merge", state: "done", error: null }]);
			expect(await movesOf("without-issue")).to.deep.equal([]);
		});

		it("are made once by processes that follow at the same time, also when one has died before its note", async () => {
			for (let n = 0; n < 5; n++) await happens("session_updated", started(String(n)));
			const processes = [aProcess(), aProcess(), aProcess()];
			await Promise.all(processes.map((one) => one.follower.follow()));
			const place = await store.get(followedCollection, "place");
			await store.update(followedCollection, "place", {}, { set: { seq: 0 } });
			await aProcess().follower.follow();
			expect((await store.get(followedCollection, "place"))?.seq).to.equal(place?.seq);
			for (let round = 0; round < 5; round++) {
				await Promise.all(processes.map((one) => work(one)));
				clock.advance(3_000);
			}
			expect(tracker.moved.toSorted()).to.deep.equal([0, 1, 2, 3, 4].map((n) => `ada: ENG-${n} In Progress`));
		});

		it("are followed with a place that is stored at once when something was noted, otherwise once a second", async () => {
			const place = async () => (await store.get(followedCollection, "place"))?.seq;
			let monotonic = 0;
			const turnBack = turnClock({ now: () => createdAt + 100_000, monotonic: () => monotonic });
			const one = aProcess();
			const nothing = () => happens("session_activity", started("1"));
			await nothing();
			await one.follower.follow();
			expect(await place(), "the first time").to.equal(1);
			await nothing();
			await one.follower.follow();
			expect(await place(), "within the second").to.equal(1);
			monotonic += 1_000;
			await one.follower.follow();
			expect(await place(), "after a second").to.equal(2);
			await happens("session_updated", started("1"));
			await one.follower.follow();
			expect(await place(), "with a note").to.equal(3);
			await work();
			expect(tracker.moved).to.deep.equal(["ada: ENG-1 In Progress"]);
			await nothing();
			await one.follower.follow();
			expect(await place()).to.equal(3);
			await one.follower.close();
			turnBack();
			expect(await place(), "at the end").to.equal(4);
		});

		it("are tried again after failures that may pass, later each time, and told when they fail for good", async () => {
			await happens("session_updated", started("1"));
			tracker.failures.push(...Array.from({ length: maxAttempts + 1 }, () => new UnavailableError("Busy")));
			const one = aProcess();
			await work(one);
			expect(await movesOf("1")).to.deep.equal([{ event: "start", state: "waiting", error: "Busy" }]);
			clock.advance(2_000);
			await work(one);
			expect(tracker.failures, "not before its time").to.have.length(maxAttempts);
			for (let tries = 1; tries < maxAttempts; tries++) {
				clock.advance(900_000);
				await work(one);
			}
			expect(await movesOf("1")).to.deep.equal([{ event: "start", state: "failed", error: "Busy" }]);
			clock.advance(86_400_000);
			await work(one);
			expect(tracker.failures, "no further try").to.have.length(1);
			tracker.failures.length = 0;
			await happens("session_updated", started("2"));
			tracker.failures.push(new UnprocessableError("No such state"));
			await work(one);
			expect(await movesOf("2")).to.deep.equal([{ event: "start", state: "failed", error: "No such state" }]);
			expect(tracker.moved).to.deep.equal([]);
		});

		it("wait while the connections of the owner cannot be read", async () => {
			await happens("session_updated", started("1"));
			tracker.warnings.push("The connections cannot be read");
			await work();
			expect(await movesOf("1")).to.deep.include({
				event: "start",
				state: "waiting",
				error: "The connections cannot be read",
			});
			tracker.warnings.length = 0;
			clock.advance(5_000);
			await work();
			expect(tracker.moved).to.deep.equal(["ada: ENG-1 In Progress"]);
		});

		it("of a process that died are tried again after its lease, and at once by a process that is alone", async () => {
			await happens("session_updated", started("1"));
			const { follower, moves } = aProcess();
			await follower.follow();
			const [due] = await moves.due(1);
			expect(due && (await moves.hold(due))).not.to.equal(undefined);
			await work();
			expect(tracker.moved, "under lease").to.deep.equal([]);
			await aProcess().moves.releaseLeases();
			await work();
			expect(tracker.moved).to.deep.equal(["ada: ENG-1 In Progress"]);
			const held = due && (await moves.hold(due));
			expect(held, "an old document").to.equal(undefined);
		});

		it("of one person do not hold up those of others", async () => {
			const slow = Promise.withResolvers<void>();
			tracker.held = slow.promise;
			for (let n = 0; n < 30; n++) await happens("session_updated", started(String(n)), "mallory");
			const one = aProcess();
			await one.follower.follow();
			for (let round = 0; round < 3; round++) await one.mover.look();
			tracker.held = Promise.resolve();
			await happens("session_updated", started("of-bob"), "bob");
			await one.follower.follow();
			for (let round = 0; round < 3 && !tracker.moved.includes("bob: ENG-of-bob In Progress"); round++)
				await one.mover.look();
			slow.resolve();
			await one.mover.settled();
			expect(tracker.moved[0]).to.equal("bob: ENG-of-bob In Progress");
			expect(tracker.moved, "two of mallory, the others wait").to.have.length(3);
		});

		it("are bounded for a session whose owner names one issue after the other, and all are deleted", async () => {
			const one = aProcess();
			for (let n = 0; n < 55; n++) await happens("session_updated", started("1", { tracker_issue_id: `ENG-${n}` }));
			await one.follower.follow();
			expect(await store.count(moveCollection, "by_session", { equals: ["acme", "1"] })).to.equal(50);
			await happens("session_deleted", { id: "1" });
			await one.follower.follow();
			expect(await store.count(moveCollection, "by_session", { equals: ["acme", "1"] })).to.equal(0);
		});

		it("are deleted with their session, and those of another tenant's session stay", async () => {
			await happens("session_updated", started("1"));
			await happens("session_updated", started("2"));
			await work();
			await happens("session_deleted", { id: "1" });
			await work();
			expect([await movesOf("1"), (await movesOf("2")).length]).to.deep.equal([[], 1]);
		});

		it("continue at the oldest event of a log that was trimmed or begun again", async () => {
			await store.update(followedCollection, "place", {}, { set: { epoch: "another", seq: 900 } });
			await happens("session_updated", started("1"));
			await work();
			expect(tracker.moved).to.deep.equal(["ada: ENG-1 In Progress"]);
		});
	});
}
