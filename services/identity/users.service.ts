/** Offers users on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { users } from "#shared/contracts/identity/users.ts";
import type { Admission } from "./admissions/admission.ts";
import type { MemberDirectory } from "./directory/member-directory.ts";
import type { RoleNames } from "./directory/role-names.ts";

interface UserDependencies {
	readonly admission: Admission;
	readonly directory: MemberDirectory;
	readonly roleNames: RoleNames;
}

export function usersService({ admission, directory, roleNames }: UserDependencies): ServiceSchema {
	return serviceOf(users, {
		async me(_params, principal) {
			const { id, email, display_name, status } = await admission.provision(principal);
			const { tenant, roles } = principal;
			return { user_id: id, email, tenant_id: tenant, roles: roleNames.shown(roles), display_name, status };
		},

		async list(page, principal, { meta }) {
			await admission.provision(principal);
			return directory.users(principal, { ...page, known: meta.if_none_match });
		},

		async reprovision({ user_id }, principal) {
			await admission.provision(principal);
			return directory.reprovision(principal, user_id);
		},
	});
}
