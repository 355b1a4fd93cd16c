/** The list of all attacks. */
import type { Attack } from "./attack.ts";
import { commandAttacks } from "./attacks/commands.ts";
import { connectionAttacks } from "./attacks/connections.ts";
import { requestAttacks } from "./attacks/requests.ts";
import { sessionAttacks } from "./attacks/sessions.ts";

export const attacks: readonly Attack[] = [
	...requestAttacks,
	...sessionAttacks,
	...commandAttacks,
	...connectionAttacks,
];

/** @throws {RangeError} when no attack has that name. */
export function attackNamed(name: string): Attack {
	const attack = attacks.find((one) => one.name === name);
	if (!attack)
		throw new RangeError(`There is no attack "${name}"; there are ${attacks.map((one) => one.name).join(", ")}`);
	return attack;
}
