/**
 * kill -9 in the middle of changes under load, on the store that enters events itself and on the one whose relay moves them: every
 * change that was answered has its event and its audit entry, once and in order, and what was not stored has neither. It is apart from
 * the tables of crashes, because eight sessions are changed at once until the process dies, and the logs are read in the store.
 * Night: it kills and starts a platform five times.
 */
import { join } from "node:path";
import { expect } from "chai";
import { serviceFolders } from "#host/service-folders.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import { EventLog } from "#shared/store/event-log/event-log.ts";
import { type ChainedEntry, chainStart, linkFault } from "#shared/store/audit/audit-chain.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore } from "#shared/store/mongodb-store.ts";
import { eventually } from "../../support/eventually.ts";
import { createSession, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { logCollections } from "../../support/stores/logged-store.ts";
import { startMongodbEndpoint } from "../../support/stores/mongodb-endpoint.ts";

/** Sessions are stored and never started, so that all changes are those of the test. */
const withoutPods = [serviceFolders.filter((name) => name !== "pod-manager" && name !== "models")];
const sessions = 8;
/** The answered changes before the kill of a process that dies at no point of its own. */
const changesBeforeKill = 200;

/** A store, and where the process dies; undefined: somewhere under load. */
interface Crash {
	readonly store: "embedded" | "mongodb";
	readonly point: string | undefined;
}

const crashes: readonly Crash[] = [
	{ store: "embedded", point: "store.changed" },
	{ store: "embedded", point: "sessions.written" },
	{ store: "embedded", point: undefined },
	{ store: "mongodb", point: "relay.appended" },
	{ store: "mongodb", point: undefined },
];

describe("kill -9 in the middle of changes", function () {
	this.timeout(180_000);

	for (const crash of crashes)
		it(`at ${crash.point ?? "some moment"}, on the store "${crash.store}"`, async () => {
			await using endpoint = crash.store === "mongodb" ? await mongodb() : undefined;
			const store = { adapter: "shared/store/mongodb-store.ts#MongodbStore", kwargs: { url: endpoint?.url } };
			const limits = { requests_per_second: 0, in_flight_per_user: 0, in_flight_per_tenant: 0 };
			const config = endpoint ? { limits, store } : { limits };
			await using platform = await startPlatform({
				processes: withoutPods,
				readyAt: "/api/v1/svc/sessions",
				config,
			});
			const made = await Promise.all(Array.from({ length: sessions }, () => createSession(platform.client())));
			const answered = await changedUntilDeath(platform, made, crash.point);

			await platform.start();
			// The platform works, and everything that waited is in the logs before what comes now.
			const late = await Promise.all(made.map(({ id }) => renamed(platform, id, "late")));
			for (const [index, rev = 0] of late.entries()) answered[index]?.push(rev);

			const stored = endpoint
				? new MongodbStore({ url: endpoint.url })
				: new EmbeddedStore({ folder: join(platform.dataDir, "store") });
			if (!endpoint) await platform.stop();
			await stored.open([sessionCollection, ...logCollections]);
			try {
				await eventually(async () => (await stored.outbox(sessionCollection, 1)).length === 0);
				await expectWhole(stored, made, answered);
			} finally {
				await stored.close();
			}
		});
});

async function mongodb() {
	const endpoint = await startMongodbEndpoint();
	return { url: endpoint.url, [Symbol.asyncDispose]: () => endpoint.close() };
}

/** Renames a session and returns its new revision; undefined when the platform has died. */
async function renamed(platform: TestPlatform, id: string, name: string): Promise<number | undefined> {
	const answer = await platform
		.client()
		.put<SessionView & { rev: number }>(`/sessions/${id}`, { name })
		.catch(() => undefined);
	if (!answer) return undefined;
	expect(answer.status, answer.text).to.equal(200);
	return answer.body.rev;
}

/** Renames all sessions again and again until the platform dies; returns the answered revisions of each. */
async function changedUntilDeath(
	platform: TestPlatform,
	made: readonly SessionView[],
	point?: string,
): Promise<number[][]> {
	await platform.kill();
	const env: Record<string, string> = point === undefined ? {} : { ATELIER_FAILPOINTS: `${point}=kill` };
	const dying = platform.startProcess(withoutPods[0] ?? [], env);
	platform.processes = [dying];
	await platform.ready();
	let answers = 0;
	const load = made.map(async ({ id }) => {
		const answered: number[] = [];
		for (let n = 0; ; n++) {
			const rev = await renamed(platform, id, `name-${n}`);
			if (rev === undefined) return answered;
			answered.push(rev);
			if (++answers === changesBeforeKill && point === undefined) void dying.kill();
		}
	});
	const answered = await Promise.all(load);
	await dying.ended();
	return answered;
}

/** Compares the sessions with the logs. @param answered The revisions that were answered, of each session. */
async function expectWhole(store: DocumentStore, made: readonly SessionView[], answered: number[][]): Promise<void> {
	const events = await eventsOf(store);
	expect(events.map(({ seq }) => seq)).to.deep.equal(Array.from(events, (_, index) => index + 1));
	const entries = await auditOf(store);
	for (const [index, { id }] of made.entries()) {
		const document = await store.get(sessionCollection, id);
		const all = Array.from({ length: document?.rev ?? 0 }, (_, n) => n + 1);
		expect(all.length, "changes").to.be.at.least(2);
		expect(all, "what was answered").to.include.members(answered[index] ?? []);
		const told = events.filter((event) => event.session === id).map(({ rev }) => rev);
		expect(told, "events").to.deep.equal(all);
		const entered = entries.filter(({ resource }) => resource === `sessions/${id}`);
		expect(
			entered.map(({ key }) => Number(key.split(":")[2])),
			"audit entries",
		).to.deep.equal(all);
		expect(entered.at(-1)?.changed).to.include({ name: "late" });
		expect(await store.isWaiting(sessionCollection, id)).to.equal(false);
	}
}

interface ToldChange {
	readonly seq: number;
	readonly session: string;
	readonly rev: number;
}

async function eventsOf(store: DocumentStore): Promise<ToldChange[]> {
	const log = new EventLog(store);
	const changes: ToldChange[] = [];
	for (;;) {
		const page = await log.read(changes.length, 500);
		if (page.length === 0) return changes;
		for (const { seq, data } of page) {
			const { id: session, rev }: { id: string; rev: number } = JSON.parse(data);
			changes.push({ seq, session, rev });
		}
	}
}

/** Returns the chain of the tenant, which must be whole. */
async function auditOf(store: DocumentStore): Promise<ChainedEntry[]> {
	const entries: ChainedEntry[] = [];
	for (let after: string | undefined; ; ) {
		const page = { limit: 500, ...(after !== undefined && { after }) };
		const { documents, next } = await store.find(auditLogCollection, "by_tenant", { equals: ["default"] }, page);
		entries.push(...documents.map(({ wire }): ChainedEntry => JSON.parse(wire)));
		if (next === undefined) break;
		after = next;
	}
	let head = chainStart;
	for (const entry of entries) {
		expect(linkFault(head, entry)).to.equal(undefined);
		head = entry;
	}
	return entries;
}
