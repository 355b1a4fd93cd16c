/** Runs git for the pod, with guarded arguments, a separate environment, bounded time, and its messages in the log. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { withoutUserinfo } from "#shared/wire/git/repository-url.ts";
import { type Environment, gitCeiling, machineEnvironment, markerOf, pick } from "../io/environment.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { credentialSettings, givenCredentialSettings, settingVariables } from "./git-credentials.ts";
import { type CommandOptions, type CommandResult, runCommand } from "../io/run-command.ts";
import { readCloneStep } from "./clone-step.ts";
import { gitRemedy } from "./git-remedy.ts";

/** These settings keep git from starting a program of the repository's choice, whatever its configuration says. */
const guard = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.ext.allow=never"].flatMap((setting) => [
	"-c",
	setting,
]);

/** The variables by which credential helpers and ssh find the login session of the home folder's person. */
const loginNames = /^(SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR)$/;

/** Starts git with its input as descriptor 3, so that the text is in no variable, argument or file. */
const withSecret = ["sh", "-c", 'exec 3<&0 </dev/null && exec git "$@"', "sh"] as const;

/** The tree of a repository without a commit. Git knows it without an object for it. */
export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export interface GitOptions extends Omit<CommandOptions, "env" | "onLine"> {
	/** A text that git's helpers read once, from descriptor 3. It takes the place of the input. */
	secret?: string;
	/** Receives each message of git, and decides whether it belongs in the log. By default each one does. */
	isLogged?: (line: string) => boolean;
}

export class Git {
	readonly #env: Environment;
	readonly #log: LogBuffer;

	constructor(env: Environment, log: LogBuffer) {
		this.#env = env;
		this.#log = log;
	}

	/** Runs one command. @throws {Error} when git cannot be started; a failure of git is in the result. */
	run(args: readonly string[], { isLogged = () => true, secret, ...options }: GitOptions): Promise<CommandResult> {
		const [program, ...before] = secret === undefined ? ["git"] : withSecret;
		return runCommand(program, [...before, ...guard, ...args], {
			...options,
			...(secret !== undefined && { input: secret }),
			env: this.#env,
			onLine: (line) => {
				if (isLogged(line)) this.#log.add("INFO", "git", withoutUserinfo(line));
			},
		});
	}
}

/** The environment of clones has the configuration and credentials of the launch's home folder, or none. */
export function cloneEnvironment(inherited: NodeJS.ProcessEnv, launch: LaunchDocument): Environment {
	const person: Environment =
		launch.git_home === "" ? withoutConfiguration : { ...pick(inherited, loginNames), HOME: launch.git_home };
	return {
		...machineEnvironment(inherited),
		...markerOf(launch),
		...gitCeiling(launch),
		...person,
		...quiet,
		...settingVariables(credentialSettings(launch)),
		GIT_ALLOW_PROTOCOL: launch.git_protocols.filter((name) => /^[a-z]+$/.test(name)).join(":"),
	};
}

/** The environment of a push has nobody's configuration, and asks descriptor 3 for the user and password of one host. */
export function pushEnvironment(inherited: NodeJS.ProcessEnv, launch: LaunchDocument, url: string): Environment {
	return {
		...cloneEnvironment(inherited, { ...launch, git_home: "", secrets: undefined }),
		...settingVariables(givenCredentialSettings(url)),
	};
}

/** The environment of work without a remote has nobody's configuration. */
export function localEnvironment(inherited: NodeJS.ProcessEnv, launch: LaunchDocument): Environment {
	return {
		...machineEnvironment(inherited),
		...markerOf(launch),
		...gitCeiling(launch),
		...withoutConfiguration,
		...quiet,
		GIT_ALLOW_PROTOCOL: "none",
	};
}

const withoutConfiguration: Environment = {
	HOME: "/nonexistent",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_CONFIG_NOSYSTEM: "1",
};

/** Git asks no questions, and writes the language in which its messages are read. */
const quiet: Environment = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };

const maxSentenceLength = 500;
/** Lines that do not tell what went wrong. */
const chatter = /^(Cloning into|remote: Total|warning:|hint:|Please make sure|and the repository exists)/;

/** Returns what git, ssh and the remote wrote about a failure, and what can be done about it. */
export function wordsOfGit({ words, timedOut, code }: CommandResult): string {
	if (timedOut) return "git took too long";
	const said = words.filter((line) => !chatter.test(line) && !readCloneStep(line)).slice(0, 3);
	const clean = said.map((line) => withoutUserinfo(line.replace(/^(fatal|error): /, "")).replace(/\.$/, ""));
	const sentence = clean.join("; ").slice(0, maxSentenceLength) || `git ended with exit code ${code}`;
	const remedy = gitRemedy(words);
	return remedy === undefined ? sentence : `${sentence}; ${remedy}`;
}
