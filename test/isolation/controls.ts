/**
 * Protections of one user from another, each with the attack that must have an effect when the protection is
 * removed.
 */
import type { Patch } from "../faults/patched-tree.ts";

export interface IsolationControl {
	readonly name: string;
	/** The name of the attack. */
	readonly attack: string;
	readonly patches: readonly Patch[];
}

export const controls: readonly IsolationControl[] = [
	{
		name: "files of pods opened like any other",
		attack: "fifos",
		patches: [
			{
				file: "shared/base/files/untrusted-file.ts",
				from: "const wary = O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;",
				to: "const wary = 0;",
			},
		],
	},
	{
		name: "an expression that goes back and forth",
		attack: "content-type",
		patches: [
			{
				file: "services/gateway/http/json-body.ts",
				from: '(?: *; *charset="?utf-8"?)?$/i;',
				to: ' *(; *charset="?utf-8"?)? *$/i;',
			},
			{
				file: "services/gateway/http/json-body.ts",
				from: "const maxTypeLength = 100;",
				to: "const maxTypeLength = 100_000;",
			},
		],
	},
	{
		name: "all requests of one person at once",
		attack: "lists",
		patches: [
			{
				file: "services/gateway/callers/request-pace.ts",
				from: "const presentMs = 1_000;",
				to: "const presentMs = 0;",
			},
		],
	},
];

/** @throws {RangeError} when no control has that name. */
export function controlNamed(name: string): IsolationControl {
	const control = controls.find((one) => one.name === name);
	if (!control)
		throw new RangeError(`There is no control "${name}"; there are ${controls.map((one) => one.name).join(", ")}`);
	return control;
}
