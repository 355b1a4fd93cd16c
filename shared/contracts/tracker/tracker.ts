/** The contract of the tracker: the caller's first connection to an issue tracker, or the one of the configuration. */
import { defineContract } from "../contract.ts";
import {
	issueId,
	issueList,
	projectId,
	searchText,
	stateName,
	trackerIssue,
	trackerMs,
	trackerStatus,
} from "./issue-fields.ts";
import { nullableText, text } from "../field-rules.ts";

const freeForm = { type: "record", key: text, value: { type: "any" }, max_bytes: 65_536 } as const;

export const tracker = defineContract("tracker", {
	status: {
		rest: "GET /tracker/status",
		summary: "Whether the caller's tracker answers; never fails",
		params: {},
		returns: { type: "object", props: trackerStatus },
		timeout: trackerMs,
	},
	search: {
		rest: "GET /tracker/issues",
		summary: "Issues of the caller's tracker that contain a text, at most 25",
		params: { q: searchText, project_id: { ...projectId, optional: true } },
		returns: issueList,
		errors: [502, 503],
		timeout: trackerMs,
	},
	recent: {
		rest: "GET /tracker/issues/recent",
		summary: "Issues of a project, last updated first",
		params: {
			project_id: projectId,
			limit: { type: "number", integer: true, min: 1, max: 100, default: 10 },
		},
		returns: issueList,
		errors: [502, 503],
		timeout: trackerMs,
	},
	update: {
		rest: "PATCH /tracker/issues/:id",
		summary: "Set the status of an issue; 422 names the states that exist",
		example: { status: "Done" },
		params: { id: issueId, status: stateName },
		returns: { type: "object", props: trackerIssue },
		errors: [404, 502, 503],
		timeout: trackerMs,
	},
	probe: {
		access: "system",
		summary: "Whether a tracker answers with this credential, and as whom",
		params: { adapter: { type: "string", min: 1, max: 500 }, config: freeForm, credential: freeForm },
		returns: {
			type: "object",
			props: { user: nullableText, workspace: nullableText },
		},
		timeout: trackerMs,
	},
});
