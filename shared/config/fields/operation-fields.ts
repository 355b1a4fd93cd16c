/** The configuration of what operators look at: the ops listener, logs and traces. */
import { schema } from "../../bus/schema.ts";

export const opsFields = schema({
	host: {
		type: "string",
		min: 1,
		default: "127.0.0.1",
		description:
			"Address on which every process answers `/health`, `/ready` and `/metrics` (docs/observability.md); beyond loopback anybody who reaches it reads them",
	},
	port: {
		type: "number",
		integer: true,
		min: 0,
		max: 65_535,
		optional: true,
		description:
			"Port for these; each process of a machine needs its own; 0 takes a free one; empty: they are not served",
	},
});
