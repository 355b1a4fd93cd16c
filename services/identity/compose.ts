/** The identity part: users, tenants and memberships, and what clients have to know to log in. */
import { loadAdapterClass } from "#shared/config/adapter.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import { Admission } from "./admissions/admission.ts";
import { Departures } from "./admissions/departures.ts";
import { TenantChoice } from "./admissions/tenant-choice.ts";
import { admissionsService } from "./admissions.service.ts";
import { MemberDirectory } from "./directory/member-directory.ts";
import { Reach } from "./directory/reach.ts";
import { RoleNames } from "./directory/role-names.ts";
import { TenantDirectory } from "./directory/tenant-directory.ts";
import { identityService } from "./identity.service.ts";
import { memberCollection } from "./record/member-collection.ts";
import { MemberRecords } from "./record/member-records.ts";
import { tenantCollection } from "./record/tenant-collection.ts";
import { TenantRecords } from "./record/tenant-records.ts";
import { userCollection } from "./record/user-collection.ts";
import { UserRecords } from "./record/user-records.ts";
import { tenantsService } from "./tenants.service.ts";
import { usersService } from "./users.service.ts";

export const collections = [userCollection, tenantCollection, memberCollection] as const;

export async function compose({ config, store }: StoringPlatform): Promise<Part> {
	const { default: defaultTenant, default_by_claim: namesOperators, home: named, role_prefix } = config.tenants;
	const tenants = new TenantRecords(store);
	const records = { users: new UserRecords(store), tenants, members: new MemberRecords(store) };
	const { sharesOneTenant, configuresPeople } = await loadAdapterClass(config.identity);
	// An identity with one tenant for all is a decision that this tenant is the operators' one.
	const sharesTenant = sharesOneTenant === true;
	const home = named || (sharesTenant ? defaultTenant : undefined);
	const rules = { operators: defaultTenant, namesOperators: namesOperators || sharesTenant, home };
	const choice = new TenantChoice(tenants, rules);
	const admission = new Admission(records, defaultTenant, choice);
	const departures = new Departures({ ...records, areConfigured: configuresPeople === true });
	const reach = new Reach(tenants, defaultTenant);
	const roleNames = new RoleNames(role_prefix);
	const members = new MemberDirectory({ records, reach, roleNames, choice, isCopy: configuresPeople === true });
	return {
		services: [
			identityService(config),
			admissionsService(admission, departures),
			usersService({ admission, directory: members, roleNames }),
			tenantsService({ admission, directory: new TenantDirectory(tenants, reach), members }),
		],
	};
}
