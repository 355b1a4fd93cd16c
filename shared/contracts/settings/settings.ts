/** The contract of settings: switches of this server that clients adapt to. */
import { defineContract } from "../../bus/contract.ts";

export const settings = defineContract("settings", {
	feature_flags: {
		rest: "GET /feature-flags",
		summary: "Server feature switches",
		params: {},
		returns: {
			type: "object",
			props: {
				local_mounts_enabled: { type: "boolean", description: "Host folders may be used as a session source" },
				file_manager_enabled: { type: "boolean" },
			},
		},
	},
});
