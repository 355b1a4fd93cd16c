/** The logs of changes on the stores that need no server, and the ids of their documents on the embedded one. */
import { expect } from "chai";
import { actingAs } from "#shared/base/actor.ts";
import { auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import { eventLogCollection } from "#shared/store/event-log/event-log-collection.ts";
import { LoggedStore, logCollections } from "../../support/stores/logged-store.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";
import { event, job, jobs } from "../../support/stores/sample-collections.ts";
import { describeEventLogs, person } from "./event-logs.contract.ts";

describeEventLogs("SQLite", openEmbedded);
describeEventLogs("MongoDB's wire protocol", openOnEndpoint);

describe("the documents of the logs on SQLite", () => {
	it("have ids in the order of the numbers, also those of notes, so that they are neighbours in the file", async () => {
		const subject = await openEmbedded([jobs, ...logCollections]);
		const { store } = subject;
		try {
			await using logged = await LoggedStore.on(store, [jobs]);
			const note = () => logged.store.note(person("alice"), { outcome: "read", resource: "jobs/x" });
			const ids = Array.from({ length: 12 }, (_, index) => `${12 - index}`);
			await actingAs(person("alice"), () =>
				Promise.all(ids.flatMap((id) => [logged.store.insert(jobs, job(id), [event(1)]), note()])),
			);
			const page = { limit: 100 };
			const events = (await store.find(eventLogCollection, "by_seq", { equals: [] }, page)).documents;
			const entries = (await store.find(auditLogCollection, "by_tenant", { equals: ["t"] }, page)).documents;
			expect([events.length, entries.length]).to.deep.equal([12, 12]);
			for (const documents of [events, entries]) {
				const found = documents.map(({ id }) => id);
				expect(found.toSorted()).to.deep.equal(found);
			}
		} finally {
			await subject.discard();
		}
	});
});
