/**
 * The contract by which a launch gets the secrets that its session names. Only the platform's own services may call it;
 * the values travel from the credentials service to the pod manager and into the launch document, and are stored
 * nowhere else.
 */
import { defineContract } from "../../bus/contract.ts";
import { podSecretsFields } from "./pod-secrets.ts";

const text = { type: "string" } as const;
const person = { tenant: { ...text, max: 1_000 }, owner: { ...text, max: 1_000 } } as const;
const names = { type: "array", max: 100, items: { ...text, max: 253 } } as const;

export const injection = defineContract("injection", {
	prepare: {
		access: "system",
		summary: "The secrets of one launch: environment variables, files and git credentials",
		params: { ...person, session_id: { ...text, max: 36 }, credential_names: names },
		returns: { type: "object", props: podSecretsFields },
		timeout: 4_000,
		idempotent: true,
	},
	missing: {
		access: "system",
		summary: "Those of the names that are neither a credential of the person nor one of the tenant",
		params: { ...person, credential_names: names },
		returns: { type: "array", items: text },
		timeout: 2_000,
		idempotent: true,
	},
});
