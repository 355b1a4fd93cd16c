/** Makes the specification of a pod: the launch settings of a claim, and the credentials of the platform and the pod. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { ModelAccess, ModelRefusal } from "#shared/wire/models/model-wire.ts";
import { type LaunchSettings, launchSettingsFields } from "#shared/wire/pod/launch.ts";
import type { MountRules } from "#shared/wire/pod/local-mounts.ts";
import type { PodSpec } from "./pod-runtime.ts";

const check = compileSchema(launchSettingsFields);

interface PodSpecDependencies {
	readonly key: InstallationKey;
	readonly platformUrl: string;
	/** How long a choice of the agent waits for a person in the mode `auto`. */
	readonly choiceMs: number;
	/** The folders of the host that sessions may use; absent: none. */
	readonly mountRules?: MountRules | undefined;
	/** Returns the access to a model; undefined when it cannot be used. */
	readonly accessOf: (model: string) => ModelAccess | undefined;
	readonly refusalOf: (model: string) => ModelRefusal | undefined;
}

/** Returns the specification. @throws {Error} when the claim's launch settings are incomplete. */
export function podSpec(claim: Claim, dependencies: PodSpecDependencies): PodSpec {
	const { key, platformUrl, choiceMs, accessOf, refusalOf, mountRules } = dependencies;
	const { id, generation, workspace, tenant, owner } = claim;
	const launch = checkedSettings(claim.launch);
	const access = accessOf(launch.model);
	const refusal = access ? undefined : refusalOf(launch.model);
	return {
		...launch,
		...(access && { model_access: access }),
		...(refusal && { model_refusal: refusal }),
		...(launch.mounts && mountRules && { mount_rules: rulesOf(mountRules) }),
		session_id: id,
		generation,
		workspace_id: workspace,
		owner: { tenant, id: owner },
		installation: key.installationId(),
		platform_url: platformUrl,
		pod_token: key.podToken(id, generation),
		platform_key: key.platformKey(id, generation),
		choice_ms: choiceMs,
	};
}

function rulesOf({ allowed_prefixes, refused }: MountRules): PodSpec["mount_rules"] {
	return { allowed_prefixes: [...allowed_prefixes], refused: [...refused] };
}

function checkedSettings(launch: Record<string, unknown>): LaunchSettings {
	const copy: unknown = structuredClone(launch);
	if (fits(copy)) return copy;
	const wrong = check(copy).map(({ path, message }) => `${path.join(".")}: ${message}`);
	throw new Error(`Cannot start a pod from these launch settings: ${wrong.join("; ")}`);
}

function fits(value: unknown): value is LaunchSettings {
	return check(value).length === 0;
}
