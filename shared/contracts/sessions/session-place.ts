/** The contract of the place where sessions run. The process that starts pods answers, because only it knows its runtime. */
import { defineContract } from "../contract.ts";

export const sessionPlace = defineContract("session-place", {
	describe: {
		access: "system",
		effect: "read",
		summary: "What sessions have where they run",
		params: {},
		returns: {
			type: "object",
			props: {
				has_host_files: {
					type: "boolean",
					description:
						"Whether sessions have the folders of the machine: repositories with `file` URLs, and local mounts",
				},
			},
		},
	},
});
