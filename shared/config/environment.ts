/**
 * The environment the platform was started with. Every program of the same user can read what a process was started with
 * (`/proc/<pid>/environ`), and no process can change that; so the platform starts itself anew with what holds no secret, and
 * gets the rest through a pipe. What it starts inherits nothing of the rest either.
 */
import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project-root.ts";

/** Holds the descriptor of the pipe, when there is one. */
const channel = "ATELIER_ENVIRONMENT_FD";

/** What the machine, a terminal and Node itself need. A list of what is secret would be wrong with each new name. */
const harmless = new RegExp(
	`^(${[
		"PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|SHLVL|_|TMPDIR|HOSTNAME",
		"LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI",
		"SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR",
		"NODE_ENV|NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|UV_THREADPOOL_SIZE",
		"HOST|PORT|DATA_DIR|ATELIER_CONFIG|ATELIER_FAILPOINTS|ATELIER_CLOCK_OFFSET_MS",
		channel,
	].join("|")})$`,
);

let received: NodeJS.ProcessEnv | undefined;

/** All of it. In a program that hides nothing: its own. */
export function environment(): NodeJS.ProcessEnv {
	return received ?? process.env;
}

/**
 * Ends up in a process whose environment holds no secret, with the same id: in this one when it is so already, otherwise in
 * one that runs the program from its beginning and takes this one's place.
 * @param program Its file and arguments, for this Node.
 */
export function hideEnvironment(program: readonly string[]): void {
	if (process.env[channel] !== undefined) received = receive(Number(process.env[channel]));
	delete process.env[channel];
	const names = Object.keys(process.env);
	if (names.every((name) => harmless.test(name)) || !process.execve) return;
	const kept = names.filter((name) => harmless.test(name)).join(" ");
	const script = join(projectRoot, "shared/config/hidden-environment.sh");
	const command = [process.execPath, ...process.execArgv, ...program];
	process.execve("/bin/sh", ["sh", script, kept, ...command], process.env as Record<string, string>);
}

/** Reads the pipe to its end: `name=value`, each with a zero byte behind it. */
function receive(descriptor: number): NodeJS.ProcessEnv {
	const entries = readFileSync(descriptor, "utf8").split("\0").slice(0, -1);
	closeSync(descriptor);
	return Object.fromEntries(
		entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
	);
}
