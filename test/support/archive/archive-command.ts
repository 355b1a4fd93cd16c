/** Runs `npm run backup`, `restore`, `export` and `import` on a data folder. */
import { type ChildProcess, execFile } from "node:child_process";
import { projectRoot } from "#shared/base/project-root.ts";

export interface Outcome {
	/** The exit code; absent when a signal has ended it. */
	readonly code: number | undefined;
	readonly signal: NodeJS.Signals | undefined;
	readonly output: string;
}

/** The installation that a command works on. */
export interface ArchivePlace {
	readonly dataDir: string;
	readonly home: string;
	/** The file of the configuration. */
	readonly config: string;
	/** Variables beside those. */
	readonly env?: Readonly<Record<string, string>>;
	/** The user and group who run the command, if the tests run as root; default: this process's. */
	readonly user?: number;
}

/** Runs a command, e.g. `["export", "/tmp/documents.gz"]`. @param started Gets the process. */
export function runArchive(
	{ dataDir, home, config, env, user }: ArchivePlace,
	args: readonly string[],
	started?: (process: ChildProcess) => void,
): Promise<Outcome> {
	const variables = { PATH: process.env["PATH"] ?? "", HOME: home, DATA_DIR: dataDir, ATELIER_CONFIG: config, ...env };
	return new Promise((resolve) => {
		const program = ["host/archive.ts", ...args];
		const rights = user === undefined ? {} : { uid: user, gid: user };
		const options = { cwd: projectRoot, env: variables, ...rights };
		const child = execFile(process.execPath, program, options, (error, stdout, stderr) => {
			const code = error ? error.code : 0;
			resolve({
				code: typeof code === "number" ? code : undefined,
				signal: error?.signal ?? undefined,
				output: stdout + stderr,
			});
		});
		started?.(child);
	});
}
