/** How the proof of access makes the objects that callers try to reach, and removes them. */
import type { ObjectKind } from "#shared/contracts/access/access-table.ts";

/** The instructions for one kind of object. */
export interface Maker {
	/** The row of the access table that decides about it. */
	readonly kind: ObjectKind;
	/** It exists already: the owner's tenant, or the workspace of the session, by the id of the session. */
	readonly existing?: "tenant" | "session";
	/** An id that no such object has, where ids have a form of their own. */
	readonly unknown?: string;
	/** The route that makes one, as method and path; `:chronicle` in it is the id of the object of that name. */
	readonly make: string;
	/** The body. @param mark A name that nothing else has. @param session The id of the session, made first. */
	readonly body: (mark: string, session: string) => object;
	/** The member of the answer that is its id. */
	readonly id: string;
	/** The path that removes it; absent: nothing does, so that it is not made on a platform in use. */
	readonly remove?: string;
	readonly removal?: object;
}

const routeless = { kind: "session", make: "", body: () => ({}), id: "id" } as const;

/** The objects in the order in which they are made. */
export const makers = {
	session: {
		...routeless,
		make: "POST /sessions",
		body: (name: string) => ({ name, source: { type: "git", repo: "" } }),
		remove: "/sessions/:id",
		removal: { cleanup: ["workspace_storage", "chronicles"] },
	},
	chronicle: {
		...routeless,
		make: "POST /chronicles",
		body: (_mark: string, session_id: string) => ({ session_id }),
		remove: "/chronicles/:id",
	},
	/** A session that is not started: what commands need that end with it. */
	"unstarted-session": {
		...routeless,
		make: "POST /chronicles/:chronicle/reforge",
		body: () => ({}),
		remove: "/sessions/:id",
		removal: { cleanup: ["workspace_storage", "chronicles"] },
	},
	prompt: {
		...routeless,
		kind: "prompt",
		make: "POST /prompts",
		body: (mark: string) => ({ name: mark, content: `The text of ${mark}` }),
		remove: "/prompts/:id",
	},
	mapping: {
		...routeless,
		kind: "mapping",
		make: "POST /tracker/mappings",
		body: (mark: string) => ({ repo_url: `https://git.example/doctor/${mark}`, project_id: mark }),
		remove: "/tracker/mappings/:id",
	},
	preset: {
		...routeless,
		kind: "preset",
		make: "POST /presets",
		body: (name: string) => ({ name }),
		remove: "/presets/:id",
	},
	profile: {
		...routeless,
		kind: "profile",
		make: "POST /profiles",
		body: (name: string) => ({ name }),
		id: "name",
		remove: "/profiles/:id",
	},
	evaluation: {
		...routeless,
		kind: "merge-evaluation",
		make: "POST /repos/confidence",
		body: () => ({ tests_pass: true, lines_changed: 1, files_changed: 1 }),
	},
	workspace: { ...routeless, kind: "workspace", existing: "session" },
	tenant: { ...routeless, kind: "tenant", existing: "tenant", unknown: "no-such-tenant" },
	token: {
		...routeless,
		kind: "token",
		make: "POST //api/v1/users/tokens",
		body: (name: string) => ({ name }),
		remove: "//api/v1/users/tokens/:id",
	},
	credential: {
		...routeless,
		kind: "credential",
		make: "POST /credentials",
		body: (mark: string) => ({ name: mark, data: { token: "x" } }),
		id: "name",
		remove: "/credentials/:id",
	},
	connection: {
		...routeless,
		kind: "connection",
		make: "POST /integrations",
		body: (mark: string) => ({ integration_type: "messaging", slug: "telegram", credential_name: mark }),
		remove: "/integrations/:id",
	},
	secret: {
		...routeless,
		kind: "credential",
		make: "POST /secrets",
		body: (mark: string) => ({ name: mark, data: { token: "x" } }),
		id: "name",
	},
} as const satisfies Readonly<Record<string, Maker>>;

export type MakerName = keyof typeof makers;

export function makerOf(name: MakerName): Maker {
	return makers[name];
}
