/**
 * Says which folder of a module may import which other ones; oxlint.config.ts checks it (docs/architecture.md). Every
 * folder of a module has a row: oxlint.config.ts ends with an error when one is missing.
 */

import { globSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Refused imports by path, in the order of a .gitignore: a later `!pattern` allows a path again. */
export interface Ban {
	group: string[];
	/** The only names that are refused. */
	importNames?: string[];
	message: string;
}

/**
 * The folders of a module that each of its folders may import, with its own subfolders; "." stands for the files at the
 * module's root. These files import all folders.
 */
export const layers: Record<string, Record<string, readonly string[]>> = {
	shared: {
		base: [],
		telemetry: ["base"],
		config: ["base"],
		contracts: ["base"],
		wire: ["contracts", "config", "base"],
		net: ["config", "base"],
		"model-proxy": ["net", "wire", "contracts", "config", "base"],
		store: ["contracts", "telemetry", "base"],
		bus: ["contracts", "telemetry", "config", "base"],
		kubernetes: ["telemetry", "config", "base"],
	},
	host: { archive: ["presence"], log: [], presence: [], storage: [".", "archive", "presence"] },
	cli: { agents: ["."], doctor: ["."], "engine-filter": [] },
	agent: {
		io: [],
		ssh: [],
		workspace: ["io", "ssh"],
		"coding-agents": ["io"],
		builtin: ["io"],
		conversation: ["coding-agents", "io"],
		timeline: ["conversation", "coding-agents", "workspace", "io"],
		reporting: ["timeline", "conversation", "coding-agents", "io"],
		server: ["conversation", "coding-agents", "workspace", "io"],
	},
	"services/audit": {},
	"services/blueprints": {
		owned: [],
		presets: ["owned"],
		profiles: ["owned"],
		prompts: [],
		"template-sources": [".", "owned"],
	},
	"services/credentials": {
		store: [],
		types: [],
		vault: [],
		injection: ["store", "types"],
		"credential-stores": ["store", "vault"],
		"secret-injections": ["store", "injection"],
	},
	"services/event-log": {},
	"services/gateway": { http: [], callers: ["http"], routes: ["http"], "identity-providers": [".", "http", "callers"] },
	"services/git": {
		providers: [],
		reviews: ["providers"],
		pulls: ["providers", "reviews"],
		confidence: ["providers", "reviews", "pulls"],
		webhooks: ["providers", "pulls", "confidence"],
		"git-providers": ["providers"],
	},
	"services/identity": { record: [], admissions: ["record"], directory: ["record", "admissions"] },
	"services/integrations": {
		oauth: [],
		catalogue: [],
		connections: ["catalogue"],
		"connection-uses": ["catalogue", "connections"],
		testing: ["catalogue", "connections", "connection-uses"],
	},
	"services/models": {},
	"services/pat": { record: [], issue: ["record"], "token-issuers": ["issue"] },
	"services/pod-manager": {
		"runtime-change": ["."],
		disk: ["."],
		reconciliation: ["."],
		"running-pods": ["."],
		"pod-runtimes": [".", "runtime-change"],
	},
	"services/sessions": {
		record: [],
		"raw-events": [],
		"workspace-sources": ["record"],
		workspaces: ["record"],
		books: ["record"],
		claims: ["record", "workspace-sources", "workspaces"],
		commands: ["record", "workspace-sources", "workspaces"],
		chronicles: ["record", "workspace-sources", "commands"],
		history: ["record", "commands", "chronicles", "raw-events", "workspaces"],
		pod: ["record", "workspace-sources", "commands", "history"],
	},
	"services/settings": {
		record: [],
		features: ["record"],
		"admin-settings": ["record"],
		resources: [],
		"mcp-servers": [],
		secrets: ["record"],
		"secret-stores": ["record", "secrets"],
	},
	"services/stream": { chat: [] },
	"services/tracker": {
		trackers: [],
		mappings: [],
		"issue-moves": ["trackers"],
		"issue-queries": ["trackers"],
		"issue-trackers": ["trackers"],
	},
};

/** Returns the folders that have sources. */
export function foldersIn(path: string): string[] {
	const sources = globSync("*/**/*.ts", { cwd: fileURLToPath(new URL(path, import.meta.url)) });
	return [...new Set(sources.map((file) => file.split(sep)[0] ?? ""))];
}

/** @throws {Error} for a folder that could import everything, because no row says what it may import. */
export function refuseFoldersWithoutRow(module: string): void {
	const rows = layers[module];
	const without = rows ? foldersIn(module).find((folder) => !Object.hasOwn(rows, folder)) : "";
	if (without !== undefined)
		throw new Error(`The folder ${module}/${without} has no row in oxlint.layers.ts, which says what it may import`);
}

/**
 * Returns the ban of what a folder may not import of its own module.
 * @param up The way from the files to the root of the module.
 */
export function layerBan(module: string, folder: string, up: string): Ban {
	const folders = layers[module] ?? {};
	const allowed = folders[folder] ?? [];
	const others = Object.keys(folders).filter((other) => other !== folder && !allowed.includes(other));
	const root = allowed.includes(".") ? [] : [`${up}/*.ts`];
	// The other modules may not use names for their own files at all.
	const byName = ["shared", "host", "cli"].includes(module) ? others.map((other) => `#${module}/${other}/**`) : [];
	return {
		group: [...root, ...others.map((other) => `${up}/${other}/**`), ...byName],
		message: `The layers of ${module} (oxlint.layers.ts): of it, ${folder} may import ${allowed.join(", ") || "nothing"}`,
	};
}
