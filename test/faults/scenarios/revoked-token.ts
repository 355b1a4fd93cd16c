/** A personal access token is revoked, and its holder tries other spellings of it. */
import { ApiClient } from "../../support/clients/api-client.ts";
import { tokenSpellings } from "../../support/hostile/token-spellings.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import type { Verdict } from "../testbed.ts";

const users = [{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] }];

export async function revokedToken(root?: string): Promise<Verdict> {
	await using platform = await startPlatform({
		config: { identity: { kwargs: { users } } },
		...(root !== undefined && { root }),
	});
	const desk = new ApiClient(`${platform.url}/api/v1/users`, { authorization: "Bearer token-of-alice" });
	const { body } = await desk.post<{ id: string; token: string }>("/tokens", { name: "to revoke" });
	const isAccepted = async (text: string) =>
		(await platform.client({ authorization: `Bearer ${text}` }).get("/prompts")).status === 200;
	if (!(await isAccepted(body.token))) throw new Error("The new token is not accepted");
	const { status } = await desk.delete(`/tokens/${body.id}`);
	if (status !== 204) throw new Error(`The token was not revoked: ${status}`);
	const accepted: string[] = [];
	for (const text of [body.token, ...tokenSpellings(body.token)]) if (await isAccepted(text)) accepted.push(text);
	const wrong = accepted.map(
		(text) => `the revocation does not hold for the spelling that ends with "${text.slice(-4)}"`,
	);
	return { "I3 nothing acknowledged is lost": wrong };
}
