/** Decides who may use folders of the host as the workspace of a session, and which. */
import { isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Config } from "#shared/config/config.ts";
import type { SessionSource } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { LocalMount } from "#shared/wire/pod/launch.ts";
import { maxMounts, mountPlace, type MountRules, realMount } from "#shared/wire/pod/local-mounts.ts";
import { pathsInside } from "#shared/wire/pod/repository-path.ts";

type Paths = NonNullable<SessionSource["paths"]>;

export interface LocalSource extends SessionSource {
	type: "local_mount";
	paths: Paths;
}

interface CheckedLocalSource {
	readonly source: LocalSource;
	readonly mounts: LocalMount[];
}

export class LocalSources {
	readonly #isEnabled: boolean;
	readonly #trustsCallers: boolean;
	readonly #rules: MountRules;
	readonly #operators: string;

	/** @param trustsCallers Whether every caller has the rights of the person who runs the platform. */
	constructor({ git, data_dir, tenants }: Pick<Config, "git" | "data_dir" | "tenants">, trustsCallers: boolean) {
		this.#operators = tenants.default;
		const { enabled, allowed_prefixes } = git.local_mounts;
		this.#isEnabled = enabled;
		this.#trustsCallers = trustsCallers;
		this.#rules = { allowed_prefixes, refused: [data_dir] };
	}

	/** @throws {UnprocessableError} with a sentence about what cannot be used, or by whom. */
	async check(principal: Principal, source: SessionSource): Promise<CheckedLocalSource> {
		if (!this.#isEnabled)
			throw new UnprocessableError(
				"Local mounts are switched off on this server: they need git.local_mounts.enabled, and the allowed folders in git.local_mounts.allowed_prefixes",
				"LOCAL_MOUNTS_OFF",
			);
		if (!this.#trustsCallers && !isAllowed(principal, "use-folders", "installation", { operators: this.#operators }))
			throw refused("Only the operators of this server may use its folders as a workspace");
		const paths = pathsOf(source);
		if (paths.length === 0) throw refused("A local mount needs `paths` or `local_path`");
		if (paths.length > maxMounts) throw refused(`A session cannot have more than ${maxMounts} folders`);
		const mounts: LocalMount[] = [];
		for (const path of paths) mounts.push(await this.#mount(path));
		refuseOverlaps(mounts);
		const { node_selector } = source;
		return { source: { type: "local_mount", paths, ...(node_selector && { node_selector }) }, mounts };
	}

	async #mount({ host_path, mount_path, read_only }: Paths[number]): Promise<LocalMount> {
		const path = mountPlace(mount_path);
		if (path === undefined)
			throw refused(
				`"${mount_path.slice(0, 200)}" cannot be a \`mount_path\`; it has to be /workspace or a folder below it, of letters, digits and "._-"`,
			);
		const real = await realMount(host_path, this.#rules, read_only);
		if ("refused" in real) throw refused(real.refused);
		return { host_path, path, read_only };
	}
}

/** Returns the folders; `local_path` is the short form of one that is the whole workspace and may be changed. */
function pathsOf({ paths, local_path }: SessionSource): Paths {
	if (paths && paths.length > 0) return paths;
	return local_path ? [{ host_path: local_path, mount_path: "/workspace", read_only: false }] : [];
}

export function sourceOfMounts(mounts: readonly LocalMount[]): LocalSource {
	const paths = mounts.map(({ host_path, path, read_only }) => ({
		host_path,
		mount_path: `/workspace/${path}`,
		read_only,
	}));
	return { type: "local_mount", paths };
}

function refuseOverlaps(mounts: readonly LocalMount[]): void {
	const places = mounts.map(({ path }) => path);
	const hasTwice = new Set(places).size < places.length;
	if (hasTwice || places.some((path) => pathsInside(path, places).length > 0))
		throw refused("Two folders cannot have the same `mount_path`, and none can be inside of another one");
}

function refused(sentence: string): UnprocessableError {
	return new UnprocessableError(sentence, "LOCAL_MOUNT_REFUSED");
}
