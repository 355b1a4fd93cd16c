/** The fields of issues and of trackers in the API. */
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { count, nullableText, text, texts } from "../field-rules.ts";

/** An issue, in the one form that all trackers have here. */
export const trackerIssue = schema({
	id: { ...text, description: "Id within the tracker" },
	identifier: { ...text, description: "Key such as `ENG-12`" },
	title: text,
	status: { ...text, description: "Name of the tracker's state" },
	assignee: nullableText,
	labels: texts,
	priority: { ...count, description: "0: none, 1: urgent, and so on downwards" },
	url: text,
});
export type TrackerIssue = Output<typeof trackerIssue>;

export const trackerStatus = schema({
	connected: { type: "boolean" },
	provider: { ...text, description: "Name of the tracker; `none` when there is none" },
	workspace: nullableText,
	user: nullableText,
});
export type TrackerStatus = Output<typeof trackerStatus>;

export const maxIssues = 25;

/** The id or the key of an issue. A control character in it would reach the tracker's URL or query. */
export const issueId = {
	type: "string",
	min: 1,
	max: 255,
	pattern: "^[^\\u0000-\\u001f\\u007f]+$",
	words: "have no control characters",
} as const;
export const searchText = { type: "string", min: 1, max: 500 } as const;
export const projectId = { ...issueId, description: "Project of the tracker, in its own form" } as const;
export const stateName = {
	type: "string",
	trim: true,
	min: 1,
	max: 255,
	description: "Name of the state, in either case",
} as const;
export const issueList = { type: "array", items: { type: "object", props: trackerIssue } } as const;

/**
 * The time of an action that asks a tracker, in milliseconds. The tracker has 15 s; asking for the caller's connections
 * takes the rest.
 */
export const trackerMs = 20_000;
