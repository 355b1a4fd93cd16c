/** Offers admissions on the bus, to the platform alone. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { admissions } from "#shared/contracts/identity/admissions.ts";
import type { Admission } from "./admissions/admission.ts";
import type { Departures } from "./admissions/departures.ts";

export function admissionsService(admission: Admission, departures: Departures): ServiceSchema {
	return serviceOf(admissions, {
		admit: ({ wanted, ...person }) => admission.admit(person, wanted),

		async standing({ user_id, tenant }) {
			const found = await admission.standing(user_id, tenant);
			return found ? { ...found, roles: [...found.roles] } : { roles: null };
		},

		departed: ({ people }) => departures.among(people),
	});
}
