/** One pass over users, tenants and members, as an administrator of the default tenant. */
import { expect } from "chai";
import { walkPages } from "../settings-scenario.ts";
import type { Walker } from "../walker.ts";

interface TenantView {
	id: string;
	path: string;
	parent_id: string | null;
	tier: string;
	max_sessions: number;
}

export async function walkIdentity(walker: Walker): Promise<void> {
	const me = await walker.call<{ user_id: string }>("getMe", 200);
	expect(me).to.deep.include({ user_id: "dev-user", tenant_id: "default", roles: ["admin", "developer"] });
	expect(me).to.include({ display_name: "dev-user", status: "active" });
	const users = await walker.call<{ id: string }[]>("listUsers", 200);
	expect(users.map(({ id }) => id)).to.deep.equal(["dev-user"]);
	await walkPages(walker, "listUsers", 1);
	const again = { success: true, user_id: "dev-user", home_pvc: null, errors: [] };
	expect(await walker.call("reprovisionUser", 202, { path: { user_id: "dev-user" } })).to.deep.equal(again);
	await walkTenants(walker);
	await walkMembers(walker);
	expect(await walker.call("reprovisionTenant", 202, { path: { tenant_id: "default" } })).to.deep.equal([again]);
}

async function walkTenants(walker: Walker): Promise<void> {
	const paths = async (query = {}) =>
		(await walker.call<TenantView[]>("listTenants", 200, { query })).map(({ path }) => path);
	expect(await paths()).to.deep.equal(["default"]);
	const create = (body: object) => walker.call<TenantView>("createTenant", 201, { body });
	const least = await create({ name: "Least" });
	expect(least.id).to.match(/^[0-9a-f]{8}$/);
	expect(least).to.include({ path: least.id, parent_id: null, tier: "developer", max_sessions: 5, max_storage_gb: 50 });
	await create({ name: "Acme", tenant_id: "acme", tier: "enterprise", max_sessions: 20, max_storage_gb: 100 });
	const below = await create({ name: "Europe", tenant_id: "eu", parent_id: "acme" });
	expect(below).to.include({ path: "acme.eu", parent_id: "acme" });
	await walker.call("createTenant", 409, { body: { name: "Again", tenant_id: "acme" } });
	await walker.call("createTenant", 404, { body: { name: "Orphan", parent_id: "no-such-tenant" } });
	expect(await paths({ parent_id: "acme" })).to.deep.equal(["acme.eu"]);
	expect(await paths({ parent_id: "no-such-tenant" })).to.deep.equal([]);
	await walkPages(walker, "listTenants", 4);

	const path = { tenant_id: "acme" };
	const changed = await walker.call("updateTenant", 200, { path, body: { max_sessions: 7, tier: "team" } });
	expect(changed).to.include({ max_sessions: 7, max_storage_gb: 100, tier: "team" });
	const kept = await walker.call("updateTenant", 200, { path, body: { max_sessions: null } });
	expect(kept)
		.to.deep.equal(changed)
		.and.to.deep.equal(await walker.call("getTenant", 200, { path }));
	for (const body of [{ max_sessions: 0 }, { tier: "none" }]) await walker.call("updateTenant", 422, { path, body });
	await walker.call("deleteTenant", 409, { path });
	for (const tenant_id of ["eu", "acme", least.id]) await walker.call("deleteTenant", 204, { path: { tenant_id } });
	await walker.call("getTenant", 404, { path });
	await walker.call("createTenant", 409, { body: { name: "Reborn", tenant_id: "acme" } });
	await walker.call("deleteTenant", 409, { path: { tenant_id: "default" } });
	expect(await paths()).to.deep.equal(["default"]);
}

async function walkMembers(walker: Walker): Promise<void> {
	await walker.call("createTenant", 201, { body: { name: "Team", tenant_id: "team" } });
	const path = { tenant_id: "team" };
	const own = { ...path, user_id: "dev-user" };
	expect(await walker.call("listMembers", 200, { path })).to.deep.equal([]);
	const add = (body: object) => walker.call<{ role: string }>("addMember", 201, { path, body });
	expect((await add({ user_id: "dev-user" })).role).to.equal("developer");
	expect((await add({ user_id: "dev-user", role: "volundr:viewer" })).role).to.equal("viewer");
	await walker.call("addMember", 404, { path, body: { user_id: "nobody" } });
	await walker.call("addMember", 422, { path, body: { user_id: "dev-user", role: "owner" } });
	const members = await walker.call<object[]>("listMembers", 200, { path });
	expect(members).to.have.length(1);
	expect(members[0]).to.include({ user_id: "dev-user", tenant_id: "team", role: "viewer" });
	expect((await add({ user_id: "dev-user", role: "admin" })).role).to.equal("admin");
	await walker.call("removeMember", 409, { path: own });
	await walker.call("addMember", 409, { path, body: { user_id: "dev-user", role: "viewer" } });
	await walker.call("removeMember", 409, { path: { ...own, tenant_id: "default" } });
	await walker.call("deleteTenant", 204, { path });
	await walker.call("listMembers", 404, { path });

	await walker.call("createTenant", 201, { body: { name: "Guests", tenant_id: "guests" } });
	const guests = { tenant_id: "guests" };
	await walker.call("addMember", 201, { path: guests, body: { user_id: "dev-user", role: "viewer" } });
	const guest = { ...guests, user_id: "dev-user" };
	await walker.call("removeMember", 204, { path: guest });
	await walker.call("removeMember", 404, { path: guest });
	await walker.call("deleteTenant", 204, { path: guests });
}
