/** Finds values of `workload_config` that no session could be started with, or that would do nothing. Pure. */
import { InvalidParametersError } from "#shared/base/errors.ts";
import { permissionModes } from "#shared/contracts/sessions/session-resource.ts";

interface WorkloadFault {
	readonly member: string;
	readonly message: string;
}

type Rule = readonly [isRight: (value: unknown) => boolean, words: string];

const text: Rule = [(value) => typeof value === "string", "has to be a text"];
const rules: Readonly<Record<string, Rule>> = {
	permission_mode: [
		(value) => permissionModes.some((mode) => mode === value),
		`does not exist; allowed: ${permissionModes.join(", ")}`,
	],
	terminal_restricted: [(value) => typeof value === "boolean", "has to be true or false"],
	agent: text,
	initial_prompt: text,
};

/** Returns the faults; null and an empty text count as absent, as they do in a session. */
export function workloadFaults(config: Readonly<Record<string, unknown>>): WorkloadFault[] {
	return Object.entries(rules).flatMap(([member, [isRight, words]]) => {
		const value = config[member];
		const isAbsent = value === undefined || value === null || value === "";
		return isAbsent || isRight(value) ? [] : [{ member, message: `The ${member} of workload_config ${words}` }];
	});
}

/** @throws {InvalidParametersError} naming all faults of a `workload_config`. */
export function refuseWorkload(config: Readonly<Record<string, unknown>>): void {
	const faults = workloadFaults(config);
	if (faults.length === 0) return;
	throw new InvalidParametersError(
		faults.map(({ member, message }) => ({ type: "value", path: ["workload_config", member], message })),
	);
}
