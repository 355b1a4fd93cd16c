/** Compares the options of an engine's filter with what the platform needs, and says which of them have to change. Pure. */
import type { FilterStatement } from "#shared/wire/engine/filter-statement.ts";
import type { ContainersSettings } from "../containers-options.ts";

const mib = 1_048_576;
const help = "docs/session-containers.md#the-engines-socket";

/** The platform behind a filter. */
export interface FilteredHost {
	/** Its data folder as it names it, and without links. */
	readonly dataDir: string;
	readonly realDataDir: string;
	/** Its id; undefined where nobody knows it yet. */
	readonly installation?: string | undefined;
}

/** The differences between a filter and its platform. */
export interface FilterFindings {
	/** The reason why no session can run; undefined: some can. */
	readonly unusable: string | undefined;
	/** The sentence about requests that the configuration allows and the filter refuses; undefined: there are none. */
	readonly lesser: string | undefined;
}

/** The settings that a filter has to know. */
type Needed = Pick<ContainersSettings, "socket" | "image" | "images" | "user" | "limits" | "maxLimits">;

export function filterFindings(said: FilterStatement, needed: Needed, host: FilteredHost): FilterFindings {
	const { socket } = needed;
	const ownChanges = changesOfHost(said, host);
	const changes = [...optionChanges(said, needed, host), ...ownChanges];
	const unusable =
		changes.length === 0
			? undefined
			: `The filter of the container engine at "${socket}" is not started for this platform: ${changes.join(", and ")}; then restart it (${help})`;
	return { unusable, lesser: lesserSentence(said, needed) };
}

/** Returns the options without which every call for a session is refused. */
function optionChanges(said: FilterStatement, { image, user, limits }: Needed, host: FilteredHost): string[] {
	const { installation, dataDir, realDataDir } = host;
	const memory = limits.memoryBytes / mib;
	const isOfOther = installation !== undefined && installation !== said.installation;
	return [
		...(isOfOther ? [change("installation", said.installation, installation)] : []),
		...(said.data_dir === dataDir || said.data_dir === realDataDir ? [] : [change("data-dir", said.data_dir, dataDir)]),
		...(said.images[0] === image ? [] : [`make --image ${image} its first --image, which is ${said.images[0]} now`]),
		...(said.owner === user ? [] : [change("owner", said.owner, user)]),
		...(said.max_memory_mb >= memory ? [] : [change("max-memory-mb", said.max_memory_mb, memory)]),
	];
}

/** The filter compares paths without links, and the engine mounts what the platform names. */
function changesOfHost({ data_dir }: FilterStatement, { dataDir, realDataDir }: FilteredHost): string[] {
	if (data_dir === dataDir || data_dir !== realDataDir) return [];
	return [`set the platform's data_dir (DATA_DIR) to ${realDataDir}, because ${dataDir} leads there through a link`];
}

function lesserSentence(said: FilterStatement, { socket, images, maxLimits }: Needed): string | undefined {
	const missing = images.filter((image) => !said.images.includes(image)).map((image) => `--image ${image}`);
	const memory = maxLimits.memoryBytes / mib;
	const changes = [
		...(missing.length === 0 ? [] : [`add ${missing.join(" ")} to its options, after the first --image`]),
		...(said.max_memory_mb >= memory
			? []
			: [
					`${change("max-memory-mb", said.max_memory_mb, memory)}, or set the configuration key pods.runtime.kwargs.max_memory_mb to ${said.max_memory_mb}`,
				]),
	];
	if (changes.length === 0) return undefined;
	return `The filter of the container engine at "${socket}" refuses sessions that the configuration allows: ${changes.join(", and ")}; then restart it (${help})`;
}

function change(option: string, from: string | number, to: string | number): string {
	return `change its --${option} from ${from} to ${to}`;
}
