/** The fields of the section `pods`. */
import { schema } from "#shared/base/schema/schema.ts";
import { adapterFields, adapterForm } from "./adapter-fields.ts";
import { usualSetupMinutes } from "../setup-minutes.ts";
import { whole } from "./field-rules.ts";

/** The value with which an operator accepts that sessions of different people are not kept apart. */
export const acceptance = "they-trust-each-others-code";

export const podFields = schema({
	runtime: {
		type: "object",
		props: {
			...adapterFields,
			adapter: {
				...adapterFields.adapter,
				pattern: `^(auto|${adapterForm})$`,
				description: `${adapterFields.adapter.description}; or \`auto\`: containers where an engine and their image are there (docs/session-containers.md)`,
			},
		},
		description: "Place where session pods run",
	},
	agent_hosts: {
		type: "array",
		max: 100,
		items: { type: "string", pattern: "^([\\w.-]{1,253}|[\\d.]{7,15}/\\d{1,2})$" },
		default: [],
		description:
			"Names of hosts beside 127.0.0.1 at which session agents listen (`listen_host` of their runtimes), and networks of pods such as `10.244.0.0/16`; the platform connects to no others",
	},
	starting_per_owner: {
		...whole,
		min: 1,
		optional: true,
		description:
			"Most sessions of one owner that start at a time; further ones wait; empty: twice the processors of the pod manager",
	},
	setup_minutes: {
		...whole,
		min: usualSetupMinutes,
		max: 1_440,
		default: usualSetupMinutes,
		description:
			"Minutes in which a session has to be prepared; its clones, and then its setup scripts together, have 20 s less. It holds from the next start of a session",
	},
	choice_minutes: {
		...whole,
		min: 1,
		max: 1_440,
		default: 15,
		description:
			"Minutes in which a question of a coding agent waits for a person in sessions with `permission_mode: auto`; it is declined then",
	},
	people_share_a_machine: {
		type: "enum",
		values: ["refused", acceptance],
		default: "refused",
		description:
			"Whether sessions of people whom the identity does not trust may run without isolation: each person's code can then read everything of everybody else, of other tenants and of the platform",
	},
	required_isolation: {
		type: "enum",
		values: ["none", "container"],
		default: "none",
		description:
			"The least isolation of sessions; with `container` a start that would run them as processes is refused, whoever the callers are, and so is a pod manager beside one with another value",
	},
	on_exit: {
		type: "enum",
		values: ["keep", "stop"],
		default: "keep",
		description: "Whether running sessions continue or stop at an orderly end of the platform",
	},
});
