/** Says what an operator can do about a container engine, or an image of sessions, that is not there. */
import { environment } from "#shared/config/environment.ts";
import { EngineAway } from "../engine-client.ts";

const key = 'the configuration key "pods.runtime.kwargs.socket"';
const imageKey = 'the configuration key "pods.runtime.kwargs.image"';
/** The most characters of a variable in a sentence. */
const maxShown = 200;

/**
 * Returns the sentence for a socket at which no engine can be asked; undefined for another error.
 * @param env The environment, whose `DOCKER_HOST` is told and not read (docs/decisions/0139-docker-host-is-not-read.md).
 */
export function absentEngine(socket: string, error: unknown, env = environment()): string | undefined {
	const code = error instanceof EngineAway ? error.reason : undefined;
	const unread = unreadVariable(socket, env);
	if (code === "ENOENT" || code === "ECONNREFUSED")
		return `No container engine listens at "${socket}": start one, such as Docker or rootless Podman, or name its socket with ${key}${unread}`;
	if (code === "EACCES")
		return (
			`The platform may not use the container engine's socket "${socket}": start the filter of the engine (npm run engine-filter) and name its ` +
			`socket with ${key}, or use a rootless engine of the platform's user${unread}. Who may use an engine's own socket is root on this machine`
		);
	return undefined;
}

/** Returns the sentence for an engine that lacks the image of sessions. */
export function absentImage({ socket, image }: { readonly socket: string; readonly image: string }): string {
	return (
		`The container engine at "${socket}" has no image "${image}" for sessions; build it with ` +
		`"docker build --target session -t ${image} ." in the folder of Atelier, or name another one with ${imageKey}`
	);
}

/** Returns the end of a sentence where the variable of Docker's own programs names another engine; empty otherwise. */
function unreadVariable(socket: string, { DOCKER_HOST: named = "" }: NodeJS.ProcessEnv): string {
	if (named === "" || named === `unix://${socket}`) return "";
	const path = /^unix:\/\/(\/.+)$/.exec(named)?.[1];
	const remedy =
		path === undefined ? "an engine is reached by a Unix socket only" : `its socket is "${path.slice(0, maxShown)}"`;
	return ` (the variable DOCKER_HOST is set and is not read; ${remedy})`;
}
