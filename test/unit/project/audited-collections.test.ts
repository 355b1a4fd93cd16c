/** Each collection of a service is audited, or stands here with the reason why nobody has to know who changed it. */
import { expect } from "chai";
import { loadParts, serviceFolders } from "#host/service-folders.ts";
import type { Collection } from "#shared/store/collection.ts";

/** The collections that the audit log does not follow. */
const unaudited: Readonly<Record<string, string>> = {
	audit_checkpoints: "the audit log itself",
	audit_log: "the audit log itself",
	blueprint_defaults: "the choice of a person among own presets and profiles, which nobody else has or changes",
	day_accounts: "sums of the books, written with the ledger",
	day_holds: "sums of the books, written with the ledger",
	event_log: "the platform's own log of what has happened",
	event_log_name: "the platform's own log of what has happened",
	event_log_readers: "places of readers in the event log",
	feature_preferences: "what a person wants to see in the own client",
	idempotency_records: "remembers answers to keyed requests, whose changes are entered themselves",
	oauth_grants: "the life of a token; the connection and the credential that it belongs to are entered",
	oauth_states: "a login that is under way, which ends as a connection",
	session_counts: "counted from the events of sessions",
	session_events: "an event has no revision: a person's events are entered as begun (session-event-records.ts)",
	session_history: "written by the pod of the session",
	session_history_chunks: "written by the pod of the session",
	timeline_chunks: "older entries of a timeline, whose change is entered with the timeline",
	tracker_followed: "the place of a reader in the event log",
	tracker_moves: "what the platform has done at a tracker because of a mapping, which is entered",
	usage_ledger: "written by the pod of the session, or by its owner as a report of usage",
	user_secrets: "sealed values, whose changes are entered as begun (services/credentials)",
	webhook_deliveries: "what a code host has sent",
};

describe("the collections of the services", () => {
	let collections: readonly Collection[];

	before(async () => {
		const parts = await loadParts(serviceFolders);
		collections = [...parts.values()].flatMap(({ collections: own = [] }) => [...own]);
	});

	it("are audited, or on the list with a reason (Q8)", () => {
		const unlisted = collections.filter(
			({ name, audited }) => audited === undefined && !Object.hasOwn(unaudited, name),
		);
		expect(unlisted.map(({ name }) => name)).to.deep.equal([]);
	});

	it("are not on the list when they are audited or gone", () => {
		const open = new Set(collections.filter(({ audited }) => audited === undefined).map(({ name }) => name));
		expect(Object.keys(unaudited).filter((name) => !open.has(name))).to.deep.equal([]);
	});
});
