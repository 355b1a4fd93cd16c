/**
 * Runs some test files in a separate mocha process, whose output is collected until it has ended, so that the outputs
 * of processes do not mix.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { compiled } from "./support/compiled.ts";

export interface Outcome {
	passing: number;
	pending: number;
	/** The count of failures; at least 1 when mocha did not finish, or ended in an unexpected way. */
	failing: number;
}

/**
 * How long a mocha process may take to end after its last test, in milliseconds; a timer, socket or process that a test
 * leaves open prevents the end.
 */
const lingerMs = 30_000;

const program = join(projectRoot, "node_modules/mocha/bin/mocha.js");

export class MochaProcess {
	/** The files, relative to the project. */
	readonly files: readonly string[];
	/** The output of both streams, in order. */
	output = "";
	/** The outcome of its tests after its end. */
	outcome: Outcome = { passing: 0, pending: 0, failing: 0 };
	readonly #child: ChildProcess;
	readonly #begun = performance.now();
	#endedAt: number | undefined;
	#lingering: NodeJS.Timeout | undefined;

	/**
	 * @param nodeOptions The options of Node before mocha, e.g. a module that is loaded first.
	 * @param before A program, with its arguments, that runs Node.
	 */
	constructor(files: readonly string[], nodeOptions: readonly string[] = [], before: readonly string[] = []) {
		this.files = files;
		const env = { NODE_COMPILE_CACHE: compiled, ...process.env };
		const [command, ...words] = [...before, process.execPath, ...nodeOptions, program, ...files];
		this.#child = spawn(command ?? process.execPath, words, {
			cwd: projectRoot,
			env,
			stdio: ["ignore", "pipe", "pipe"],
		});
		for (const stream of [this.#child.stdout, this.#child.stderr])
			stream?.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
	}

	get name(): string {
		const [first = "", ...others] = this.files;
		return others.length === 0 ? first : `${first} and ${others.length} more`;
	}

	/** The seconds from its start to its end, or until now. */
	get seconds(): number {
		return ((this.#endedAt ?? performance.now()) - this.#begun) / 1_000;
	}

	/** The part of the output with the failures and everything after the last test. */
	get ending(): string {
		const start = this.output.search(/^ +\d+ passing/m);
		return start === -1 ? this.output : this.output.slice(start);
	}

	/** Resolves when the process has ended and all of its output is in `output`. */
	async ended(): Promise<Outcome> {
		const [code] = (await once(this.#child, "close")) as [number | null];
		clearTimeout(this.#lingering);
		this.#endedAt = performance.now();
		const passing = this.#count("passing");
		const failing = this.#count("failing") ?? 0;
		const isInOrder = passing !== undefined && (code === 0) === (failing === 0);
		if (!isInOrder) this.output += `It did not come to its end in order (exit code ${code})\n`;
		this.outcome = {
			passing: passing ?? 0,
			pending: this.#count("pending") ?? 0,
			failing: isInOrder ? failing : failing + 1,
		};
		return this.outcome;
	}

	end(): void {
		this.#child.kill("SIGTERM");
	}

	#keep(text: string): void {
		this.output += text;
		if (this.#count("passing") === undefined) return;
		clearTimeout(this.#lingering);
		this.#lingering = setTimeout(() => {
			this.output += `It was over, but something kept it from ending for ${lingerMs / 1_000} s\n`;
			this.#child.kill("SIGKILL");
		}, lingerMs);
	}

	#count(what: keyof Outcome): number | undefined {
		const found = [...this.output.matchAll(new RegExp(`^ +(\\d+) ${what}(?: \\(.*\\))?$`, "gm"))].at(-1);
		return found && Number(found[1]);
	}
}
