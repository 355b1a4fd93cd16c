/** The contract of the audit log: who did what, by tenant. */
import { defineContract } from "./contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "./page-fields.ts";
import { count, freeForm, text, time } from "./field-rules.ts";

const name = { type: "string", max: 300 } as const;
/** The ids of persons and tenants come from identity providers. */
const longName = { type: "string", max: 1_000 } as const;

export const auditEntry = schema({
	tenant: text,
	seq: { type: "number", integer: true, description: "Counts the entries of the tenant from 1 without gaps" },
	key: { type: "string", description: "Identifies the write that caused the entry" },
	time,
	actor: {
		type: "object",
		props: { kind: { type: "enum", values: ["user", "pat"] }, id: text },
	},
	action: { type: "string", description: "The action that was called, e.g. `sessions.stop`" },
	outcome: {
		type: "enum",
		values: ["done", "begun", "refused", "read"],
		description: "`begun`: entered before the change, which a later entry or the object itself confirms",
	},
	resource: { type: "string", optional: true, description: "The object, e.g. `sessions/<id>`" },
	changed: { ...freeForm, optional: true, description: "Members of the object after the change; never secrets" },
	reason: { type: "string", optional: true },
	request_id: { type: "string", optional: true },
	address: { type: "string", optional: true },
	previous: { type: "string", description: "The hash of the entry before; 64 zeros for the first one" },
	hash: { type: "string", description: "SHA-256 over `previous`, a line feed and the other members as JSON" },
});
export type AuditEntryResource = Output<typeof auditEntry>;

export const auditCheckpoint = schema({
	tenant: text,
	seq: { type: "number", integer: true },
	hash: text,
	time,
	signature: { type: "string", description: "Ed25519, base64url" },
});
export type AuditCheckpointResource = Output<typeof auditCheckpoint>;

export const auditExport = schema({
	public_key: { type: "string", description: "The key that signs the checkpoints, as PEM" },
	checkpoints: { type: "array", items: { type: "object", props: auditCheckpoint } },
	entries: { type: "array", items: { type: "object", props: auditEntry } },
});

export const audit = defineContract("audit", {
	list: {
		rest: "GET /admin/audit",
		access: "admin",
		summary: "Who did what in the caller's tenant, newest first",
		params: {
			...pageParams,
			actor: { ...name, optional: true, description: "Only entries of this person" },
			resource: { ...name, optional: true, description: "Only entries about this object, e.g. `sessions/<id>`" },
		},
		...pageOf({ type: "object", props: auditEntry }),
		errors: [400, 503],
	},
	export: {
		rest: "GET /admin/audit/export",
		access: "admin",
		summary: "Entries in their order with the signed checkpoints, for a verifier that works offline",
		params: {
			after: { ...count, default: 0, description: "The number of the last known entry" },
			limit: { type: "number", integer: true, min: 1, max: 500, default: 500 },
		},
		returns: { type: "object", props: auditExport },
		errors: [503],
	},
	enter: {
		access: "system",
		summary: "Enter what a person is about to do with something that is not in the store, or was refused",
		params: {
			actor: {
				type: "object",
				props: { kind: { type: "enum", values: ["user", "pat"] }, id: longName, tenant: longName },
			},
			action: name,
			outcome: { type: "enum", values: ["begun", "refused"] },
			resource: { ...longName, optional: true },
			reason: { type: "string", max: 1_000, optional: true },
			changed: { ...freeForm, max_bytes: 16_384, optional: true },
			request_id: { ...name, optional: true },
			address: { ...name, optional: true },
		},
	},
});
