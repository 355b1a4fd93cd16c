/** A program that fills a store with sessions, as if they had been created and stopped, and ends. */
import { randomUUID } from "node:crypto";
import type { Principal } from "#shared/base/principal.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { sessionCreateFields, type SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { maxAppended } from "#shared/store/port/documents.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { MongodbStore, type MongodbStoreOptions } from "#shared/store/mongodb-store.ts";
import { launchSettings } from "#services/sessions/commands/launch-settings.ts";
import { newSession } from "#services/sessions/commands/session-draft.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { order, report } from "./program.ts";

/** The store to fill; exactly one of the two is given. */
export interface SessionsOrder {
	readonly count: number;
	/** The folder of a SQLite file. */
	readonly folder?: string;
	readonly mongodb?: MongodbStoreOptions;
}

const { count, folder = "", mongodb } = order<SessionsOrder>();
const principal: Principal = { kind: "user", id: "dev-user", tenant: "default", roles: [] };
const source = { type: "git", repo: "https://example.org/a.git", branch: "main", base_branch: "" } as const;
const fillIn = compileSchema(sessionCreateFields);
const year = Date.UTC(2026, 0, 1);

const store: DocumentStore = mongodb ? new MongodbStore(mongodb) : new EmbeddedStore({ folder });
await store.open([sessionCollection]);
for (let n = 0; n < count; n += maxAppended) {
	const numbers = Array.from({ length: Math.min(maxAppended, count - n) }, (_, offset) => n + offset);
	await store.append(sessionCollection, numbers.map(stopped));
}
await store.close();
report({});
process.disconnect();

function stopped(n: number) {
	const request: Record<string, unknown> = { name: `session-${n}`, source };
	fillIn(request);
	const create = request as SessionCreate;
	const launch = launchSettings(create, source, {}, { protocols: ["https"] });
	const { due_at: _never, ...document } = newSession({
		id: randomUUID(),
		principal,
		request: create,
		source,
		launch,
		at: year + n,
	});
	const wire = JSON.stringify({ ...JSON.parse(document.wire), status: "stopped" });
	return { ...document, wire, status: "stopped", desired: "stop" };
}
