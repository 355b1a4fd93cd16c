/** Says which folder of a module may import which other ones; oxlint.config.ts checks it (docs/architecture.md). */

/**
 * The folders of a module that each of its folders may import, with its own subfolders. Files at the module's root
 * import all of them, and no folder imports the root.
 */
export const layers: Record<string, Record<string, readonly string[]>> = {
	agent: {
		io: [],
		workspace: ["io"],
		"coding-agents": ["io"],
		"model-proxy": ["io"],
		builtin: ["io"],
		conversation: ["coding-agents", "io"],
		timeline: ["conversation", "coding-agents", "workspace", "io"],
		reporting: ["timeline", "conversation", "coding-agents", "model-proxy", "io"],
		server: ["conversation", "coding-agents", "workspace", "io"],
	},
	"services/gateway": { http: [], callers: ["http"], routes: ["http"] },
	"services/identity": { record: [], admissions: ["record"], directory: ["record", "admissions"] },
	"services/sessions": {
		record: [],
		"raw-events": [],
		workspaces: ["record"],
		commands: ["record", "workspaces"],
		work: ["record", "workspaces"],
		books: ["record"],
		chronicles: ["record", "commands"],
		history: ["record", "commands", "chronicles", "raw-events", "workspaces"],
		pod: ["record", "commands", "history"],
	},
	"services/credentials": { store: [], types: [], injection: ["store", "types"] },
	"services/settings": {
		record: [],
		features: ["record"],
		"admin-settings": ["record"],
		resources: [],
		"mcp-servers": [],
		secrets: ["record"],
	},
	"services/git": {
		providers: [],
		reviews: ["providers"],
		pulls: ["providers", "reviews"],
		confidence: ["providers", "reviews", "pulls"],
		webhooks: ["providers", "pulls", "confidence"],
	},
	"services/tracker": { trackers: [], mappings: [], moves: ["trackers"], lookup: ["trackers"] },
	"services/pat": { record: [], issue: [] },
	"services/integrations": {
		oauth: [],
		catalogue: [],
		connections: ["catalogue"],
		use: ["catalogue", "connections"],
		testing: ["catalogue", "connections", "use"],
	},
	"services/stream": { chat: [] },
};
