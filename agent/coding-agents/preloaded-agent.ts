/**
 * The built-in agent, started before there is a session for it (docs/decisions/0164). It has loaded its modules, and becomes the agent
 * of a session when it gets the environment and the folder of one on its descriptor {@link awaitedFd}.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { deadline } from "#shared/base/clock.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { type AwaitedStart, awaitedFd, awaitingArgument } from "../io/awaited-start.ts";
import type { Environment } from "../io/environment.ts";
import { signalGroup } from "../io/process-group.ts";

const command = [process.execPath, join(projectRoot, "agent/builtin/main.ts")] as const;

/** How long it may take to load. */
const patienceMs = 10_000;

/** The start that a launch needs. */
export interface NeededStart extends AwaitedStart {
	readonly command: readonly string[];
}

/** Owns the process until a session gets it. It ends with this process, whose end it reads. */
export class PreloadedAgent {
	readonly #child: ChildProcessWithoutNullStreams;
	/** The environment with which it was started. */
	readonly #env: Environment;
	#isFree = true;

	private constructor(env: Environment) {
		const [program, ...args] = command;
		const stdio = ["pipe", "pipe", "pipe", "pipe"] as const;
		const child = spawn(program, [...args, awaitingArgument], { env, detached: true, stdio: [...stdio] });
		this.#child = child as ChildProcessWithoutNullStreams;
		this.#env = env;
		// A process that cannot be started, or ends, is given to nobody.
		child.on("error", () => (this.#isFree = false));
		child.once("exit", () => (this.#isFree = false));
		this.#channel.on("error", () => {});
	}

	/** Resolves when it is loaded; to undefined when it cannot be started, or is not loaded after 10 s. */
	static async start(env: Environment): Promise<PreloadedAgent | undefined> {
		let agent: PreloadedAgent | undefined;
		try {
			// It throws in a process without free descriptors.
			agent = new PreloadedAgent(env);
			const waits = { signal: deadline(patienceMs) };
			await Promise.race([once(agent.#channel, "data", waits), once(agent.#channel, "close", waits)]);
			return agent;
		} catch {
			agent?.end();
			return undefined;
		}
	}

	/** Returns the process as that of a session; undefined when the session needs another program, or has had it already. */
	become({ command: needed, env, folder }: NeededStart): ChildProcessWithoutNullStreams | undefined {
		if (!this.#isFree) return undefined;
		if (!isOwn(needed) || !isStartedWith(env, this.#env)) {
			this.end();
			return undefined;
		}
		this.#isFree = false;
		const start: AwaitedStart = { env, folder };
		this.#channel.end(JSON.stringify(start));
		return this.#child;
	}

	/** Ends a process that no session needs. */
	end(): void {
		if (this.#isFree) signalGroup(this.#child.pid, "SIGKILL");
		this.#isFree = false;
	}

	get #channel(): Duplex {
		// A pipe of Node's is a socket in both directions.
		return this.#child.stdio[awaitedFd] as unknown as Duplex;
	}
}

/** The variables that Node.js and its libraries read only when a process starts. */
const readAtStart = /^(NODE_(?!ENV$)|UV_|SSL_|OPENSSL_|LD_)/;

/** Whether the process has these variables as if it were started with the environment. */
function isStartedWith(env: Environment, started: Environment): boolean {
	const names = new Set([...Object.keys(env), ...Object.keys(started)].filter((name) => readAtStart.test(name)));
	return [...names].every((name) => env[name] === started[name]);
}

function isOwn(needed: readonly string[]): boolean {
	return needed.length === command.length && command.every((word, index) => word === needed[index]);
}
