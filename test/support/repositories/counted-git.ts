/** The pod's git with a record of its starts. */
import { Git } from "#agent/workspace/git.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";

/** The pattern of a git command, which follows options, settings and folders. */
const command = /^[a-z]+(-[a-z]+)*$/;

export class CountedGit extends Git {
	/** The commands of all starts, oldest first. */
	readonly started: string[] = [];

	constructor() {
		const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
		super(env, new LogBuffer([]));
	}

	override run(...[args, options]: Parameters<Git["run"]>): ReturnType<Git["run"]> {
		this.started.push(args.find((word) => command.test(word)) ?? "");
		return super.run(args, options);
	}
}
