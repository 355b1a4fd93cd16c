/** One pass over a login at a real provider: begun, ended, undone. */
import { expect } from "chai";
import { forge, type OAuthForge, withoutClient } from "../../integrations/oauth-forge.ts";
import type { Walker } from "../walker.ts";

interface ConnectionView {
	slug: string;
	credential_name: string;
	enabled: boolean;
}

/** The entries of the catalogue that this walk needs; the walk over the catalogue expects them after the built-in ones. */
export const loginEntries = [
	[forge, "code_forge"],
	[withoutClient, "code_forge"],
] as const;

export async function walkLogin(walker: Walker, { server }: OAuthForge): Promise<void> {
	await walker.call("oauthAuthorize", 400, { path: { slug: withoutClient } });
	const path = { slug: forge };
	const { url } = await walker.call<{ url: string }>("oauthAuthorize", 200, { path });
	const query = Object.fromEntries((await server.approve(url, "ada")).searchParams);
	const { text } = await walker.answer("oauthCallback", 200, { query });
	expect(text).to.contain("is connected");
	await walker.call("oauthCallback", 400, { query });
	const [connection] = await walker.call<ConnectionView[]>("listIntegrations", 200);
	expect(connection).to.include({ slug: forge, credential_name: `${forge}-oauth-token`, enabled: true });
	await walker.call("getCredential", 200, { path: { name: `${forge}-oauth-token` } });
	await walker.call("oauthDisconnect", 204, { path });
	await walker.call("oauthDisconnect", 404, { path });
	expect(await walker.call("listIntegrations", 200)).to.deep.equal([]);
}
