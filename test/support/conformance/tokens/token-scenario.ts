/** One pass over personal access tokens. */
import { expect } from "chai";
import { walkPages } from "../settings-scenario.ts";
import type { Walker } from "../walker.ts";

interface TokenView {
	id: string;
	name: string;
	token: string;
}

/** A person's walk: tokens are made, listed and revoked. */
export async function walkTokens(walker: Walker): Promise<void> {
	expect(await walker.call("listTokens", 200)).to.deep.equal([]);
	const made: TokenView[] = [];
	for (const [index, scope] of ["read", "write", "admin"].entries())
		made.push(
			await walker.call<TokenView>("createToken", 201, {
				body: { name: `of ${scope}`, scope, expires_in_days: index + 1 },
			}),
		);
	expect(new Set(made.map(({ token }) => token)).size).to.equal(3);
	await walker.call("createToken", 409, { body: { name: "of read" } });
	const listed = await walker.call<TokenView[]>("listTokens", 200);
	expect(listed.map(({ id }) => id)).to.deep.equal(made.map(({ id }) => id).toReversed());
	expect(JSON.stringify(listed)).to.not.include(made[0]?.token);
	await walkPages(walker, "listTokens", 3);
	for (const { id } of made) await walker.call("revokeToken", 204, { path: { pat_id: id } });
	await walker.call("revokeToken", 404, { path: { pat_id: made[0]?.id ?? "" } });
	expect(await walker.call("listTokens", 200)).to.deep.equal([]);
}
