/** The parts of the identity service in one process, over a store of a test. */
import { Admission } from "#services/identity/admissions/admission.ts";
import { Departures } from "#services/identity/admissions/departures.ts";
import { TenantChoice } from "#services/identity/admissions/tenant-choice.ts";
import { MemberDirectory } from "#services/identity/directory/member-directory.ts";
import { Reach } from "#services/identity/directory/reach.ts";
import { RoleNames } from "#services/identity/directory/role-names.ts";
import { TenantDirectory } from "#services/identity/directory/tenant-directory.ts";
import { MemberRecords } from "#services/identity/record/member-records.ts";
import { TenantRecords } from "#services/identity/record/tenant-records.ts";
import { UserRecords } from "#services/identity/record/user-records.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

/** The administrator of the installation. */
export const operator: Principal = { kind: "user", id: "root", tenant: "default", roles: ["admin"] };

/** Returns the administrator of a tenant. */
export function administratorOf(tenant: string): Principal {
	return { kind: "user", id: `boss-of-${tenant}`, tenant, roles: ["admin"] };
}

/** The rules of the configuration. */
interface Opened {
	readonly prefix: string;
	readonly home: string | undefined;
	readonly namesOperators: boolean;
}

/** The parts of one process. */
export function openPeople(store: DocumentStore, { prefix = "", home, namesOperators = false }: Partial<Opened> = {}) {
	const tenants = new TenantRecords(store);
	const records = { users: new UserRecords(store), tenants, members: new MemberRecords(store) };
	const reach = new Reach(tenants, "default");
	const choice = new TenantChoice(tenants, { operators: "default", namesOperators, home });
	const roleNames = new RoleNames(prefix);
	return {
		...records,
		admission: new Admission(records, "default", choice),
		departures: new Departures({ ...records, areConfigured: false }),
		directory: new TenantDirectory(tenants, reach),
		people: new MemberDirectory({ records, reach, roleNames, choice }),
	};
}

/** The parts of one process of a test. */
export type OpenedPeople = ReturnType<typeof openPeople>;

/** Makes a tenant as the operator does. */
export async function makeTenant({ directory }: OpenedPeople, id: string, parent_id?: string): Promise<void> {
	const given = { name: id, tenant_id: id, tier: "team", max_sessions: 1, max_storage_gb: 1 } as const;
	await directory.create(operator, { ...given, ...(parent_id !== undefined && { parent_id }) });
}
