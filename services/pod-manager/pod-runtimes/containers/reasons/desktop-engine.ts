/** Recognises Docker Desktop, whose containers are in a virtual machine that does not pass on Unix sockets of this machine. Pure. */

/** Returns the sentence about such an engine; undefined for another one. @param info Its answer about itself. */
export function desktopEngine(socket: string, info: unknown): string | undefined {
	const system: unknown = info instanceof Object ? Reflect.get(info, "OperatingSystem") : undefined;
	if (system !== "Docker Desktop") return undefined;
	return (
		`The container engine at "${socket}" is Docker Desktop, whose containers run in a virtual machine and usually do not reach the sockets of this ` +
		"machine, by which sessions speak with the platform: use the Docker Engine of Linux (docs/session-containers.md#on-your-own-laptop)"
	);
}
