/** A container of the fake engine, and the forms in which engines speak of containers (Docker Engine API 1.41). */

/** The request of a creation, as far as the fake engine reads it. */
interface CreateRequest {
	readonly Image: string;
	readonly User: string;
	readonly Labels: Readonly<Record<string, string>>;
	readonly Entrypoint?: readonly string[];
	readonly Cmd?: readonly string[];
	readonly HostConfig: {
		readonly Mounts?: readonly { readonly Source: string; readonly Target: string; readonly ReadOnly: boolean }[];
		readonly Tmpfs?: Readonly<Record<string, string>>;
		readonly [more: string]: unknown;
	};
}

export interface FakeContainer {
	readonly name: string;
	readonly request: CreateRequest;
	/** The folders of the host by their places in the container. */
	readonly mounts: Readonly<Record<string, string>>;
	readonly status: "created" | "running" | "exited";
	readonly code: number;
	/** Why it could not be started. */
	readonly error: string;
	readonly isOutOfMemory: boolean;
	/** The frames of its log. */
	readonly log: Buffer;
	readonly createdAt: Date;
	readonly startedAt?: Date;
	readonly finishedAt?: Date;
}

/** The end of a container. */
export interface FakeEnd {
	readonly code: number;
	readonly log?: string;
	/** The part of its log that it has written to standard error, before the other one. */
	readonly complaints?: string;
	readonly isOutOfMemory?: boolean;
}

/** Returns the container after its end. */
export function exited(container: FakeContainer, end: FakeEnd): FakeContainer {
	const { code, log = "", complaints = "", isOutOfMemory = false } = end;
	const frames = Buffer.concat([frameOf(complaints, 2), frameOf(log, 1)]);
	return { ...container, status: "exited", code, isOutOfMemory, log: frames, finishedAt: new Date() };
}

export function inspectedAs(container: FakeContainer): object {
	const { name, request, status, code, error, isOutOfMemory, createdAt, startedAt, finishedAt } = container;
	return {
		Id: name,
		Name: `/${name}`,
		Created: timeOf(createdAt),
		State: {
			Status: status,
			OOMKilled: isOutOfMemory,
			ExitCode: code,
			Error: error,
			StartedAt: timeOf(startedAt),
			FinishedAt: timeOf(finishedAt),
		},
		Config: { Labels: request.Labels, Entrypoint: request.Entrypoint ?? ["tini", "--"] },
		HostConfig: request.HostConfig,
	};
}

export function listedAs(containers: ReadonlyMap<string, FakeContainer>, filters: string | null): object[] {
	const asked = JSON.parse(filters ?? "{}") as { label?: string[]; name?: string[]; status?: string[] };
	const { label = [], name: part, status } = asked;
	const isWanted = ({ name, request, status: now }: FakeContainer): boolean =>
		(status?.includes(now) ?? true) &&
		(part?.some((one) => name.includes(one)) ?? true) &&
		label.every((one) => {
			const [key = "", value] = one.split("=");
			return value === undefined ? key in request.Labels : request.Labels[key] === value;
		});
	return [...containers.values()].filter(isWanted).map(({ name, request, status: State, createdAt }) => ({
		Id: name,
		Names: [`/${name}`],
		Labels: request.Labels,
		State,
		Created: Math.floor(createdAt.getTime() / 1_000),
	}));
}

export function containerEvent({ name, request }: FakeContainer, Action: string, more: object): object {
	return { Type: "container", Action, Actor: { ID: name, Attributes: { ...request.Labels, name, ...more } } };
}

/** Returns what the probe of an engine reads in a container with these switches. */
export function probeOutput({ request }: FakeContainer): string {
	const [user] = request.User.split(":");
	const size = /size=(\d+)/.exec(request.HostConfig.Tmpfs?.["/tmp"] ?? "")?.[1] ?? "0";
	const none = "0000000000000000";
	const status = [
		`Uid:\t${user}`,
		`Gid:\t${user}`,
		`CapEff:\t${none}`,
		`CapBnd:\t${none}`,
		"NoNewPrivs:\t1",
		"Seccomp:\t2",
	];
	const mounts = ["overlay / overlay ro 0 0", `tmpfs /tmp tmpfs rw,size=${Number(size) / 1_024}k 0 0`];
	return [...status, ...mounts, `    lo:${" 0".repeat(16)}`, ""].join("\n");
}

function frameOf(text: string, stream: 1 | 2): Buffer {
	const content = Buffer.from(text);
	const header = Buffer.alloc(8);
	header[0] = stream;
	header.writeUInt32BE(content.length, 4);
	return Buffer.concat([header, content]);
}

function timeOf(at: Date | undefined): string {
	return at?.toISOString() ?? "0001-01-01T00:00:00Z";
}
