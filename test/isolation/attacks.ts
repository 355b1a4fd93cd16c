/** The list of all attacks. */
import type { Attack } from "./attack.ts";
import { commandAttacks } from "./attacks/commands.ts";
import { connectionAttacks } from "./attacks/connections.ts";
import { hogAttacks } from "./attacks/hogs.ts";
import { requestAttacks } from "./attacks/requests.ts";
import { sessionAttacks } from "./attacks/sessions.ts";

export const attacks: readonly Attack[] = [
	...requestAttacks,
	...sessionAttacks,
	...commandAttacks,
	...connectionAttacks,
];

/** The attacks on sessions in containers. */
export const containedAttacks: readonly Attack[] = [...hogAttacks, ...commandAttacks];

/** @throws {RangeError} when no attack has that name. */
export function attackNamed(name: string): Attack {
	const all = [...attacks, ...hogAttacks];
	const attack = all.find((one) => one.name === name);
	if (!attack) throw new RangeError(`There is no attack "${name}"; there are ${all.map((one) => one.name).join(", ")}`);
	return attack;
}
