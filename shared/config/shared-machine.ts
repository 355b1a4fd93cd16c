/** Says what an operator accepts who lets several people's sessions run as processes of one user (`pods.people_share_a_machine`). */
import type { Config } from "./config.ts";
import { acceptance } from "./fields/pod-fields.ts";

/** Whether the operator accepts that sessions of different people are not kept apart. */
export function peopleShareAMachine({ pods }: Pick<Config, "pods">): boolean {
	return pods.people_share_a_machine === acceptance;
}

/** Returns the warning for every start, `/health`, `npm run config` and the doctor; undefined when nothing was accepted. */
export function sharedMachineWarning(config: Pick<Config, "pods">): string | undefined {
	if (!peopleShareAMachine(config)) return undefined;
	return (
		`Sessions of different people are not kept apart (pods.people_share_a_machine is "${acceptance}"): what one person's session runs can read ` +
		"and change the files, keys and sessions of everybody else, of other tenants and of the platform itself (docs/identity.md)"
	);
}
