/** The counts of sessions over real stores, compared with the documents. */
import { expect } from "chai";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import type { StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
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
				const found = await (processes[n % 2] ?? expect.fail()).stats(principal);
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
	});
}
