/** Offers the audit log to administrators, and enters what other processes refuse. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import type { Principal } from "#shared/base/principal.ts";
import { serviceOf } from "#shared/bus/service.ts";
import type { AuditedStore } from "#shared/store/audit/audited-store.ts";
import type { AuditLog } from "#shared/store/audit/audit-log.ts";
import { audit } from "#shared/contracts/audit.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import { readPage } from "#shared/store/pages/stored-page.ts";

/** The count of checkpoints of one export. */
const maxCheckpoints = 100;

export function auditService(log: AuditLog, store: Pick<AuditedStore, "note" | "noteRead">): ServiceSchema {
	return serviceOf(audit, {
		async list({ limit, cursor, actor, resource }, { tenant }, { meta }) {
			const found = await log.page(tenant, { limit, cursor, actor, resource }).catch(refuseCursor);
			return readPage({ ...found, documents: found.documents.map(listed) }, meta.if_none_match);
		},

		async export({ after, limit }, { tenant }) {
			await store.noteRead("audit_log");
			await log.checkpoint(tenant);
			const [entries, checkpoints] = await Promise.all([
				log.entries(tenant, after, limit),
				log.checkpoints(tenant, after, maxCheckpoints),
			]);
			const members = [`"public_key":${JSON.stringify(log.publicKey)}`, member("checkpoints", checkpoints)];
			return jsonText(`{${[...members, member("entries", entries)].join(",")}}`);
		},

		async enter({ actor, action, outcome, resource, reason, changed, request_id, address }) {
			const principal = { ...actor, roles: [] } as const satisfies Principal;
			const about = { ...(resource !== undefined && { resource }), ...(reason !== undefined && { reason }) };
			const facts = { outcome, ...about, ...(changed && { changed }) };
			await store.note({ principal, action, isRead: false, request_id, address }, facts);
		},
	});
}

function listed({ id, wire, seq = 0 }: { id: string; wire: string; seq?: number }) {
	return { id, wire, rev: seq };
}

function member(name: string, texts: readonly string[]): string {
	return `"${name}":[${texts.join(",")}]`;
}
