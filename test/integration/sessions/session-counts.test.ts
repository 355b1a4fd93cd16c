/** The counts of sessions over real stores, compared with the documents. */
import { expect } from "chai";
import { SessionCounts } from "#services/sessions/books/session-counts.ts";
import { sessionCountCollection } from "#services/sessions/books/collections.ts";
import { eventLogCollection } from "#shared/store/event-log/event-log-collection.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import type { StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";
import {
	ada,
	bob,
	bookTestCollections,
	openTestBooks,
	root,
	type TestBooks,
} from "../../support/platform/test-books.ts";

const stranger: Principal = { kind: "user", id: "ada", tenant: "other", roles: ["admin"] };

const ways: readonly (readonly StoredStatus[])[] = [
	[],
	["stopping", "stopped"],
	["failed", "starting", "running"],
	["archived"],
	["archived", "stopped", "archived", "deleted"],
	["deleted"],
];

async function counted(store: DocumentStore, { tenant, id, roles }: Principal) {
	const of = async (status: string) => {
		const everybody = roles.includes("admin");
		const equals = everybody ? [tenant, status] : [tenant, id, status];
		return store.count(sessionCollection, everybody ? "tenant_status" : "owner_status", { equals });
	};
	const alive = ["starting", "running", "stopping", "stopped", "failed", "archived"];
	const each = await Promise.all(alive.map(of));
	return { total_sessions: each.reduce((sum, count) => sum + count, 0), active_sessions: await of("running") };
}

for (const [name, open] of [
	["embedded store", openEmbedded],
	["MongoDB", openOnEndpoint],
] as const) {
	describe(`counts of sessions, ${name}`, () => {
		let opened: Awaited<ReturnType<typeof open>>;
		let processes: TestBooks[];

		beforeEach(async () => {
			opened = await open(bookTestCollections);
			processes = [await openTestBooks(opened.store), await openTestBooks(opened.store)];
		});
		afterEach(async () => {
			for (const each of processes) await each.stop();
			await opened.discard();
		});

		async function live(n: number): Promise<void> {
			const books = processes[n % 2] ?? expect.fail();
			const id = await books.session(n % 3 === 0 ? bob : ada);
			for (const status of ways[n % ways.length] ?? []) await books.enters(id, status);
		}

		async function agree(): Promise<void> {
			for (const [n, principal] of [ada, bob, root, stranger].entries()) {
				const found = await (processes[n % 2] ?? expect.fail()).stats.of(principal);
				expect(found, principal.id).to.include(await counted(opened.store, principal));
			}
		}

		it("agree with the sessions while two processes fold", async () => {
			const folding = processes.map(async ({ counts }) => {
				for (let n = 0; n < 20; n++) await counts.fold();
			});
			await Promise.all(Array.from({ length: 36 }, (_, n) => live(n)));
			await Promise.all(folding);
			for (const each of processes) await each.logged();
			await agree();
			await Promise.all(processes.map(({ counts }) => counts.fold()));
			await agree();
		});

		it("ignore the counters of other services", async () => {
			await live(1);
			for (const each of processes) await each.logged();
			const counters = { running: 5, workspaces: 3 };
			const entry = { n: 1, type: "workspace_created", data: "{}", audience: { tenant: "acme" }, at: 0, counters };
			await new EventLog(opened.store).append([{ key: "workspaces:w:1", entry }]);
			await agree();
			for (const { counts } of processes) await counts.fold();
			await agree();
		});

		it("begin with the existing sessions", async () => {
			await Promise.all(Array.from({ length: 12 }, (_, n) => live(n)));
			for (const each of processes) await each.logged();
			await forget(opened.store);
			const late = await openTestBooks(opened.store);
			processes.push(late);
			expect(await late.counts.of(root)).to.deep.equal({ sessions: 8, running_sessions: 4 });
			await late.enters(await late.session(ada), "stopped");
			await late.logged();
			expect(await late.stats.of(root)).to.include({ total_sessions: 9, active_sessions: 4 });
		});

		it("are counted again when an older release stored them in another form, with events on their way", async () => {
			const [first = expect.fail(), second = expect.fail()] = processes;
			await Promise.all(Array.from({ length: 12 }, (_, n) => live(n)));
			for (const each of processes) await each.logged();
			await first.counts.fold();
			for (const id of ['["acme"]', '["acme","ada"]', '["acme","bob"]'])
				await opened.store.update(sessionCountCollection, id, {}, { unset: ["running_sessions"] });
			const removed = await first.session(stranger);
			await Promise.all([live(1), live(4)]);
			for (const each of processes) await each.logged();
			await Promise.all(processes.map((each) => each.stop()));
			await first.enters(removed, "deleted");
			await live(3);
			expect(await first.stats.of(root), "control").not.to.include(await counted(opened.store, root));
			expect(await second.counts.recount()).to.equal(true);
			await agree();
			processes = [await openTestBooks(opened.store), await openTestBooks(opened.store)];
			for (const each of processes) await each.logged();
			await Promise.all(processes.map(({ counts }) => counts.fold()));
			await agree();
		});

		it("count a session once that is created while another process still counts (L9)", async () => {
			for (const each of processes) await each.logged();
			await forget(opened.store);
			const counting = Promise.withResolvers<void>();
			const goOn = Promise.withResolvers<void>();
			const slow = new SessionCounts(
				new Proxy(opened.store, {
					get(target, name: (typeof documentStoreMethods)[number]) {
						if (name !== "find") return target[name].bind(target);
						return async (...args: Parameters<DocumentStore["find"]>) => {
							counting.resolve();
							await goOn.promise;
							return target.find(...args);
						};
					},
				}),
				new EventLog(opened.store),
			);
			const opening = slow.open();
			await counting.promise;
			const quick = await openTestBooks(opened.store);
			processes.push(quick);
			await quick.session(ada);
			await quick.logged();
			goOn.resolve();
			await opening;
			await quick.counts.fold();
			expect(await slow.of(root)).to.deep.equal({ sessions: 1, running_sessions: 1 });
		});
	});
}

/** The state before anybody has counted; the log of an older version has no counters. */
async function forget(store: DocumentStore): Promise<void> {
	const ids = ["position", '["acme"]', '["acme","ada"]', '["acme","bob"]'];
	for (const id of ids) await store.remove(sessionCountCollection, id, {});
	const { documents } = await store.find(eventLogCollection, "counted", { equals: [] }, { limit: 500 });
	const unset = ["counted_seq", "counters"] as const;
	for (const { id } of documents) await store.update(eventLogCollection, id, {}, { unset });
}
