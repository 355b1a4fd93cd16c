/** Offers tenants and their members on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import type { Principal } from "#shared/base/principal.ts";
import { type RequestContext, serviceOf } from "#shared/bus/service.ts";
import { tenants } from "#shared/contracts/identity/tenants.ts";
import type { Admission } from "./admissions/admission.ts";
import type { MemberDirectory } from "./directory/member-directory.ts";
import { givenRole } from "./directory/role-names.ts";
import type { TenantDirectory } from "./directory/tenant-directory.ts";

interface TenantDependencies {
	readonly admission: Admission;
	readonly directory: TenantDirectory;
	readonly members: MemberDirectory;
}

export function tenantsService({ admission, directory, members }: TenantDependencies): ServiceSchema {
	/** Makes the caller a user before each request. */
	const provisioned =
		<P, R>(handle: (params: P, principal: Principal, ctx: RequestContext) => Promise<R>) =>
		async (params: P, principal: Principal, ctx: RequestContext): Promise<R> => {
			await admission.provision(principal);
			return handle(params, principal, ctx);
		};

	return serviceOf(tenants, {
		list: provisioned(({ parent_id, ...page }, principal, { meta }) =>
			directory.list(principal, parent_id, { ...page, known: meta.if_none_match }),
		),
		create: provisioned(async (given, principal) => jsonText(await directory.create(principal, given))),
		get: provisioned(async ({ tenant_id }, principal) => jsonText(await directory.get(principal, tenant_id))),
		update: provisioned(async ({ tenant_id, ...update }, principal) =>
			jsonText(await directory.change(principal, tenant_id, update)),
		),
		delete: provisioned(({ tenant_id }, principal) => directory.delete(principal, tenant_id)),

		list_members: provisioned(({ tenant_id, ...page }, principal, { meta }) =>
			members.members(principal, tenant_id, { ...page, known: meta.if_none_match }),
		),
		add_member: provisioned(async ({ tenant_id, user_id, role }, principal) =>
			jsonText(await members.add(principal, tenant_id, user_id, givenRole(role))),
		),
		remove_member: provisioned(({ tenant_id, user_id }, principal) => members.remove(principal, tenant_id, user_id)),
		reprovision: provisioned(({ tenant_id }, principal) => members.reprovisionTenant(principal, tenant_id)),
	});
}
