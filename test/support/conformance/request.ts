/** A request to one operation, in parts. */
import type { Operation } from "./wire-contract.ts";

export interface OperationRequest {
	path?: Record<string, string>;
	query?: Record<string, string>;
	/** The body, which is sent as JSON; a string is sent unchanged. */
	body?: unknown;
}

export const unknownId = "00000000-0000-4000-8000-000000000000";

/** Returns the path with its placeholders filled in; absent ones get an id that does not exist. */
export function pathOf({ path, parameters }: Operation, given: Record<string, string> = {}): string {
	return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
		const schema = parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.schema;
		const sample = schema?.type === "integer" ? "1" : unknownId;
		return encodeURIComponent(given[name] ?? sample);
	});
}

const leastEvent = { session_id: unknownId, event_type: "error", timestamp: "2026-11-20T20:00:00Z", sequence: 0 };

/** The smallest bodies that fit the contract, for operations that need one. */
export const leastBodies: Readonly<Record<string, unknown>> = {
	createSession: { name: "walker" },
	updateSession: {},
	sendSessionMessage: { content: "hello" },
	reportActivity: { state: "idle" },
	createChronicle: { session_id: unknownId },
	updateChronicle: {},
	reportChronicle: {},
	addTimelineEvent: { t: 0, type: "session", label: "x" },
	ingestEvent: leastEvent,
	ingestEvents: { events: [leastEvent] },
	createProfile: { name: "walker" },
	updateProfile: {},
	createPreset: { name: "walker" },
	updatePreset: {},
	updateTrackerIssue: { status: "Done" },
	setIssueStatus: { status: "Done" },
	createMapping: { repo_url: "https://git.example/org/walker", project_id: "ENG" },
	createPullRequest: { session_id: unknownId },
	mergePullRequest: {},
	createPrompt: { name: "x", content: "x" },
	updatePrompt: {},
	reportUsage: { tokens: 1, provider: "cloud", model: "any" },
	toggleFeature: { enabled: true },
	setFeaturePreferences: { preferences: [] },
	updateAdminSettings: {},
	createToken: { name: "walker" },
	createTenant: { name: "walker" },
	updateTenant: {},
	addMember: { user_id: "dev-user" },
	createCredential: { name: "walker", data: { token: "x" } },
	createTenantCredential: { name: "walker", data: { token: "x" } },
	bulkDeleteWorkspaces: {},
	adminBulkDeleteWorkspaces: {},
	createIntegration: { integration_type: "messaging", credential_name: "walker" },
	updateIntegration: {},
	calculateConfidence: { tests_pass: true, lines_changed: 1, files_changed: 1 },
	createSecret: { name: "walker", data: { token: "x" } },
};

/** The queries of operations that need one. */
export const leastQueries: Readonly<Record<string, Record<string, string>>> = {
	searchPrompts: { q: "x" },
	listPullRequests: { repo_url: "acme/engine" },
	getPullRequest: { repo_url: "acme/engine" },
	mergePullRequest: { repo_url: "acme/engine" },
	getCiStatus: { repo_url: "acme/no-such", branch: "main" },
	listBranches: { repo_url: "org/repo" },
	validateRepo: { repo_url: "org/repo" },
	searchTrackerIssues: { q: "x" },
	searchIssues: { q: "x" },
	recentTrackerIssues: { project_id: "ENG" },
	getChronicleDiff: { file: "README.md" },
};
