/** The configuration of the disk of the data folder. */
import { whole } from "./field-rules.ts";

export const diskFields = {
	reserve_mb: {
		...whole,
		min: 0,
		max: 1_024,
		default: 4,
		description:
			"MB that the embedded store keeps inside its file, and as much in its log, so that stops and deletions can be written when a session has filled the disk",
	},
	low_mb: {
		...whole,
		min: 0,
		max: 1_000_000,
		default: 64,
		description:
			"Free MB of the disk of the data folder below which `/health` and the log warn, and the session whose workspace grows most is stopped with `DISK_FULL`; 0: never",
	},
} as const;
