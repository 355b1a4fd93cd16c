/** Offers admissions on the bus, to the platform alone. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { admissions } from "#shared/contracts/identity/admissions.ts";
import type { Admission } from "./admissions/admission.ts";

export function admissionsService(admission: Admission): ServiceSchema {
	return {
		name: admissions.name,
		actions: implement(admissions, {
			admit: (person) => admission.admit(person),

			async standing({ user_id, tenant }) {
				const roles = await admission.standing(user_id, tenant);
				return { roles: roles && [...roles] };
			},
		}),
	};
}
