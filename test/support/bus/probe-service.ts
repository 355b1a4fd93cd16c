/** A service that answers with the requests that reached it, for tests of the code in front of it. */
import type { ServiceSchema } from "moleculer";
import { setTimeout as sleep } from "node:timers/promises";
import { type Contract, defineContract } from "#shared/contracts/contract.ts";
import type { Principal } from "#shared/base/principal.ts";
import { implement, type Meta } from "#shared/bus/service.ts";

const anything = { type: "any" } as const;
const thing = { thing_id: { type: "uuid" } } as const;
const session = { session_id: { type: "uuid" } } as const;

export const probe = defineContract("probe", {
	read: {
		rest: "GET /things/:thing_id",
		summary: "What was asked, and by whom",
		params: {
			...thing,
			text: { type: "string", max: 10, optional: true },
			count: { type: "number", integer: true, min: 1, max: 500, default: 7 },
			share: { type: "number", optional: true },
			flag: { type: "boolean", default: false },
			colour: { type: "enum", values: ["red", "green"], optional: true },
		},
		returns: anything,
		errors: [404],
	},
	write: {
		rest: ["POST /things/:thing_id", "PUT /things/:thing_id"],
		summary: "Counts, and answers what was sent",
		status: 201,
		params: {
			...thing,
			name: { type: "string", min: 1, max: 63, pattern: "^[a-z]+$" },
			size: { type: "number", integer: true, min: 1, optional: true },
			deep: { ...anything, optional: true },
		},
		returns: anything,
		max_body: 2_000,
	},
	remove: {
		rest: "DELETE /things/:thing_id",
		summary: "Answers nothing",
		params: { ...thing, cleanup: { type: "array", max: 3, items: { type: "string" }, default: [] } },
	},
	list: {
		rest: "GET /things",
		summary: "Two pages",
		params: { limit: { type: "number", integer: true, default: 2 }, cursor: { type: "string", optional: true } },
		returns: {
			type: "object",
			props: {
				items: { type: "array", items: anything },
				next: { type: "string", optional: true },
				etag: { type: "string", optional: true },
			},
		},
		paged: true,
	},
	fail: {
		rest: "POST /failures/:how",
		summary: "Fails",
		params: { how: { type: "string" } },
		returns: anything,
		timeout: 200,
	},
	open: { rest: "GET //open", access: "public", summary: "For everybody", params: {}, returns: anything },
	admin: { rest: "GET /admin", access: "admin", summary: "For administrators", params: {}, returns: anything },
	report: {
		rest: "POST /sessions/:session_id/report",
		access: "pod",
		summary: "For the session's pod",
		params: session,
		returns: anything,
	},
	activity: {
		rest: "POST /sessions/:session_id/activity",
		access: "session",
		summary: "For the session's pod and people",
		params: session,
		returns: anything,
	},
	hook: {
		rest: "POST /hooks/:name",
		access: "public",
		summary: "A body as it was sent",
		params: {
			name: { type: "string", max: 10 },
			headers: { type: "record", key: { type: "string" }, value: { type: "string" }, max_bytes: 200 },
			body: { type: "string", max: 1_000 },
		},
		returns: anything,
		raw_body: true,
		max_body: 1_000,
	},
	job: { rest: "POST /jobs", access: "system", summary: "For jobs", params: {}, returns: anything },
	hidden: { summary: "Not for HTTP", params: {}, returns: anything },
});

export interface Seen {
	readonly params: Record<string, unknown>;
	readonly principal: Principal;
	readonly meta: Meta;
}

export class ProbeService {
	readonly contracts: readonly Contract[] = [probe];
	/** The calls that reached the service, oldest first. */
	readonly seen: Seen[] = [];
	/** The count of calls of `fail`. */
	failed = 0;
	/** A promise that delays the answers to all calls but those of `list` and `fail`. */
	held: Promise<void> | undefined;
	readonly schema: ServiceSchema;

	/** @param failures The errors of `fail` by name; without one it answers after a second. */
	constructor(failures: Readonly<Record<string, () => Error>> = {}) {
		const answer = async (params: object, principal: Principal, { meta }: { meta: Meta }): Promise<Seen> => {
			this.seen.push({ params: { ...params }, principal, meta: { ...meta } });
			await this.held;
			return { params: { ...params }, principal, meta: { ...meta } };
		};
		this.schema = {
			name: probe.name,
			actions: implement(probe, {
				read: answer,
				write: answer,
				remove: async (...call) => void (await answer(...call)),
				list: async ({ cursor }) => {
					if (cursor === "broken") return { items: [], etag: '"a\r\nSet-Cookie: a=b"' };
					return cursor === "b" ? { items: [3] } : { items: [1, 2], next: "b" };
				},
				fail: async ({ how }) => {
					this.failed++;
					const failure = failures[how];
					if (failure) throw failure();
					return sleep(1_000);
				},
				open: answer,
				admin: answer,
				report: answer,
				activity: answer,
				hook: answer,
				job: answer,
				hidden: answer,
			}),
		};
	}
}
