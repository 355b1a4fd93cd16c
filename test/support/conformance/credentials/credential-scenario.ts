/** One pass over credentials of a person and of a tenant. */
import { expect } from "chai";
import type { Walker } from "../walker.ts";

interface CredentialView {
	id: string;
	name: string;
	secret_type: string;
	keys: string[];
	created_at: string;
	updated_at: string;
}

interface Listed {
	credentials: CredentialView[];
}

const gitUrl = "https://me:s3cret-token@git.example";

/** The least and the largest usual credential of each type. */
const wholes: readonly (readonly [type: string, data: Record<string, string>])[] = [
	["api_key", { api_key: "s3cret" }],
	["oauth_token", { access_token: "s3cret", refresh_token: "s3cret too" }],
	["git_credential", { url: gitUrl }],
	["ssh_key", { private_key: "-----BEGIN KEY-----\ns3cret\n-----END KEY-----", public_key: "ssh-ed25519 AAAA" }],
	["tls_cert", { certificate: "c", private_key: "k" }],
	["generic", { one: "1", two: "2" }],
];

/** Credentials that lack what their type needs. */
const halves: readonly (readonly [type: string, data: Record<string, string>])[] = [
	["api_key", {}],
	["api_key", { api_key: "" }],
	["generic", {}],
	["oauth_token", { refresh_token: "x" }],
	["git_credential", {}],
	["git_credential", { url: "git.example" }],
	["git_credential", { url: "https://git.example" }],
	["git_credential", { url: "https://me@git.example" }],
	["ssh_key", { public_key: "x" }],
	["tls_cert", { certificate: "x" }],
	["tls_cert", { private_key: "x" }],
	["generic", { "a b": "x" }],
];

/** An administrator's walk. */
export async function walkCredentials(walker: Walker): Promise<void> {
	const types = await walker.call<{ type: string; default_mount_type: string }[]>("listCredentialTypes", 200);
	expect(types.map(({ type }) => type).toSorted()).to.deep.equal(wholes.map(([type]) => type).toSorted());
	await walker.call("listCredentialTypes", 400, { query: { cursor: "not-ours" } });
	await walkOwner(walker, { list: "listCredentials", create: "createCredential", remove: "deleteCredential" });
	await walkOwner(walker, {
		list: "listTenantCredentials",
		create: "createTenantCredential",
		remove: "deleteTenantCredential",
	});
}

interface Operations {
	readonly list: string;
	readonly create: string;
	readonly remove: string;
}

async function walkOwner(walker: Walker, { list, create, remove }: Operations): Promise<void> {
	const listed = async (query: Record<string, string> = {}): Promise<string[]> =>
		(await walker.call<Listed>(list, 200, { query })).credentials.map(({ name }) => name);
	expect(await listed()).to.deep.equal([]);
	for (const [secret_type, data] of wholes.toReversed()) {
		const body = { name: `my-${secret_type}`, secret_type, data, metadata: { for: "walker" } };
		const made = await walker.call<CredentialView>(create, 201, { body });
		expect(made)
			.to.include({ name: body.name, secret_type })
			.and.to.deep.include({ keys: Object.keys(data) });
		expect(JSON.stringify(made)).not.to.contain("s3cret");
		const again = await walker.call<CredentialView>(create, 201, { body: { ...body, metadata: null } });
		expect(again).to.include({ id: made.id, created_at: made.created_at }).and.to.deep.include({ metadata: {} });
	}
	for (const [secret_type, data] of halves) {
		const { detail } = await walker.call<{ detail: { errors: string[] } }>(create, 422, {
			body: { name: "half", secret_type, data },
		});
		expect(detail.errors, JSON.stringify([secret_type, data])).to.have.length.above(0);
	}
	await walker.call(create, 400, { body: { name: "x", secret_type: "no-such-type", data: { a: "x" } } });
	expect(await listed()).to.deep.equal(wholes.map(([type]) => `my-${type}`).toSorted());
	expect(await listed({ secret_type: "ssh_key" })).to.deep.equal(["my-ssh_key"]);
	await walkListPages(walker, list);
	if (list === "listCredentials") {
		const found = await walker.call<CredentialView>("getCredential", 200, { path: { name: "my-generic" } });
		expect(found.keys).to.deep.equal(["one", "two"]);
	}
	for (const [type] of wholes) await walker.call(remove, 204, { path: { name: `my-${type}` } });
	await walker.call(remove, 404, { path: { name: "my-generic" } });
	expect(await listed()).to.deep.equal([]);
}

async function walkListPages(walker: Walker, list: string): Promise<void> {
	const { headers } = await walker.answer(list, 200, { query: { limit: "4" } });
	const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
	const cursor = new URL(next ?? "no Link header", "http://localhost").searchParams.get("cursor") ?? "";
	const { credentials } = await walker.call<Listed>(list, 200, { query: { limit: "4", cursor } });
	expect(credentials).to.have.length(2);
	expect(headers.get("etag")).to.match(/^W\/"/);
	await walker.call(list, 400, { query: { cursor: "not-ours" } });
}
