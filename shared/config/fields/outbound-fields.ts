/** The keys `outbound.*` of the configuration: where requests to URLs of people may go. */
import { schema } from "#shared/base/schema/schema.ts";
import { flag, text } from "./field-rules.ts";

export const outboundFields = schema({
	allow: {
		type: "array",
		max: 1_000,
		items: { type: "string", min: 1, max: 300 },
		default: [],
		description:
			"Hosts that requests to URLs of users may reach although their addresses are private: `host`, `host:port`, or an origin such as `http://gitea.internal:3000`",
	},
	ports: {
		type: "array",
		max: 100,
		items: { type: "number", integer: true, min: 1, max: 65_535 },
		default: [],
		description: "Ports that such requests may reach on public hosts; empty: 443",
	},
	refuse: {
		type: "array",
		max: 1_000,
		items: { type: "string", min: 1, max: 100 },
		default: [],
		description:
			"Networks that they never reach, and sessions in containers neither, beside those that are not public, e.g. `100.20.0.0/16`",
	},
	proxy: {
		...text,
		pattern: "^$|^https?://",
		description:
			"Proxy for such requests, e.g. `http://proxy.example:3128`; hosts of `outbound.allow` are reached directly",
	},
	proxy_resolves: { ...flag, description: "Whether the proxy resolves names, and refuses private addresses itself" },
});
