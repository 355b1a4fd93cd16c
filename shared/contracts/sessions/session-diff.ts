/** The fields of changes in a session's workspace: one file, the list of files, or a patch of everything. */
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { count, text } from "../field-rules.ts";

export const diffBase = {
	type: "string",
	max: 40,
	default: "last-commit",
	description:
		"`last-commit`: what is not committed yet, without the commits of the session. `default-branch`: everything that differs from the default branch of the remote, commits included",
} as const;

const diffLine = {
	type: { type: "enum", values: ["add", "remove", "context"] },
	content: text,
	oldLine: { type: "number", integer: true, optional: true },
	newLine: { type: "number", integer: true, optional: true },
} as const;

const diffHunk = {
	oldStart: { type: "number", integer: true },
	oldCount: { type: "number", integer: true },
	newStart: { type: "number", integer: true },
	newCount: { type: "number", integer: true },
	lines: { type: "array", items: { type: "object", props: diffLine } },
} as const;

export const changedFile = {
	path: text,
	status: { type: "enum", values: ["new", "mod", "del"] },
	ins: count,
	del: count,
} as const;

export const fileDiff = schema({
	filePath: text,
	hunks: { type: "array", items: { type: "object", props: diffHunk } },
	truncated: {
		type: "boolean",
		optional: true,
		description:
			"Whether lines were omitted to fit 900 KB, or all of them because changed files have more than 1 GiB together",
	},
});
export type FileDiff = Output<typeof fileDiff>;

export const diffFileList = schema({
	files: { type: "array", items: { type: "object", props: changedFile } },
	truncated: { type: "boolean", optional: true, description: "Whether files were omitted to fit 900 KB" },
});
export type DiffFileList = Output<typeof diffFileList>;

export const diffPatch = schema({
	patch: { type: "string", description: "Unified diff of all changed files, including new and binary ones" },
	truncated: {
		type: "boolean",
		description:
			"Whether files are missing: the patch was cut at the end of a file to fit 900 KB, a binary file is larger than 1 MB, git cannot add a path, or all changed files together have more than 1 GiB",
	},
	omitted: {
		type: "array",
		optional: true,
		max: 100,
		items: text,
		description: "Changed files that are not in the patch, as far as they are known; at most 100",
	},
});
export type DiffPatch = Output<typeof diffPatch>;
