/** Personal access tokens as callers of the proof of access: of each scope, and a revoked one in several spellings. */
import { randomBytes } from "node:crypto";
import { roleOf } from "#shared/contracts/access/admission.ts";
import type { Caller } from "./caller.ts";
import { bearer } from "./live-callers.ts";
import type { Prober } from "./prober.ts";
import { PlatformError } from "../platform-client.ts";
import type { World } from "./world.ts";

const tokenPath = "/api/v1/users/tokens";

interface MadeToken {
	readonly id: string;
	readonly token: string;
}

/** The roles that a token of a scope has to have, whatever its person may. */
const rolesByScope = { read: ["viewer"], write: [], admin: ["admin"] } as const;
type Scope = keyof typeof rolesByScope;

/** Makes tokens of a person and returns the programs that use them; the world removes them. @throws {PlatformError} */
export async function tokenCallers(prober: Prober, world: World, person: Caller): Promise<Caller[]> {
	const { principal, name } = person;
	if (!principal) return [];
	const role = roleOf(principal);
	const scopes: readonly Scope[] = role === "admin" ? ["read", "write", "admin"] : ["read", "write"];
	const callers: Caller[] = [];
	for (const scope of scopes) {
		const { id, token } = await make(prober, person, scope);
		world.remember("token", id, person);
		const roles = role === "viewer" ? ["viewer"] : rolesByScope[scope];
		callers.push({
			name: `a token to ${scope} of ${name}`,
			headers: bearer(token),
			principal: { ...principal, kind: "pat", roles },
			// A token may do what its person may, within its scope.
			...(person.isOperator && scope === "admin" && { isOperator: true }),
		});
	}
	return callers;
}

/**
 * Makes a token, revokes it, and returns programs that still use it. @param spell Returns other spellings of a token, by
 * name. @throws {PlatformError}
 */
export async function revokedCallers(
	prober: Prober,
	person: Caller,
	spell: (token: string) => readonly (readonly [string, string])[],
): Promise<Caller[]> {
	const { id, token } = await make(prober, person, "write");
	const { status, text } = await prober.send(person, {
		method: "DELETE",
		path: `${tokenPath}/${encodeURIComponent(id)}`,
	});
	if (status !== 204) throw new PlatformError(`A token cannot be revoked: ${status} ${text}`);
	const written = [["itself", token] as const, ...spell(token)];
	return written.map(([spelling, one]) => ({ name: `a revoked token (${spelling})`, headers: bearer(one) }));
}

async function make(prober: Prober, person: Caller, scope: Scope): Promise<MadeToken> {
	const body = { name: `doctor ${scope} ${randomBytes(8).toString("hex")}`, scope };
	const { status, text } = await prober.send(person, { method: "POST", path: tokenPath, body });
	if (status !== 201) throw new PlatformError(`A personal access token cannot be made: ${status} ${text}`);
	return JSON.parse(text) as MadeToken;
}
