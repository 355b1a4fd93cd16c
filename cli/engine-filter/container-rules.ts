/**
 * The containers that a platform may create through the filter. The request is written again from what was understood, because
 * the engine reads names of members without regard to case.
 */
import { namedContainer, sessionId } from "./container-names.ts";
import {
	both,
	integer,
	type Json,
	listOf,
	objectOf,
	oneOf,
	only,
	recordOf,
	refuse,
	type Rule,
	type Rules,
	text,
	textThat,
	tupleOf,
} from "./json-rules.ts";
import { helperKinds } from "./helper-kinds.ts";
import { type MountPlaces, mountRule, sessionPlaces, warmPlaces } from "./mount-rules.ts";

/** The platform for which the filter works. */
export interface FilteredPlatform {
	/** The value of the label `atelier.installation` of its containers. */
	readonly installation: string;
	/** The images that it may run, as it names them. Helpers and probes have the first one. */
	readonly images: readonly string[];
	/** The user and group of sessions, not 0. */
	readonly owner: number;
	/** Its data folder; absolute, without links. */
	readonly dataDir: string;
	/** The most memory of a container, in bytes. */
	readonly maxMemory: number;
}

const minMemory = 16_777_216;

/** Returns the rule of the request that creates a container with this name; undefined when nothing may have the name. */
export function containerRule(name: string, platform: FilteredPlatform): Rule | undefined {
	const named = namedContainer(name);
	if (named?.kind === "session") {
		return sessionRule(platform, sessionPlaces(named.launch), {
			"atelier.session": only(named.sessionId),
			"atelier.generation": only(named.generation),
			"atelier.workspace": textThat((id) => sessionId.test(id)),
		});
	}
	if (named?.kind === "warm") {
		const platformAlone = { ...platform, images: platform.images.slice(0, 1) };
		return sessionRule(platformAlone, warmPlaces(named.own), { "atelier.warm": only(named.own) });
	}
	if (named?.kind === "probe") return probeRule(platform);
	return named && helperRule(platform);
}

/** A session runs as the user of sessions, with the folders of its launch; so does a container that waits for one, with its own. */
function sessionRule(platform: FilteredPlatform, places: MountPlaces, labelled: Rules): Rule {
	const words = listOf(text, 256);
	return objectOf(
		{
			Image: oneOf(platform.images),
			User: only(ownerOf(platform)),
			Labels: objectOf({ ...labels(platform), ...labelled }),
			HostConfig: confined(platform, { Mounts: listOf(mountRule(platform.dataDir, places), 8) }, { Tmpfs: temporary }),
		},
		{
			Cmd: words,
			Entrypoint: words,
			Env: listOf(text, 1_000),
			WorkingDir: text,
			StopSignal: only("SIGTERM"),
			Healthcheck: only({ Test: ["NONE"] }),
		},
	);
}

/** A probe runs as a session does, without folders: it reads what the kernel says. */
function probeRule(platform: FilteredPlatform): Rule {
	return objectOf({
		Image: only(platform.images[0] ?? ""),
		User: only(ownerOf(platform)),
		Entrypoint: only([]),
		Cmd: only(["cat", "/proc/self/status", "/proc/self/mounts", "/proc/net/dev"]),
		Labels: objectOf({ ...labels(platform), "atelier.probe": only("switches") }),
		HostConfig: confined(platform, {}, { Tmpfs: temporary }),
	});
}

/** A helper is root with rights over files, with the command, the rights and the folders of its kind. */
function helperRule(platform: FilteredPlatform): Rule {
	const kinds = helperKinds(platform).map(({ kind, command, capabilities, mounts }) =>
		objectOf({
			Image: only(platform.images[0] ?? ""),
			User: only("0:0"),
			Entrypoint: only([]),
			Cmd: only(command),
			Labels: objectOf({ ...labels(platform), "atelier.helper": only(kind) }),
			HostConfig: confined(platform, { CapAdd: only(capabilities), Mounts: tupleOf(mounts) }),
		}),
	);
	const names = helperKinds(platform).map(({ kind }) => kind);
	return (value, path) => {
		const index = names.findIndex((one) => one === labelOf(value, "atelier.helper"));
		return (kinds[index] ?? refuse("Labels.atelier.helper"))(value, path);
	};
}

function labelOf(value: Json, name: string): Json | undefined {
	const labels = membersOf(value)?.["Labels"];
	return labels === undefined ? undefined : membersOf(labels)?.[name];
}

function membersOf(value: Json): { [member: string]: Json } | undefined {
	return value === null || typeof value !== "object" || Array.isArray(value) ? undefined : value;
}

function ownerOf({ owner }: FilteredPlatform): string {
	return `${owner}:${owner}`;
}

function labels({ installation }: FilteredPlatform): Rules {
	return { "atelier.installation": only(installation) };
}

/** The part of a request that confines a container, with members that a kind of containers has beside. */
function confined({ maxMemory }: FilteredPlatform, required: Rules, optional: Rules = {}): Rule {
	const host = objectOf(
		{
			NetworkMode: only("none"),
			ReadonlyRootfs: only(true),
			CapDrop: only(["ALL"]),
			SecurityOpt: only(["no-new-privileges"]),
			Memory: integer(minMemory, maxMemory),
			MemorySwap: integer(minMemory, maxMemory),
			NanoCpus: integer(1_000_000, 1e13),
			PidsLimit: integer(1, 65_536),
			CpuShares: integer(2, 1_024),
			RestartPolicy: only({ Name: "no" }),
			LogConfig: objectOf({
				Type: only("json-file"),
				Config: objectOf({
					"max-size": textThat((size) => /^[1-9]\d?m$/.test(size)),
					"max-file": textThat((count) => /^[1-9]$/.test(count)),
				}),
			}),
			...required,
		},
		optional,
	);
	// More would be swap, which the bound of memory does not count.
	return both(host, (value) => membersOf(value)?.["Memory"] === membersOf(value)?.["MemorySwap"], "MemorySwap");
}

/** The bounded file systems in memory, without devices. */
const temporary = recordOf(
	/^\//,
	textThat(
		(options) =>
			/^((rw|exec|noexec|nosuid|nodev|(size|mode|uid|gid|nr_inodes)=\d{1,15})(,|$))+$/.test(options) &&
			/(^|,)size=[1-9]/.test(options),
	),
);
