/** Wires chronicles and timelines to the bus; the rules are in session-chronicles.ts and timelines.ts. */
import type { ServiceSchema } from "moleculer";
import { ownershipOf } from "#shared/contracts/access/access-table.ts";
import { givenMembers } from "#shared/base/given-members.ts";
import type { Principal } from "#shared/base/principal.ts";
import { implement } from "#shared/bus/service.ts";
import { chronicles, type TimelineEntry } from "#shared/contracts/sessions/chronicles.ts";
import { refuseForeignReport } from "./commands/session-rights.ts";
import { commander } from "./commands/commander.ts";
import type { SessionRecord } from "./record/session-change.ts";
import { chroniclePage } from "./chronicles/chronicle-list.ts";
import { chronicleOf } from "./chronicles/chronicle-records.ts";
import type { Chronicles } from "./chronicles/compose-chronicles.ts";
import { chainOf } from "./chronicles/session-chronicles.ts";
import type { SessionPod } from "./pod/session-pod.ts";

/** @param pod The pods, whose workspaces give the differences. */
export function chroniclesService(parts: Chronicles, pod: SessionPod): ServiceSchema {
	const { sessions, records, ofSession, timelines, reforge, purge } = parts;

	/** Returns a session about which the principal may report. @throws {NotFoundError} {ForbiddenError} */
	async function reported(principal: Principal, id: string): Promise<SessionRecord> {
		const record = await sessions.get(principal, id);
		refuseForeignReport(principal, ownershipOf(record.session));
		return record;
	}

	return {
		name: chronicles.name,

		actions: implement(chronicles, {
			report: async ({ session_id, ...report }, ...who) =>
				chronicleOf(await ofSession.report(commander(...who), await reported(who[0], session_id), report)),

			async newest({ session_id }, principal) {
				await sessions.get(principal, session_id);
				return chronicleOf(await ofSession.newest(session_id));
			},

			list: (query, principal, { meta: { if_none_match: known } }) =>
				chroniclePage(records, principal, { ...query, known }),

			create: async ({ session_id }, ...who) =>
				chronicleOf(await ofSession.create(commander(...who), await reported(who[0], session_id))),

			get: async ({ chronicle_id }, principal) => chronicleOf(await records.get(principal, chronicle_id)),

			update: async ({ chronicle_id, ...edit }, ...who) =>
				chronicleOf(
					await records.change(commander(...who), chronicle_id, (document) => {
						refuseForeignReport(who[0], document);
						return { members: givenMembers(edit) ?? {} };
					}),
				),

			delete: async ({ chronicle_id }, principal) => ofSession.remove(await records.get(principal, chronicle_id)),

			reforge: async ({ chronicle_id }, principal, ctx) =>
				reforge.reforge(commander(principal, ctx), await records.get(principal, chronicle_id)),

			chain: async ({ chronicle_id }, principal) =>
				chainOf(await records.get(principal, chronicle_id), (id) => records.find(principal, id)),

			async timeline({ chronicle_id: session_id }, principal) {
				await sessions.get(principal, session_id);
				return timelines.read((await ofSession.newest(session_id)).id);
			},

			async add_entry({ chronicle_id: session_id, ...said }, ...who) {
				const entry = withoutNulls(said);
				await ofSession.addEntries(commander(...who), await reported(who[0], session_id), [entry]);
				return entry;
			},

			async diff({ chronicle_id: session_id, file, base }, principal) {
				const answer = await pod.diff(principal, await sessions.get(principal, session_id), {
					file,
					base,
					format: "files",
				});
				if ("hunks" in answer) return answer;
				throw new TypeError("The diff of one file has no hunks");
			},
		}),

		async started() {
			purge.start();
		},
		stopped: () => purge.stop(),
	};
}

/** Returns the entry without its null members, which are not stored. */
function withoutNulls<T extends TimelineEntry>(entry: T): T {
	return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined)) as T;
}
