/**
 * The environment of the platform's process. Every program of the same user can read the environment that a process was
 * started with (`/proc/<pid>/environ`), and no process can change it. The platform therefore restarts itself with an
 * environment without secrets and receives the rest through a pipe. Programs that it starts do not inherit the rest.
 */
import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** The variable with the descriptor of the pipe; absent when there is none. */
const channel = "ATELIER_ENVIRONMENT_FD";

/**
 * The variables that the machine, a terminal and Node need. A list of secret variables instead would be wrong with each
 * new name.
 */
const harmless = new RegExp(
	`^(${[
		"PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|SHLVL|_|TMPDIR|HOSTNAME",
		"LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI",
		"SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|XDG_DATA_HOME",
		"NODE_ENV|NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|UV_THREADPOOL_SIZE",
		"HOST|PORT|DATA_DIR|ATELIER_CONFIG|ATELIER_FAILPOINTS|ATELIER_CLOCK_OFFSET_MS",
		channel,
	].join("|")})$`,
);

/** The proxy for Node's own `fetch`, which reads it when it starts. One with a password is a secret. */
const proxy = /^(NODE_USE_ENV_PROXY|HTTPS_PROXY|https_proxy|NO_PROXY|no_proxy)$/;

let received: NodeJS.ProcessEnv | undefined;

/**
 * Returns the whole environment, including what was received through the pipe. A program that hides nothing gets its
 * own environment.
 */
export function environment(): NodeJS.ProcessEnv {
	return received ?? process.env;
}

/**
 * Continues in a process whose environment holds no secret and whose id is the same. When this process has secrets in
 * its environment, the call does not return: the program is executed again from its beginning in this process's place.
 * @param program The program's file and arguments, for this Node.
 */
export function hideEnvironment(program: readonly string[]): void {
	if (process.env[channel] !== undefined) received = receive(Number(process.env[channel]));
	delete process.env[channel];
	const names = Object.keys(process.env);
	if (names.every(isHarmless) || !process.execve) return;
	const retained = names.filter(isHarmless).join(" ");
	const script = join(projectRoot, "shared/config/hidden-environment.sh");
	const command = [process.execPath, ...process.execArgv, ...program];
	process.execve("/bin/sh", ["sh", script, retained, ...command], process.env as Record<string, string>);
}

function isHarmless(name: string): boolean {
	return harmless.test(name) || (proxy.test(name) && !process.env[name]?.includes("@"));
}

/** Reads the pipe to its end; each `name=value` has a zero byte behind it. */
function receive(descriptor: number): NodeJS.ProcessEnv {
	const entries = readFileSync(descriptor, "utf8").split("\0").slice(0, -1);
	closeSync(descriptor);
	return Object.fromEntries(
		entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
	);
}
