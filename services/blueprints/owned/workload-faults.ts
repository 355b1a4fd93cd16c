/** Finds values of `workload_config` that no session could be started with, or that would do nothing. Pure. */
import { InvalidParametersError } from "#shared/base/errors.ts";
import { egressHostForm, egressProfiles, maxEgressHosts } from "#shared/base/hosts/egress-profiles.ts";
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
	egress: [
		(value) => egressProfiles.some((profile) => profile === value),
		`does not exist; allowed: ${egressProfiles.join(", ")}`,
	],
	egress_hosts: [
		(value) => Array.isArray(value) && value.length <= maxEgressHosts && value.every(isHost),
		`has to be a list of at most ${maxEgressHosts} hosts, such as registry.example.org or .example.org for all names below it`,
	],
	image: [(value) => typeof value === "string" && imageForm.test(value), "has to be the name of an image"],
	placement: [
		(value) => typeof value === "string" && placementForm.test(value),
		"has to be a name of lower-case letters, digits and hyphens",
	],
	agent: text,
	initial_prompt: text,
};

function isHost(value: unknown): boolean {
	return typeof value === "string" && value.length <= 253 && egressHostForm.test(value);
}

/** The name of an image with its registry, tag and digest. */
const imageForm = /^\w[\w.:@/-]{0,254}$/;

/** The names of placements are those of labels (docs/kubernetes.md). */
const placementForm = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

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
