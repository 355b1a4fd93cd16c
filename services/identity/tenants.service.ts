/** Offers tenants and their members on the bus. */
import type { ServiceSchema } from "moleculer";
import { type JsonText, jsonText } from "#shared/base/schema/json-text.ts";
import { implement } from "#shared/bus/service.ts";
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
	return {
		name: tenants.name,
		actions: implement(tenants, {
			async list({ parent_id, ...page }, principal, { meta }) {
				await admission.provision(principal);
				return directory.list(principal, parent_id, { ...page, known: meta.if_none_match });
			},

			async create(given, principal): Promise<JsonText> {
				await admission.provision(principal);
				return jsonText(await directory.create(principal, given));
			},

			async get({ tenant_id }, principal): Promise<JsonText> {
				await admission.provision(principal);
				return jsonText(await directory.get(principal, tenant_id));
			},

			async update({ tenant_id, ...update }, principal): Promise<JsonText> {
				await admission.provision(principal);
				return jsonText(await directory.change(principal, tenant_id, update));
			},

			async delete({ tenant_id }, principal) {
				await admission.provision(principal);
				await directory.delete(principal, tenant_id);
			},

			async list_members({ tenant_id, ...page }, principal, { meta }) {
				await admission.provision(principal);
				return members.members(principal, tenant_id, { ...page, known: meta.if_none_match });
			},

			async add_member({ tenant_id, user_id, role }, principal): Promise<JsonText> {
				await admission.provision(principal);
				return jsonText(await members.add(principal, tenant_id, user_id, givenRole(role)));
			},

			async remove_member({ tenant_id, user_id }, principal) {
				await admission.provision(principal);
				await members.remove(principal, tenant_id, user_id);
			},

			async reprovision({ tenant_id }, principal) {
				await admission.provision(principal);
				return members.reprovisionTenant(principal, tenant_id);
			},
		}),
	};
}
