/** The configuration of what one caller, one person and one tenant may use at a time. */
import { bound } from "#shared/base/bounds.ts";
import { schema } from "#shared/base/schema/schema.ts";

const count = { type: "number", integer: true, min: 0, max: 1_000_000, optional: true } as const;
const off = "0: no limit; empty: no limit with an identity that trusts its callers, otherwise";

export const limitFields = schema({
	requests_per_second: {
		...count,
		description: `Requests of one person, or of one pod, in a second, on average; further ones get 429; ${off} ${bound.requestsPerSecond}`,
	},
	burst: {
		...count,
		min: 1,
		description: `Requests that a person may send at once after a pause; empty: ${bound.burst}`,
	},
	in_flight_per_user: {
		...count,
		description: `Requests of one person, or of one pod, that a gateway works on at a time; further ones get 429; ${off} ${bound.requestsOfOne}`,
	},
	in_flight_per_tenant: {
		...count,
		description: `Requests of all people of a tenant that a gateway works on at a time; further ones get 429; ${off} ${bound.requestsOfTenant}`,
	},
	running_per_user: {
		...count,
		description: `Sessions of one person that run at a time; the creation and the start of another one get 409; ${off} ${bound.runningOfOne}`,
	},
	running_per_tenant: {
		...count,
		description: `Sessions of a tenant that run at a time; the creation and the start of another one get 409; ${off} ${bound.runningOfTenant}`,
	},
});
