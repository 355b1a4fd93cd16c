/** Some test files in a mocha of their own, whose words are kept until it has ended, so that those of others do not mix. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";
import { compiled } from "./support/compiled.ts";

export interface Outcome {
	passing: number;
	pending: number;
	/** At least 1 where mocha did not come to its end, or ended in another way than in order. */
	failing: number;
}

/** A test that leaves a timer, a socket or a process behind keeps its mocha from ending. */
const lingerMs = 30_000;

const program = join(projectRoot, "node_modules/mocha/bin/mocha.js");

export class MochaProcess {
	/** Relative to the project. */
	readonly files: readonly string[];
	/** All that was written to both streams, in the order it came. */
	output = "";
	/** What its tests came to, once it has ended. */
	outcome: Outcome = { passing: 0, pending: 0, failing: 0 };
	readonly #child: ChildProcess;
	readonly #begun = performance.now();
	#endedAt: number | undefined;
	#lingering: NodeJS.Timeout | undefined;

	constructor(files: readonly string[]) {
		this.files = files;
		const env = { NODE_COMPILE_CACHE: compiled, ...process.env };
		this.#child = spawn(process.execPath, [program, ...files], {
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

	/** From its begin to its end, or until now. */
	get seconds(): number {
		return ((this.#endedAt ?? performance.now()) - this.#begun) / 1_000;
	}

	/** What mocha says of its failures, and what comes after its last test. */
	get ending(): string {
		const start = this.output.search(/^ +\d+ passing/m);
		return start === -1 ? this.output : this.output.slice(start);
	}

	/** Resolves when it has ended and everything it wrote is in `output`. */
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
