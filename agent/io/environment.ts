/** The environment of programs in the workspace. It is built from a list of what is allowed, and never inherited. */
import { dirname, join } from "node:path";
import { type LaunchDocument, marker } from "#shared/wire/pod/launch.ts";
import { secretsVariable } from "#shared/contracts/credentials/pod-secrets.ts";
import { machineVariables } from "#shared/config/machine-variables.ts";
import { isSettable } from "#shared/wire/pod/variable-name.ts";

export type Environment = Record<string, string>;

/** The environment has a home folder of its own. */
export type WorkingEnvironment = Environment & { HOME: string };

/** Returns the variables that mark a process as one of this pod's. */
export function markerOf({ installation, session_id, generation, host, proof }: LaunchDocument): Environment {
	return {
		[marker.installation]: installation,
		[marker.session]: session_id,
		[marker.generation]: String(generation),
		...(host !== undefined && { [marker.host]: host }),
		[marker.proof]: proof,
	};
}

/** Returns what the pod's own programs, such as git, may know of the machine; the platform has taken out credentials. */
export function machineEnvironment(inherited: NodeJS.ProcessEnv): Environment {
	return machineVariables(inherited, Object.keys(inherited));
}

/** Keeps git in a workspace without a repository of its own from finding one above the workspace. */
export function gitCeiling({ workspace }: LaunchDocument): Environment {
	return { GIT_CEILING_DIRECTORIES: dirname(workspace) };
}

/**
 * Makes the environment of the coding agent, its commands and the setup scripts.
 * @param onRefused Receives the name of every variable of the launch that may not be set.
 */
export function workingEnvironment(
	inherited: NodeJS.ProcessEnv,
	launch: LaunchDocument,
	onRefused: (name: string) => void,
): WorkingEnvironment {
	const own = Object.entries(launch.env).filter(([name, value]) => {
		const allowed = isSettable(name, value);
		if (!allowed) onRefused(name);
		return allowed;
	});
	return {
		...machineEnvironment(inherited),
		...temporaryVariables(launch),
		...Object.fromEntries(own),
		HOME: launch.home,
		...gitCeiling(launch),
		...(launch.secrets && { [secretsVariable]: secretsFolder(launch) }),
		...markerOf(launch),
	};
}

/** Returns the folder of the pod's secrets, which the runtime names; otherwise it is in the home folder. */
export function secretsFolder({ secrets_folder, home }: LaunchDocument): string {
	return secrets_folder ?? join(home, ".secrets");
}

/** Returns the folder for temporary files of the pod's programs, which nobody else can read. */
export function temporaryFolder({ temporary_folder, home }: LaunchDocument): string {
	return temporary_folder ?? join(home, "tmp");
}

/** Programs read one of three names. */
function temporaryVariables(launch: LaunchDocument): Environment {
	const folder = temporaryFolder(launch);
	return { TMPDIR: folder, TMP: folder, TEMP: folder };
}

export function pick(env: NodeJS.ProcessEnv, names: RegExp): Environment {
	const picked: Environment = {};
	for (const [name, value] of Object.entries(env)) if (value !== undefined && names.test(name)) picked[name] = value;
	return picked;
}
