/** Offers profiles on the bus. */
import type { ServiceSchema } from "moleculer";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { serviceOf } from "#shared/bus/service.ts";
import { type Profile, profiles } from "#shared/contracts/blueprints/profiles.ts";
import type { OwnedRecords } from "./owned/owned-records.ts";
import { changedProfile, newProfile } from "./profiles/profile-rules.ts";

export function profilesService(records: OwnedRecords<Profile>): ServiceSchema {
	return serviceOf(profiles, {
		list: ({ workload_type: group, ...page }, principal, { meta }) =>
			records.list(principal, { ...page, group, known: meta.if_none_match }),

		create: async (request, principal, { meta: { idempotency_key: key } }) =>
			jsonText(await records.create(principal, { request, make: () => newProfile(request), key })),

		get: async ({ profile_name }, principal) => jsonText(await records.text(principal, profile_name)),

		update: async ({ profile_name, ...update }, principal) =>
			jsonText(await records.change(principal, profile_name, (profile) => changedProfile(profile, update))),

		delete: ({ profile_name }, principal) => records.delete(principal, profile_name),

		async of_launch({ tenant, owner, name, workload_type }) {
			const profile = await records.launched({ tenant, id: owner }, name, workload_type);
			if (profile || name === undefined) return profile ? { profile } : {};
			return { names: await records.names({ tenant, id: owner }) };
		},
	});
}
