/** Finds what a session needs of the machine's own folders, which sessions in containers do not have. Pure. */
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";

/** The members of a launch that may need the host's folders. */
export type NeededFiles = Pick<LaunchSettings, "repositories" | "mounts">;

const fileUrl = /^file:/i;

/** The most characters of a name in a sentence. */
const maxShown = 200;

/** A sentence, without a period, for the person who asked, and whether it is about a folder or a repository. */
interface MissingFiles {
	readonly kind: "folder" | "repository";
	readonly sentence: string;
}

/** Returns the first that cannot be there without the host's folders; undefined when there is none. */
export function missingHostFiles({ repositories, mounts = [] }: NeededFiles): MissingFiles | undefined {
	const [mount] = mounts;
	if (mount !== undefined)
		return {
			kind: "folder",
			sentence: `Sessions of this server have none of its folders, so the folder "${mount.host_path.slice(0, maxShown)}" cannot be used; name a repository instead (docs/session-containers.md)`,
		};
	const local = repositories.find(({ url }) => fileUrl.test(url));
	if (local === undefined) return undefined;
	return {
		kind: "repository",
		sentence: `Sessions of this server have none of its folders, so the repository "${local.url.slice(0, maxShown)}" cannot be cloned; name its URL at a git host (docs/session-containers.md)`,
	};
}
