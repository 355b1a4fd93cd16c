/** Runs the command of a systemd unit of config/systemd, as systemd does, with the places of a test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../eventually.ts";
import { commandOf } from "./systemd-unit.ts";

export interface StartedUnitOptions {
	/** The text for which `%i` stands in the unit. */
	readonly instance?: string;
	/** The variables that differ from the documented environment file and from the unit's own ones. */
	readonly env: Readonly<Record<string, string>>;
}

export class StartedUnit implements AsyncDisposable {
	/** All of its output. */
	output = "";
	readonly #process: ChildProcess;

	constructor(name: string, { instance, env }: StartedUnitOptions) {
		const { program, args, env: own } = commandOf(name, instance);
		this.#process = spawn(program, args, {
			cwd: projectRoot,
			env: { PATH: process.env["PATH"], ...own, ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		const keep = (chunk: Buffer) => void (this.output += chunk.toString());
		this.#process.stdout?.on("data", keep);
		this.#process.stderr?.on("data", keep);
	}

	get hasEnded(): boolean {
		return this.#process.exitCode !== null || this.#process.signalCode !== null;
	}

	/** Resolves when `/ready` of this URL answers 200. @throws {Error} with its output when it has ended, or is not in time. */
	async ready(url: string): Promise<void> {
		const isReady = async () => {
			if (this.hasEnded) throw new Error(this.output);
			const answer = await fetch(`${url}/ready`).catch(() => undefined);
			await answer?.body?.cancel();
			return answer?.status === 200;
		};
		await eventually(isReady, { withinMs: 60_000, everyMs: 50, what: `${url} is ready` });
	}

	/** Ends it with SIGTERM; resolves with its exit code. */
	async stop(): Promise<number | null> {
		if (!this.hasEnded) {
			const ended = once(this.#process, "exit");
			this.#process.kill("SIGTERM");
			await ended;
		}
		return this.#process.exitCode;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
	}
}
