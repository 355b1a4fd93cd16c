/** The helpers of a platform: short containers that are root over one folder, each with a command that does one thing. */
import { only, type Rule } from "./json-rules.ts";
import { anyAgentFolder, mountRule, readingFolder, sessionFolder } from "./mount-rules.ts";

/** A kind of helpers. */
export interface HelperKind {
	/** The value of its label. */
	readonly kind: string;
	readonly command: string[];
	readonly capabilities: string[];
	/** The rules of its mounts, all of which it has. */
	readonly mounts: readonly Rule[];
}

/** The removal of all that is beside the records of a session and its workspace. */
const others = ["state", "agent.log", "workspace", "workspace.partial"].flatMap((name) => ["!", "-name", name]);
const first = ["-mindepth", "1", "-maxdepth", "1"];
const removeOthers = ["find", "/folder", ...first, ...others, "-exec", "rm", "-rf", "--", "{}", "+"];

/** @param owner The user of sessions. @param dataDir The platform's data folder; absolute, without links. */
export function helperKinds({ owner, dataDir }: { readonly owner: number; readonly dataDir: string }): HelperKind[] {
	const inFolder = (writable: readonly RegExp[], readable: readonly RegExp[]) =>
		mountRule(dataDir, { writable, readable }, only("/folder"));
	const capabilities = ["CHOWN", "DAC_OVERRIDE", "FOWNER"];
	const ofSession = { capabilities, mounts: [inFolder([sessionFolder], [])] };
	return [
		{ kind: "give", command: ["chown", "-hR", `${owner}:${owner}`, "/folder"], ...ofSession },
		{
			kind: "clear",
			command: ["find", "/folder", "-mindepth", "1", "-delete"],
			capabilities,
			mounts: [inFolder([anyAgentFolder], [])],
		},
		{ kind: "removeOthers", command: removeOthers, ...ofSession },
		{
			kind: "removeWorkspace",
			command: ["rm", "-rf", "--", "/folder/workspace", "/folder/workspace.partial"],
			...ofSession,
		},
		{ kind: "removeRecords", command: ["rm", "-rf", "--", "/folder/state", "/folder/agent.log"], ...ofSession },
		{
			kind: "measure",
			command: ["du", "-s", "-B1", "/folder"],
			capabilities,
			mounts: [inFolder([], [sessionFolder, anyAgentFolder])],
		},
		{
			kind: "read",
			command: ["node", "agent/read-folder.ts"],
			capabilities: ["DAC_OVERRIDE"],
			mounts: [
				inFolder([], [sessionFolder]),
				mountRule(dataDir, { writable: [], readable: [readingFolder] }, only("/platform")),
			],
		},
	];
}
